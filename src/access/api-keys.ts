import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'tl_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
/** The format of a key, for secret scanners. */
export const API_KEY_PATTERN = /^tl_live_[0-9A-Za-z]{46}$/;

export function newApiKey(): string {
  return newKeyText(PREFIX);
}

/** Whether the text has the format of a key; detects typing errors without a database look-up. */
export function isWellFormed(key: string): boolean {
  return isKeyText(PREFIX, key);
}

/** Generates a key: the prefix, 40 random base62 characters (238 bits), 6 of checksum. */
export function newKeyText(prefix: string): string {
  let random = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) random += ALPHABET[randomInt(ALPHABET.length)];
  return prefix + random + checksum(random);
}

/** Whether the text is a key with this prefix. */
export function isKeyText(prefix: string, key: string): boolean {
  if (!key.startsWith(prefix)) return false;
  const rest = key.slice(prefix.length);
  return /^[0-9A-Za-z]{46}$/.test(rest) && rest.slice(RANDOM_LENGTH) === checksum(rest.slice(0, RANDOM_LENGTH));
}

/** Returns the SHA-256 of the key, which is all that is stored. 238 random bits need no slow hash. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The part of a key that may be shown in lists. */
export function displayOf(key: string): string {
  return key.slice(0, PREFIX.length + 4);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
