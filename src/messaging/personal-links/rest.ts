import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { restTag } from '../consent/tokens.ts';

/** Longer ones are not tracked: the links would exceed what mail programs and proxies accept. */
export const LONGEST_REST = 1_500;

/** The owner of a link: a rest is valid only for this link of this message. */
export interface RestOwner {
  companyId: number;
  messageId: number;
  linkId: number;
}

/** Encodes the personal part of an address for a link, signed so that nobody can redirect the link elsewhere. */
export function writeRest(key: KeyObject, owner: RestOwner, rest: string): string {
  return `${Buffer.from(rest).toString('base64url')}.${restTag(key, owner, rest)}`;
}

/** Returns null for anything that was not made with this key for this link of this message. */
export function readRest(key: KeyObject, owner: RestOwner, text: string): string | null {
  const [, encoded, tag] = /^([A-Za-z0-9_-]{0,8000})\.([A-Za-z0-9_-]{11})$/.exec(text) ?? [];
  if (encoded === undefined || tag === undefined) return null;
  const rest = Buffer.from(encoded, 'base64url').toString();
  // Only one spelling of a rest is accepted: no stray bits after the last byte, no invalid UTF-8.
  if (Buffer.from(rest).toString('base64url') !== encoded) return null;
  return timingSafeEqual(Buffer.from(tag), Buffer.from(restTag(key, owner, rest))) ? rest : null;
}

/** Returns the target of a link with a personal part; null if that would be another server than the stored one. */
export function targetOf(prefix: string, rest: string): string | null {
  const [stored, whole] = [URL.parse(prefix), URL.parse(prefix + rest)];
  return stored !== null && whole !== null && stored.origin === whole.origin ? prefix + rest : null;
}
