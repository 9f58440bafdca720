import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, which every authenticator app supports. */
const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 random bits, which is what RFC 4226 recommends. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The code of a time step (RFC 4226, 5.3). */
export function totpAt(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0');
}

export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS);
}

/** Returns the time step of a code: the present one or an adjacent one, to allow for clock differences. Null for a wrong code. */
export function matchTotp(secret: Buffer, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const present = stepOf(now);
  let matched: number | null = null;
  for (const step of [present - 1, present, present + 1]) {
    if (timingSafeEqual(Buffer.from(totpAt(secret, step)), Buffer.from(code))) matched = step;
  }
  return matched;
}

/** RFC 4648 without padding, as authenticator apps read secrets. */
export function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** Content of a QR code for an authenticator app. */
export function otpauthUrl(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}
