import { hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The purposes of public links; the number is part of the token. */
const KINDS = { unsubscribe: 1, message: 2, form: 4, confirmation: 5, order: 6, recovery: 7, pay: 8 } as const;
export type TokenKind = keyof typeof KINDS;

/** `subject` and `detail` are ids; which ones depends on the kind. */
export interface TokenContent {
  companyId: number;
  /**
   * unsubscribe: the contact; confirmation: the message that asked; form: the submission; message: the message whose opens and clicks are
   * recorded; order: the order; recovery: the cart; pay: the cart or the order.
   */
  subject: number;
  /**
   * unsubscribe: the message or 0; confirmation: the list, 0 for the e-mail consent alone; form: 1 for e-mail, 2 for SMS; pay: see
   * `src/commerce/payments/pay-links.ts`; others: 0.
   */
  detail: number;
}

const BODY_BYTES = 25;
/** 128 bits of the HMAC. */
const TAG_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{55}$/;

/** Returns the token of a public link, 55 characters: ids with a keyed hash, no personal data. */
export function signToken(key: KeyObject, kind: TokenKind, { companyId, subject, detail }: TokenContent): string {
  const token = Buffer.alloc(BODY_BYTES + TAG_BYTES);
  token.writeUInt8(KINDS[kind], 0);
  writeId(token, companyId, 1);
  writeId(token, subject, 9);
  writeId(token, detail, 17);
  token.write(tagOf(key, token), BODY_BYTES, 'latin1');
  return token.toString('base64url');
}

/** Returns the content of the token, or null if it was not made with this key for this kind of link. */
export function readToken(key: KeyObject, kind: TokenKind, text: string): TokenContent | null {
  if (!TOKEN.test(text)) return null;
  const token = Buffer.from(text, 'base64url');
  // The last character has bits that decode to nothing; only one spelling of a token is accepted.
  if (
    token.toString('base64url') !== text ||
    !timingSafeEqual(Buffer.from(tagOf(key, token), 'latin1'), token.subarray(BODY_BYTES)) ||
    token.readUInt8(0) !== KINDS[kind]
  )
    return null;
  return { companyId: readId(token, 1), subject: readId(token, 9), detail: readId(token, 17) };
}

function tagOf(key: KeyObject, token: Buffer): string {
  return keyedHash(key, token.toString('latin1', 0, BODY_BYTES)).slice(0, TAG_BYTES);
}

/** Ids go up to 2^53, so the upper half never has more than 21 bits. */
function writeId(token: Buffer, id: number, at: number): void {
  token.writeUInt32BE(Math.floor(id / 2 ** 32), at);
  token.writeUInt32BE(id % 2 ** 32, at + 4);
}

function readId(token: Buffer, at: number): number {
  return token.readUInt32BE(at) * 2 ** 32 + token.readUInt32BE(at + 4);
}

/** 64 bits of the HMAC: enough, because every guess takes a request. */
const LINK_TAG_BYTES = 8;

/**
 * Returns the name of a stored address in links. It includes a tag, because addresses may be personal and the holder of one mail could
 * otherwise enumerate all others.
 */
export function linkName(key: KeyObject, companyId: number, linkId: number): string {
  const tag = keyedHash(key, `link\0${companyId}\0${linkId}`).slice(0, LINK_TAG_BYTES);
  return `${linkId}-${Buffer.from(tag, 'latin1').toString('base64url')}`;
}

/** Returns the id, or null if the name is not one of a link of this company. */
export function readLinkName(key: KeyObject, companyId: number, name: string): number | null {
  const linkId = Number(/^([1-9]\d{0,15})-[A-Za-z0-9_-]{11}$/.exec(name)?.[1] ?? 0);
  if (linkId === 0) return null;
  const [given, expected] = [Buffer.from(name), Buffer.from(linkName(key, companyId, linkId))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? linkId : null;
}

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

function restTag(key: KeyObject, { companyId, messageId, linkId }: RestOwner, rest: string): string {
  const text = Buffer.from(`rest\0${companyId}\0${messageId}\0${linkId}\0${rest}`).toString('latin1');
  return Buffer.from(keyedHash(key, text).slice(0, LINK_TAG_BYTES), 'latin1').toString('base64url');
}

/** Proves that a form was served at a time, in seconds. */
export function formTag(key: KeyObject, companyId: number, formId: number, seconds: number): string {
  const tag = keyedHash(key, `form\0${companyId}\0${formId}\0${seconds}`).slice(0, LINK_TAG_BYTES);
  return Buffer.from(tag, 'latin1').toString('base64url');
}

/** Returns the keyed hash that stores a suppressed address: it reveals nothing about the address without the key. */
export function suppressionHash(key: KeyObject, channel: string, address: string): Buffer {
  return Buffer.from(keyedHash(key, Buffer.from(`suppression\0${channel}\0${address}`).toString('latin1')), 'latin1');
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** The first blocks of a key's inner and outer hash, each followed by room for the rest. */
const blocksOf = new WeakMap<KeyObject, { inner: Buffer; outer: Buffer }>();

/**
 * HMAC-SHA-256 (RFC 2104) of bytes; input and output as Latin-1. Takes a third of the time of createHmac, which for so few bytes mostly
 * creates objects. Each mail needs three.
 */
function keyedHash(key: KeyObject, bytes: string): string {
  let blocks = blocksOf.get(key);
  if (blocks === undefined) {
    blocks = { inner: blockOf(key, 0x36, 512), outer: blockOf(key, 0x5c, HASH_BYTES) };
    blocksOf.set(key, blocks);
  }
  const { inner, outer } = blocks;
  const length = BLOCK_BYTES + bytes.length;
  const whole =
    length <= inner.length ? inner.subarray(0, length) : Buffer.concat([inner.subarray(0, BLOCK_BYTES)], length);
  whole.write(bytes, BLOCK_BYTES, 'latin1');
  outer.write(hash('sha256', whole, 'binary'), BLOCK_BYTES, 'latin1');
  return hash('sha256', outer, 'binary');
}

function blockOf(key: KeyObject, pad: number, room: number): Buffer {
  const secret = key.export();
  if (secret.length > BLOCK_BYTES) throw new Error(`A key of more than ${BLOCK_BYTES} bytes`);
  const block = Buffer.alloc(BLOCK_BYTES + room);
  for (let i = 0; i < BLOCK_BYTES; i += 1) block[i] = (secret[i] ?? 0) ^ pad;
  return block;
}
