import { expect, test } from 'vitest';
import { base32, matchTotp, otpauthUrl, stepOf, totpAt } from './totp.ts';

/** RFC 6238, appendix B, for SHA-1. */
const SECRET = Buffer.from('12345678901234567890');

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %i s is that of the RFC', (seconds, code) => {
  const now = new Date(seconds * 1_000);
  expect(totpAt(SECRET, stepOf(now), 8)).toBe(code);
  expect(matchTotp(SECRET, code.slice(2), now)).toBe(stepOf(now));
});

test('codes of the steps beside it are taken, and no others', () => {
  const now = new Date(1_234_567_890_000);
  const codes = [-2, -1, 0, 1, 2].map((away) => totpAt(SECRET, stepOf(now) + away));
  expect(codes.map((code) => matchTotp(SECRET, code, now) !== null)).toEqual([false, true, true, true, false]);
  for (const nonsense of ['', '12345', 'abcdef', '1234567']) expect(matchTotp(SECRET, nonsense, now)).toBeNull();
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is that of RFC 4648', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test('the address for the app names issuer and account', () => {
  expect(otpauthUrl(SECRET, 'Tradeloom', 'a+b@example.com')).toBe(
    'otpauth://totp/Tradeloom:a%2Bb%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tradeloom&algorithm=SHA1&digits=6&period=30',
  );
});
