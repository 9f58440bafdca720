import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { restTag } from '../consent/tokens.ts';

/** Longer ones are not tracked: with them, links would be longer than mail programs and proxies take. */
export const LONGEST_REST = 1_500;

/** Whose link it is: a rest counts for this link of this message alone. */
export interface RestOwner {
  companyId: number;
  messageId: number;
  linkId: number;
}

/** The personal part of an address as it stands in a link: signed, so that nobody can have a link lead elsewhere. */
export function writeRest(key: KeyObject, owner: RestOwner, rest: string): string {
  return `${Buffer.from(rest).toString('base64url')}.${restTag(key, owner, rest)}`;
}

/** null for anything that was not made with this key for this link of this message. */
export function readRest(key: KeyObject, owner: RestOwner, text: string): string | null {
  const [, encoded, tag] = /^([A-Za-z0-9_-]{0,8000})\.([A-Za-z0-9_-]{11})$/.exec(text) ?? [];
  if (encoded === undefined || tag === undefined) return null;
  const rest = Buffer.from(encoded, 'base64url').toString();
  // One rest has one text: neither stray bits behind the last byte nor bytes that are no UTF-8.
  if (Buffer.from(rest).toString('base64url') !== encoded) return null;
  return timingSafeEqual(Buffer.from(tag), Buffer.from(restTag(key, owner, rest))) ? rest : null;
}

/** Where a link with a personal part leads; null where that would be another server than the stored one. */
export function targetOf(prefix: string, rest: string): string | null {
  const [stored, whole] = [URL.parse(prefix), URL.parse(prefix + rest)];
  return stored !== null && whole !== null && stored.origin === whole.origin ? prefix + rest : null;
}
