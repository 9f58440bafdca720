import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMON_PASSWORDS } from './common-password-list.ts';
import { isCommonPassword } from './common-passwords.ts';
import { createPasswordHasher } from './passwords.ts';

test('a hash is a PHC string with OWASP parameters, a salt of its own, and holds for its password alone', async () => {
  const hasher = createPasswordHasher();
  const [first, second] = await Promise.all([hasher.hash(1, 'correct horse'), hasher.hash(1, 'correct horse')]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(first).not.toBe(second);
  expect(await hasher.verify(1, 'correct horse', first)).toEqual({ valid: true, outdated: false });
  expect(await hasher.verify(1, 'Correct horse', first)).toEqual({ valid: false, outdated: false });
  expect(await hasher.verify(1, 'correct horse ', first)).toEqual({ valid: false, outdated: false });
});

test('a password counts as the same however its accents are composed', async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash(1, 'crème brûlée'.normalize('NFD'));
  expect(await hasher.verify(1, 'crème brûlée'.normalize('NFC'), stored)).toMatchObject({ valid: true });
});

test('hashes of weaker parameters are still verified and reported as outdated', async () => {
  const nonce = Buffer.from('0123456789abcdef');
  const weak = { memory: 8_192, passes: 1, parallelism: 1 };
  const tag = argon2Sync('argon2id', { ...weak, message: 'correct horse', nonce, tagLength: 32 });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  const stored = `$argon2id$v=19$m=8192,t=1,p=1$${text(nonce)}$${text(tag)}`;
  const hasher = createPasswordHasher();
  expect(await hasher.verify(1, 'correct horse', stored)).toEqual({ valid: true, outdated: true });
  expect(await hasher.verify(1, 'wrong horse', stored)).toEqual({ valid: false, outdated: true });
  await expect(hasher.verify(1, 'correct horse', 'correct horse')).rejects.toThrow('no argon2id hash');
});

test('two hashes at once at most, in the order of arrival, a full queue and a long wait refused', async () => {
  const started: string[] = [];
  let atOnce = 0;
  let most = 0;
  const finish: (() => void)[] = [];
  const hasher = createPasswordHasher({
    maxWaiting: 3,
    maxWaitMs: 50,
    derive: async ({ message }) => {
      started.push(message);
      most = Math.max(most, ++atOnce);
      await new Promise<void>((resolve) => finish.push(resolve));
      atOnce--;
      return Buffer.alloc(32);
    },
  });
  const outcomes = ['a', 'b', 'c', 'd', 'e', 'f'].map((password) =>
    hasher.hash(1, password).then(
      () => 'done',
      (error) => error.code,
    ),
  );
  expect(await outcomes[5]).toBe('rate_limited');
  expect(started).toEqual(['a', 'b']);
  finish.shift()!();
  expect(await outcomes[0]).toBe('done');
  expect(started).toEqual(['a', 'b', 'c']);
  expect(await Promise.all([outcomes[3], outcomes[4]])).toEqual(['rate_limited', 'rate_limited']);
  for (const end of finish.splice(0)) end();
  expect(await Promise.all([outcomes[1], outcomes[2]])).toEqual(['done', 'done']);
  expect(most).toBe(2);
  const later = hasher.hash(1, 'g');
  await expect.poll(() => finish.length).toBe(1);
  finish.shift()!();
  await later;
});

test('the waiting passwords of one company keep another company waiting for one turn, and fill no place of its own', async () => {
  const started: string[] = [];
  const finish: (() => void)[] = [];
  const hasher = createPasswordHasher({
    maxAtOnce: 1,
    maxWaiting: 3,
    derive: async ({ message }) => {
      started.push(message);
      await new Promise<void>((resolve) => finish.push(resolve));
      return Buffer.alloc(32);
    },
  });
  const many = ['a1', 'a2', 'a3', 'a4'].map((password) => hasher.hash(1, password));
  await expect(hasher.hash(1, 'a5')).rejects.toMatchObject({ code: 'rate_limited', details: { retry_after: 1 } });
  const other = hasher.hash(2, 'b1');
  finish.shift()!();
  await many[0];
  finish.shift()!();
  // At most one of the first company's passwords goes before it.
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
  expect(started.slice(0, 3)).toContain('b1');
  while (finish.length > 0 || started.length < 5) {
    finish.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const end of finish.splice(0)) end();
  await Promise.all([...many, other]);
});

test.each(['password', 'PASSWORD', '12345678', 'Password1', 'qwertyuiop', 'iloveyou'])('%s is common', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test('at least the 3,000 most common passwords are refused', () => {
  const refused = [...COMMON_PASSWORDS].filter(
    (password) => password.length >= 8 && isCommonPassword(password.toUpperCase()),
  );
  expect(refused.length).toBe(COMMON_PASSWORDS.size);
  expect(refused.length).toBeGreaterThan(3_000);
});

test.each(['correct horse', 's3cret-pass', 'Tr0ub4dor&3'])('%s is not', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});

test.each([
  ['        '],
  ['\u00a0\u2003\u3000  \t  '],
  ['tradeloom'],
  ['Tradeloom123!'],
  ['cornershop'],
  ['Corner Shop 2026'],
  ['1corner-shop1'],
  ['CornerShopCornerShop'],
])('%j is made of nothing, or of the names of the product and the shop', (password) => {
  expect(isCommonPassword(password, ['Corner Shop'])).toBe(true);
});

test('a name within a longer password, and one too short to be looked for, are no fault', () => {
  expect(isCommonPassword('corner shop window', ['Corner Shop'])).toBe(false);
  expect(isCommonPassword('aaaa-bbbb-cc', ['A', ''])).toBe(false);
  expect(isCommonPassword('correct horse', ['  '])).toBe(false);
});
