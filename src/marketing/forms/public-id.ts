import { randomBytes } from 'node:crypto';

/** What a form is called in public: 96 random bits, so that forms of others cannot be guessed. */
export function newPublicId(): string {
  return randomBytes(12).toString('base64url');
}
