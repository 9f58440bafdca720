import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What a public link is for; the number is part of the token. */
const KINDS = { unsubscribe: 1, message: 2, confirm: 3 } as const;
export type TokenKind = keyof typeof KINDS;

/** `subject` and `detail` are ids; which ones depends on the kind. */
export interface TokenContent {
  companyId: number;
  /** unsubscribe and confirm: the contact; message: the message whose opening and clicks are noted. */
  subject: number;
  /** unsubscribe: the message or 0; confirm: the list; message: 0. */
  detail: number;
}

const BODY_BYTES = 25;
/** 128 bits of the HMAC. */
const TAG_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{55}$/;

/** The token of a public link, 55 characters: ids under a keyed hash, nothing of the person. */
export function signToken(key: KeyObject, kind: TokenKind, { companyId, subject, detail }: TokenContent): string {
  const token = Buffer.alloc(BODY_BYTES + TAG_BYTES);
  token.writeUInt8(KINDS[kind], 0);
  writeId(token, companyId, 1);
  writeId(token, subject, 9);
  writeId(token, detail, 17);
  tagOf(key, token).copy(token, BODY_BYTES);
  return token.toString('base64url');
}

/** What the token says, or null for anything that was not made with this key for this kind of link. */
export function readToken(key: KeyObject, kind: TokenKind, text: string): TokenContent | null {
  if (!TOKEN.test(text)) return null;
  const token = Buffer.from(text, 'base64url');
  if (!timingSafeEqual(tagOf(key, token), token.subarray(BODY_BYTES)) || token.readUInt8(0) !== KINDS[kind])
    return null;
  return { companyId: readId(token, 1), subject: readId(token, 9), detail: readId(token, 17) };
}

function tagOf(key: KeyObject, token: Buffer): Buffer {
  return createHmac('sha256', key).update(token.subarray(0, BODY_BYTES)).digest().subarray(0, TAG_BYTES);
}

/** Ids go up to 2^53, so the upper half never has more than 21 bits. */
function writeId(token: Buffer, id: number, at: number): void {
  token.writeUInt32BE(Math.floor(id / 2 ** 32), at);
  token.writeUInt32BE(id % 2 ** 32, at + 4);
}

function readId(token: Buffer, at: number): number {
  return token.readUInt32BE(at) * 2 ** 32 + token.readUInt32BE(at + 4);
}

/** 64 bits of the HMAC: enough where every guess is a request. */
const LINK_TAG_BYTES = 8;

/**
 * What stands for a stored address in links. With its tag: the addresses may be personal, and whoever has one mail could
 * otherwise count through those of all others.
 */
export function linkName(key: KeyObject, companyId: number, linkId: number): string {
  const tag = createHmac('sha256', key).update(`link\0${companyId}\0${linkId}`).digest();
  return `${linkId}-${tag.subarray(0, LINK_TAG_BYTES).toString('base64url')}`;
}

/** The id, or null for what is no name of a link of this company. */
export function readLinkName(key: KeyObject, companyId: number, name: string): number | null {
  const linkId = Number(/^([1-9]\d{0,15})-[A-Za-z0-9_-]{11}$/.exec(name)?.[1] ?? 0);
  if (linkId === 0) return null;
  const [given, expected] = [Buffer.from(name), Buffer.from(linkName(key, companyId, linkId))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? linkId : null;
}

/** The keyed hash under which an address is suppressed: says nothing of the address without the key. */
export function suppressionHash(key: KeyObject, channel: string, address: string): Buffer {
  return createHmac('sha256', key).update(`suppression\0${channel}\0${address}`).digest();
}
