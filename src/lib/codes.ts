import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const CODES = 1_000_000;

/**
 * Returns the code of six digits that belongs to a nonce: a keyed hash of it. So a code that is sent by mail need not be stored, neither
 * where it is checked nor with the message.
 */
export function codeOf(key: KeyObject, companyId: number, nonce: string): string {
  const digest = createHmac('sha256', key).update(`code ${companyId} ${nonce}`).digest();
  return String(digest.readUIntBE(0, 6) % CODES).padStart(6, '0');
}

/** Whether the code belongs to the nonce. */
export function isCodeOf(key: KeyObject, companyId: number, nonce: string, code: string): boolean {
  const given = Buffer.from(code);
  const expected = Buffer.from(codeOf(key, companyId, nonce));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
