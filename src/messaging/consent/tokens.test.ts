import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkName, readLinkName, readRest, readToken, signToken, suppressionHash, writeRest } from './tokens.ts';

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

test('a token has one text: altered trailing bits, which decode to the same bytes, are refused', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));
  const owner = { companyId: 3, messageId: 5, linkId: 9 };
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const next = (text: string) => text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
  const token = signToken(key, 'unsubscribe', { companyId: 3, subject: 5, detail: 0 });
  expect(Buffer.from(next(token), 'base64url')).toEqual(Buffer.from(token, 'base64url'));
  expect(readToken(key, 'unsubscribe', token)).not.toBeNull();
  expect(readToken(key, 'unsubscribe', next(token))).toBeNull();
  const [encoded, tag] = writeRest(key, owner, 'ab').split('.') as [string, string];
  expect(readRest(key, owner, `${encoded}.${tag}`)).toBe('ab');
  expect(readRest(key, owner, `${next(encoded)}.${tag}`)).toBeNull();
  expect(readRest(key, owner, `${encoded}.${next(tag)}`)).toBeNull();
});

test('a key of more than one block of the hash, which would have to be hashed itself, is refused', () => {
  const hashOf = (bytes: number) => suppressionHash(createSecretKey(Buffer.alloc(bytes, 7)), 'email', 'a@example.com');
  expect(hashOf(64)).toHaveLength(32);
  expect(() => hashOf(65)).toThrow('more than 64 bytes');
});
