import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkName, readLinkName, readToken, signToken, suppressionHash } from './tokens.ts';

test('keyed hashes are those of HMAC-SHA-256, whatever the key and the length, and no earlier one shows in them', () => {
  const secrets = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const addresses = fc.string({ unit: 'binary', maxLength: 600 });
  fc.assert(
    fc.property(secrets, fc.array(addresses, { minLength: 1, maxLength: 4 }), (secret, texts) => {
      const key = createSecretKey(secret);
      for (const text of texts) {
        const expected = createHmac('sha256', key).update(`suppression\0email\0${text}`).digest();
        expect(suppressionHash(key, 'email', text)).toEqual(expected);
      }
    }),
  );
});

test('tokens and names of links that were given out before are those of today', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const content = { companyId: 3, subject: 2 ** 40 + 1, detail: 9 };
  const token = signToken(key, 'unsubscribe', content);
  const bytes = Buffer.from(token, 'base64url');
  const tag = createHmac('sha256', key).update(bytes.subarray(0, 25)).digest().subarray(0, 16);
  expect(bytes.subarray(25)).toEqual(tag);
  expect(readToken(key, 'unsubscribe', token)).toEqual(content);
  expect(readToken(key, 'message', token)).toBeNull();
  const linkTag = createHmac('sha256', key).update('link\x003\x0011').digest().subarray(0, 8).toString('base64url');
  expect(linkName(key, 3, 11)).toBe(`11-${linkTag}`);
  expect(readLinkName(key, 3, `11-${linkTag}`)).toBe(11);
});
