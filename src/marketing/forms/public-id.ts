import { randomBytes } from 'node:crypto';

/** A form's public name: 96 random bits, so that those of other forms cannot be guessed. */
export function newPublicId(): string {
  return randomBytes(12).toString('base64url');
}
