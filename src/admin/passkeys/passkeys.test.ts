import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../access/passkeys/testing-authenticator.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer({ impatient: true });
let company: number;

beforeAll(async () => {
  // Passkeys require a host name instead of an IP address.
  server.origin = server.origin.replace('127.0.0.1', 'localhost');
  company = (await server.company()).company_id;
});

type Authenticator = ReturnType<typeof createTestAuthenticator>;

/** A person with one passkey. */
async function withPasskey(name = 'Laptop'): Promise<{ person: TestPerson; device: Authenticator; id: number }> {
  const person = await testPerson(server, { [company]: 'owner' });
  const device = createTestAuthenticator(server.origin);
  const begun = await person.ask('POST', '/me/passkeys/options');
  const made = await person.ask('POST', '/me/passkeys', { name, credential: device.create(begun.body.options) });
  expect([made.status, made.body.name]).toEqual([201, name]);
  return { person, device, id: made.body.id };
}

async function signIn(
  device: Authenticator,
  how: Parameters<Authenticator['use']>[1] = {},
  browser = stranger(server),
) {
  const { options } = (await browser.ask('POST', '/session/passkey/options')).body;
  const response = await browser.ask('POST', '/session/passkey', { credential: device.use(options, how) });
  return { browser, options, response };
}

describe('a passkey', () => {
  test('is requested as discoverable and with user verification, for this host only', async () => {
    const person = await testPerson(server, { [company]: 'owner' });
    const { options } = (await person.ask('POST', '/me/passkeys/options')).body;
    expect(options.rp.id).toBe('localhost');
    expect(options.authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' });
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
  });

  test('signs in without e-mail address, password or code, and says when it was last used', async () => {
    const { person, device } = await withPasskey();
    const { browser, response } = await signIn(device);
    expect([response.status, response.body.person.id]).toEqual([200, person.id]);
    expect((await browser.ask('GET', '/session')).status).toBe(200);
    const { passkeys } = (await person.ask('GET', '/me/passkeys')).body;
    expect(passkeys).toEqual([expect.objectContaining({ name: 'Laptop', last_used_at: expect.any(String) })]);
    expect((await person.ask('GET', '/me')).body.passkeys).toBe(1);
  });

  test('proves again who it is after 15 minutes', async () => {
    const { person, device } = await withPasskey();
    server.clock.advance(15 * 60_000);
    expect((await person.ask('POST', '/me/passkeys/options')).body.error).toBe('confirmation_required');
    const { options } = (await person.ask('POST', '/session/confirm/passkey/options')).body;
    expect(options.allowCredentials).toHaveLength(1);
    const confirmed = await person.ask('POST', '/session/confirm/passkey', { credential: device.use(options) });
    expect(confirmed.status).toBe(200);
    expect((await person.ask('POST', '/me/passkeys/options')).status).toBe(200);
  });

  test('is renamed and removed, which the audit log has', async () => {
    const { person, id } = await withPasskey('Old name');
    await server.rows("update persons set password_hash = 'x' where id = $1", [person.id]);
    expect((await person.ask('PATCH', `/me/passkeys/${id}`, { name: 'Phone' })).body.name).toBe('Phone');
    expect((await person.ask('DELETE', `/me/passkeys/${id}`)).body.name).toBe('Phone');
    const { entries } = (await person.ask('GET', `/${company}/audit?action=person.passkey`)).body;
    const own = entries.filter(({ target }: { target: string }) => target === `person:${person.id}`);
    expect(own.map(({ action }: { action: string }) => action)).toEqual([
      'person.passkey.delete',
      'person.passkey.update',
      'person.passkey.create',
    ]);
    expect(own[1]).toMatchObject({ details: { name: 'Phone' }, before: { name: 'Old name' } });
  });

  test('that is the only way in is not removed', async () => {
    const { person, id } = await withPasskey();
    const { status, body } = await person.ask('DELETE', `/me/passkeys/${id}`);
    expect([status, body.error]).toEqual([400, 'validation_failed']);
    expect((await person.ask('GET', '/me/passkeys')).body.passkeys).toHaveLength(1);
  });

  test('of somebody else is not there', async () => {
    const { id } = await withPasskey();
    const other = await testPerson(server, { [company]: 'owner' });
    expect((await other.ask('PATCH', `/me/passkeys/${id}`, { name: 'X' })).status).toBe(404);
    expect((await other.ask('DELETE', `/me/passkeys/${id}`)).status).toBe(404);
  });

  test('is stored only once', async () => {
    const { person, device } = await withPasskey();
    const { options } = (await person.ask('POST', '/me/passkeys/options')).body;
    expect(options.excludeCredentials).toHaveLength(1);
    const again = await person.ask('POST', '/me/passkeys', { name: 'Again', credential: device.create(options) });
    expect(again.body.error).toBe('duplicate');
  });
});

describe('is refused, with the same error: a signature', () => {
  test('by another key, which is a failed sign-in in the audit log', async () => {
    const { person, device } = await withPasskey();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { response } = await signIn(device, { key: privateKey });
    expect([response.status, response.body.error]).toEqual([401, 'wrong_credentials']);
    const failed = () =>
      server.rows("select action from audit_log where target = $1 and actor = 'public'", [`person:${person.id}`]);
    await expect.poll(failed).toEqual([{ action: 'person.sign_in_failed' }]);
  });

  test('of a device without user verification', async () => {
    const { device } = await withPasskey();
    expect((await signIn(device, { verified: false })).response.status).toBe(401);
  });

  test('for another site', async () => {
    const { device } = await withPasskey();
    expect((await signIn(device, { site: 'evil.example' })).response.status).toBe(401);
  });

  test('of a page of another origin', async () => {
    const { person } = await withPasskey();
    const { options } = (await person.ask('POST', '/me/passkeys/options')).body;
    const elsewhere = createTestAuthenticator('https://evil.example');
    const made = await person.ask('POST', '/me/passkeys', { name: 'X', credential: elsewhere.create(options) });
    expect([made.status, made.body.error]).toEqual([400, 'validation_failed']);
  });

  test('that was shown before', async () => {
    const { device } = await withPasskey();
    const browser = stranger(server);
    const { options } = (await browser.ask('POST', '/session/passkey/options')).body;
    const credential = device.use(options);
    expect((await browser.ask('POST', '/session/passkey', { credential })).status).toBe(200);
    expect((await stranger(server).ask('POST', '/session/passkey', { credential })).status).toBe(401);
    // The same challenge, signed again.
    const anew = { credential: device.use(options) };
    expect((await stranger(server).ask('POST', '/session/passkey', anew)).status).toBe(401);
  });

  test('of a challenge that is over, was made up, or was for something else', async () => {
    const { person, device } = await withPasskey();
    const late = (await stranger(server).ask('POST', '/session/passkey/options')).body.options;
    server.clock.advance(5 * 60_000);
    const challenges = [
      late.challenge,
      Buffer.alloc(38).toString('base64url'),
      (await person.ask('POST', '/session/confirm/passkey/options')).body.options.challenge,
    ];
    for (const challenge of challenges) {
      const credential = device.use({ challenge, rpId: 'localhost' });
      expect((await stranger(server).ask('POST', '/session/passkey', { credential })).status).toBe(401);
    }
  });

  test('of another person, as proof of identity', async () => {
    const [{ person }, { device }] = [await withPasskey(), await withPasskey()];
    const { options } = (await person.ask('POST', '/session/confirm/passkey/options')).body;
    const credential = device.use(options);
    expect((await person.ask('POST', '/session/confirm/passkey', { credential })).body.error).toBe('wrong_credentials');
  });
});

test('challenges that are requested but not used are not stored', async () => {
  const before = await server.rows('select 1 from passkey_challenges');
  for (let i = 0; i < 20; i++) await stranger(server).ask('POST', '/session/passkey/options');
  expect(await server.rows('select 1 from passkey_challenges')).toHaveLength(before.length);
});

test('an address without a host name has no passkeys, and the response says what to do', async () => {
  const origin = server.origin;
  server.origin = origin.replace('localhost', '127.0.0.1');
  const { status, body } = await stranger(server).ask('POST', '/session/passkey/options');
  server.origin = origin;
  expect([status, body.message]).toEqual([400, expect.stringContaining('localhost')]);
});

test('failed passkeys count with failed passwords of the network', async () => {
  const { device } = await withPasskey();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const statuses = new Set<number>();
  for (let i = 0; i < 60; i++) statuses.add((await signIn(device, { key: privateKey })).response.status);
  expect([...statuses]).toEqual([401, 429]);
});
