import { expect, test } from 'vitest';
import { stepOf, totpAt } from '../../lib/totp.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger } from '../../testing/people.ts';

const server = testServer({ impatient: true });
const PASSWORD = 'a long enough secret';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
let serial = 0;

function unbase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** A signed-in person with an authenticator app. */
async function withApp() {
  const email = `totp-${++serial}@example.com`;
  await server.rows('insert into persons (email, name, password_hash, created_at) values ($1, $2, $3, $4)', [
    ...[email, 'Someone', await server.app.passwords.hash(0, PASSWORD), server.clock.now()],
  ]);
  const browser = stranger(server);
  await browser.ask('POST', '/session', { email, password: PASSWORD });
  const begun = (await browser.ask('POST', '/me/totp')).body;
  const secret = unbase32(begun.secret);
  const code = (away = 0) => totpAt(secret, stepOf(server.clock.now()) + away);
  const signIn = (given?: string) =>
    stranger(server).ask('POST', '/session', { email, password: PASSWORD, ...(given ? { code: given } : {}) });
  return { email, browser, begun, code, signIn };
}

test('an app counts once its code was confirmed, and each code works once', async () => {
  const { browser, begun, code, signIn } = await withApp();
  expect(begun.url).toMatch(/^otpauth:\/\/totp\/Tradeloom:/);
  expect((await signIn()).status).toBe(200);
  expect((await browser.ask('POST', '/me/totp/confirm', { code: '000000' })).status).toBe(400);
  const confirmed = await browser.ask('POST', '/me/totp/confirm', { code: code() });
  expect(confirmed.body.recovery_codes).toHaveLength(10);
  expect((await browser.ask('GET', '/me')).body.has_totp).toBe(true);
  expect((await browser.ask('POST', '/me/totp')).body.error).toBe('duplicate');

  const without = await signIn();
  expect([without.status, without.body.error]).toEqual([401, 'second_factor_required']);
  expect((await signIn(code())).body.error).toBe('wrong_credentials');
  server.clock.advance(30_000);
  expect((await signIn(code())).status).toBe(200);
  expect((await signIn(code())).status).toBe(401);
});

test('a recovery code replaces one code of the app, once', async () => {
  const { browser, code, signIn } = await withApp();
  const [recovery] = (await browser.ask('POST', '/me/totp/confirm', { code: code() })).body.recovery_codes;
  expect((await signIn(recovery.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
  expect((await signIn(recovery)).status).toBe(401);
  const rows = await server.rows('select 1 from recovery_codes where encode(hash, $1) = $2', ['escape', recovery]);
  expect(rows).toEqual([]);
});

test('a wrong code is a failed sign-in in the audit log, and a missing one is not', async () => {
  const { email, browser, code, signIn } = await withApp();
  await browser.ask('POST', '/me/totp/confirm', { code: code() });
  const [person] = await server.rows<{ id: string }>('select id from persons where email = $1', [email]);
  await server.rows("insert into members (company_id, person_id, role, created_at) values ($1, $2, 'owner', now())", [
    ...[(await server.company()).company_id, person!.id],
  ]);
  expect((await signIn()).body.error).toBe('second_factor_required');
  expect((await signIn('000000')).body.error).toBe('wrong_credentials');
  const failed = () =>
    server.rows("select action from audit_log where target = $1 and actor = 'public'", [`person:${person!.id}`]);
  await expect.poll(failed).toEqual([{ action: 'person.sign_in_failed' }]);
});

test('the secret is stored encrypted', async () => {
  const { email, begun } = await withApp();
  const [row] = await server.rows<{ secret: Buffer }>(
    'select t.secret from person_totp t join persons p on p.id = t.person_id where p.email = $1',
    [email],
  );
  expect(row!.secret.includes(unbase32(begun.secret))).toBe(false);
  expect(server.app.masterKey.open(row!.secret)).toBe(unbase32(begun.secret).toString('base64'));
});

test('removing an app requires a recent proof; sign-in then asks only for the password', async () => {
  const { browser, code, signIn } = await withApp();
  await browser.ask('POST', '/me/totp/confirm', { code: code() });
  server.clock.advance(15 * 60_000);
  expect((await browser.ask('DELETE', '/me/totp')).body.error).toBe('confirmation_required');
  await browser.ask('POST', '/session/confirm', { password: PASSWORD });
  expect((await browser.ask('DELETE', '/me/totp')).status).toBe(200);
  expect((await signIn()).status).toBe(200);
  expect((await browser.ask('DELETE', '/me/totp')).status).toBe(404);
});

test('wrong codes are counted like wrong passwords', async () => {
  const { browser, code, signIn } = await withApp();
  await browser.ask('POST', '/me/totp/confirm', { code: code() });
  const statuses = [];
  for (let i = 0; i < 11; i++) statuses.push((await signIn(String(100_000 + i))).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
});
