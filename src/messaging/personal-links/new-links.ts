import { createHash } from 'node:crypto';
import type { NewLink } from '../compose/content/content-queries.ts';
import type { PersonalAddress } from './template-addresses.ts';

/** Returns the row of an address that is the same in every mail. */
export function linkTo(url: string): NewLink {
  return { url, prefix: null, hash: createHash('sha256').update(url).digest() };
}

/** Returns one row for all recipients. */
export function linkBehind({ prefix, shown }: PersonalAddress): NewLink {
  return { url: shown, prefix, hash: createHash('sha256').update(`personal\0${prefix}\0${shown}`).digest() };
}
