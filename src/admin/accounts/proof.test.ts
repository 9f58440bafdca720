import { afterAll, describe, expect, test } from 'vitest';
import { issueLink } from '../../access/sessions.ts';
import { stepOf, totpAt } from '../../lib/totp.ts';
import { type SmtpSink, startSmtpSink } from '../../messaging/send/transports/smtp-sink.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';

const sink: SmtpSink = await startSmtpSink();
const server = testServer({ impatient: true, config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off` } });
afterAll(() => sink.close());

const PASSWORD = 'what the attacker chose';
const SECRET = Buffer.alloc(20, 7);
let serial = 0;

/** The account of an address that somebody else made: they chose the password, and added an app, a recovery code and a passkey. */
async function hijacked(): Promise<{ attacker: TestPerson; id: number; email: string; company: number }> {
  const company = (await server.company()).company_id;
  const email = `victim-${++serial}@example.com`;
  const [row] = await server.rows<{ id: string }>(
    'insert into persons (email, name, password_hash, created_at) values ($1, $2, $3, $4) returning id',
    [email, 'Not the victim', await server.app.passwords.hash(0, PASSWORD), server.clock.now()],
  );
  const id = Number(row!.id);
  await server.rows("insert into members (company_id, person_id, role, created_at) values ($1, $2, 'owner', now())", [
    ...[company, id],
  ]);
  const attacker = stranger(server);
  expect((await attacker.ask('POST', '/session', { email, password: PASSWORD })).status).toBe(200);
  await server.rows(
    'insert into person_totp (person_id, secret, confirmed_at, created_at) values ($1, $2, now(), now())',
    [...[id, server.app.masterKey.seal(SECRET.toString('base64'))]],
  );
  await server.rows("insert into recovery_codes (person_id, hash) values ($1, 'x')", [id]);
  await server.rows(
    `insert into passkeys (person_id, name, credential_id, public_key, counter, created_at)
     values ($1, 'Theirs', $2, '', 0, now())`,
    [id, `credential-${id}`],
  );
  return { attacker, id, email, company };
}

/** The token of the last link that was mailed to the address. */
async function mailed(email: string, number = 1): Promise<string> {
  const mails = () => sink.stored.filter(({ to }) => to === email);
  await expect.poll(() => mails().length).toBe(number);
  const raw = mails()
    .at(-1)!
    .raw.replace(/=\r?\n/g, '')
    .replaceAll('=3D', '=');
  return /sign-in\?token=([\w-]{43})/.exec(raw)![1]!;
}

const code = (away = 0) => totpAt(SECRET, stepOf(server.clock.now()) + away);

describe('the first proof of an address', () => {
  test('locks out the person who created the account before, and lets its owner join another company', async () => {
    const { attacker, id, email, company } = await hijacked();
    await stranger(server).ask('POST', '/links', { email });
    const victim = stranger(server);
    const first = await victim.ask('POST', '/links/use', { token: await mailed(email) });
    expect([first.status, first.body.person]).toEqual([
      ...[200, expect.objectContaining({ id, has_password: false, has_totp: false, passkeys: 0 })],
    ]);
    expect((await attacker.ask('GET', '/session')).status).toBe(401);
    const given = { email, password: PASSWORD, code: code() };
    expect((await stranger(server).ask('POST', '/session', given)).status).toBe(401);
    expect(await server.rows('select 1 from recovery_codes where person_id = $1', [id])).toEqual([]);
    expect((await victim.ask('GET', `/${company}/audit?action=person.prove`)).body.entries).toMatchObject([
      { target: `person:${id}`, details: { ended: 1 } },
    ]);

    const shop = (await server.company()).company_id;
    const owner = await testPerson(server, { [shop]: 'owner' });
    await owner.ask('POST', `/${shop}/invitations`, { email, role: 'manager' });
    const joined = await victim.ask('POST', '/links/use', { token: await mailed(email, 2) });
    expect(joined.body.companies.map((one: { id: number }) => one.id)).toContain(shop);
    expect((await attacker.ask('GET', `/${shop}/products`)).status).toBe(401);
  });

  test('can be a mailed invitation, which then accepts a new password', async () => {
    const { attacker, id, email } = await hijacked();
    const shop = (await server.company()).company_id;
    const owner = await testPerson(server, { [shop]: 'owner' });
    await owner.ask('POST', `/${shop}/invitations`, { email, role: 'viewer' });
    const token = await mailed(email);
    const password = 'what the owner chose';
    const joined = await stranger(server).ask('POST', '/links/use', { token, name: 'Vic', password });
    expect(joined.body.person).toMatchObject({ id, name: 'Vic', has_password: true, has_totp: false, passkeys: 0 });
    expect((await attacker.ask('GET', `/${shop}/products`)).status).toBe(401);
    expect((await stranger(server).ask('POST', '/session', { email, password: PASSWORD })).status).toBe(401);
    expect((await stranger(server).ask('POST', '/session', { email, password })).status).toBe(200);
  });

  test('can be a mailed link for a new password, which removes the authenticator app of whoever was there before', async () => {
    const { attacker, id, email } = await hijacked();
    await stranger(server).ask('POST', '/links', { email, purpose: 'reset_password' });
    const password = 'what the owner chose';
    const used = await stranger(server).ask('POST', '/links/use', { token: await mailed(email), password });
    expect(used.body.person).toMatchObject({ id, has_password: true, has_totp: false, passkeys: 0 });
    expect((await attacker.ask('GET', '/session')).status).toBe(401);
    expect((await stranger(server).ask('POST', '/session', { email, password: PASSWORD })).status).toBe(401);
  });

  test('is not the link of an invitation that the inviter sees', async () => {
    const { attacker, email } = await hijacked();
    await server.rows('delete from person_totp');
    const shop = (await server.company()).company_id;
    const owner = await testPerson(server, { [shop]: 'owner' });
    const { body } = await owner.ask('POST', `/${shop}/invitations`, { email, role: 'viewer' });
    const token = new URL(body.url).searchParams.get('token')!;
    const password = 'what the owner chose';
    const refused = await stranger(server).ask('POST', '/links/use', { token, name: 'Vic', password });
    expect(refused.body.error).toBe('wrong_credentials');
    expect((await attacker.ask('GET', '/session')).status).toBe(200);
  });

  test('happens once: a later link leaves password, app and sessions as they are', async () => {
    const { email } = await hijacked();
    await server.rows('update persons set proven_at = now() where email = $1', [email]);
    await stranger(server).ask('POST', '/links', { email });
    const token = await mailed(email);
    const browser = stranger(server);
    expect((await browser.ask('POST', '/links/use', { token })).body.error).toBe('second_factor_required');
    const second = await browser.ask('POST', '/links/use', { token, code: code() });
    expect(second.body.person).toMatchObject({ has_password: true, has_totp: true, passkeys: 1 });
  });

  test('ends the access of requests in progress', async () => {
    const { attacker, email } = await hijacked();
    const session = (await server.app.sessions.find(attacker.cookie.split('=')[1]!))!;
    await stranger(server).ask('POST', '/links', { email });
    const victim = stranger(server);
    await victim.ask('POST', '/links/use', { token: await mailed(email) });
    const afterResponse = () => {};
    await expect(
      server.app.accounts.setPassword(session, 'another of the attacker', { afterResponse }),
    ).rejects.toThrow('not signed in');
    expect((await victim.ask('GET', '/me')).body.has_password).toBe(false);
  });
});

describe('an account without a proof', () => {
  test('is made by a link from the terminal, which is never mailed', async () => {
    const { id } = await testPerson(server, {});
    const token = await issueLink(server.app.db, { kind: 'set_password', personId: id!, now: server.clock.now() });
    expect((await stranger(server).ask('POST', '/links/use', { token, password: PASSWORD })).status).toBe(200);
    expect(await server.rows('select proven_at from persons where id = $1', [id])).toEqual([{ proven_at: null }]);
  });

  test('joins no second company, even with its password', async () => {
    const { email } = await hijacked();
    await server.rows('delete from person_totp');
    const shop = (await server.company()).company_id;
    const owner = await testPerson(server, { [shop]: 'owner' });
    await owner.ask('POST', `/${shop}/invitations`, { email, role: 'viewer' });
    const token = await mailed(email);
    // As if the link had been passed on by the owner, where no mail is sent.
    await server.rows('update invitations set mailed = false where email = $1', [email]);
    const refused = await stranger(server).ask('POST', '/links/use', { token, password: PASSWORD });
    expect([refused.status, refused.body.error]).toEqual([400, 'duplicate']);
    expect(refused.body.message).toContain('Verify your e-mail address');
    expect((await owner.ask('GET', `/${shop}/members`)).body.members).toHaveLength(1);
  });
});

describe('a code with a link', () => {
  async function provenWithLink() {
    const person = await hijacked();
    await server.rows('update persons set proven_at = now() where id = $1', [person.id]);
    const link = () => issueLink(server.app.db, { kind: 'magic', personId: person.id, now: server.clock.now() });
    const tried = async (token: string, given: string) =>
      (await stranger(server).ask('POST', '/links/use', { token, code: given })).body.error ?? 'signed in';
    return { ...person, link, tried };
  }

  test('is wrong five times at most, then the link has ended', async () => {
    const { link, tried } = await provenWithLink();
    const token = await link();
    const results = [];
    for (let i = 0; i < 5; i++) results.push(await tried(token, String(100_000 + i)));
    expect(results).toEqual(Array(5).fill('wrong_credentials'));
    expect(await tried(token, code())).toBe('invalid_link');
    expect((await stranger(server).ask('POST', '/links/look', { token })).status).toBe(401);
  });

  test('counts towards the limit of the account, concurrently or sequentially', async () => {
    const { link, tried } = await provenWithLink();
    const tokens = await Promise.all(Array.from({ length: 5 }, link));
    const results = await Promise.all(
      tokens.flatMap((token) => [0, 1, 2, 3].map((i) => tried(token, String(200_000 + i)))),
    );
    expect(results.filter((one) => one === 'wrong_credentials')).toHaveLength(10);
    expect(results.filter((one) => one === 'rate_limited')).toHaveLength(10);
    server.clock.advance(15 * 60_000);
    expect(await tried(await link(), code())).toBe('signed in');
  });
});
