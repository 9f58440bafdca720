import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

/** The purpose of a challenge: one for another purpose or owner is not accepted. */
export type Purpose = 'create' | 'sign in' | 'confirm';

const LIVES_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;

export interface Subject {
  purpose: Purpose;
  /** Whose passkeys: a person's or a customer's, such as `person 7`, or those of everybody, such as `person `. */
  owner: string;
}

/**
 * Challenges contain their own expiry and a keyed hash, so that a stranger who requests many cannot fill a table. A used challenge is
 * stored only if its signature was valid.
 */
export function createChallenges(secret: Buffer | KeyObject) {
  const macOf = (head: Buffer, { purpose, owner }: Subject): Buffer =>
    createHmac('sha256', secret).update(`passkey ${purpose} ${owner} `).update(head).digest().subarray(0, MAC_BYTES);

  return {
    /** Returns new bytes for the browser to sign. */
    issue(subject: Subject, now: Date): Buffer {
      const head = Buffer.alloc(NONCE_BYTES + TIME_BYTES);
      randomBytes(NONCE_BYTES).copy(head);
      head.writeUIntBE(now.getTime() + LIVES_MS, NONCE_BYTES, TIME_BYTES);
      return Buffer.concat([head, macOf(head, subject)]);
    },

    /** Returns when the challenge expires; null if it has expired or was not issued for this subject. */
    endOf(challenge: string, subject: Subject, now: Date): Date | null {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return null;
      const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
      if (!timingSafeEqual(bytes.subarray(head.length), macOf(head, subject))) return null;
      const ends = head.readUIntBE(NONCE_BYTES, TIME_BYTES);
      return ends > now.getTime() ? new Date(ends) : null;
    },

    /** Identifies the account to an authenticator: constant for an owner, and without personal data. */
    userHandle: (owner: string): Buffer => createHmac('sha256', secret).update(`passkey ${owner}`).digest(),
  };
}
