import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SmtpSink, startSmtpSink } from '../../messaging/send/transports/smtp-sink.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';

const sink: SmtpSink = await startSmtpSink();
const server = testServer({
  impatient: true,
  config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off&from=admin@shops.example` },
});
let company: number;
let owner: TestPerson;

beforeAll(async () => {
  company = (await server.company({ name: 'Rowan & Thistle' })).company_id;
  owner = await testPerson(server, { [company]: 'owner' });
});
afterAll(() => sink.close());

/** Returns the last mail sent to the address, with soft line breaks removed. */
function mailTo(address: string): string {
  const raw = sink.stored.filter(({ to }) => to === address).at(-1)?.raw ?? '';
  return raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
}
const tokenIn = (mail: string): string => /sign-in\?token=([\w-]{43})/.exec(mail)![1]!;

test('an invitation is sent by e-mail from the address of the installation, and its link works', async () => {
  await server.rows('update companies set settings = $2 where company_id = $1', [
    ...[company, { messaging: { from_email: 'chosen@company.example' } }],
  ]);
  const { body } = await owner.ask('POST', `/${company}/invitations`, { email: 'max@example.com', role: 'manager' });
  expect(body.sent).toBe(true);
  const mail = mailTo('max@example.com');
  expect(mail).toContain('Rowan & Thistle');
  expect(mail).toMatch(/^Subject: Invitation to Tradeloom\r$/m);
  expect(mail).toMatch(/^From: Tradeloom <admin@shops.example>\r$/m);
  const shown = new URL(body.url).searchParams.get('token')!;
  expect(mail).not.toContain(shown);
  const join = { token: tokenIn(mail), name: 'Max', password: 'a long enough secret' };
  expect((await stranger(server).ask('POST', '/links/use', join)).body.person.email).toBe('max@example.com');
  expect((await stranger(server).ask('POST', '/links/use', { ...join, token: shown })).body.error).toBe('invalid_link');
  expect(await server.rows('select 1 from messages')).toEqual([]);
});

test('an invitation is in the language that was chosen for it, by default that of the inviter', async () => {
  const invited = { email: 'gerda@example.com', role: 'viewer', language: 'de' };
  await owner.ask('POST', `/${company}/invitations`, invited);
  expect(mailTo('gerda@example.com')).toMatch(/^Subject: Einladung zu Tradeloom\r$/m);
});

test('if the mail server refuses the invitation, the response says so and has a link to pass on', async () => {
  const invited = { email: 'refuse-recipient@example.com', role: 'viewer' };
  const { status, body } = await owner.ask('POST', `/${company}/invitations`, invited);
  expect([status, body.sent]).toEqual([201, false]);
  const token = new URL(body.url).searchParams.get('token')!;
  const join = { token, name: 'Ron', password: 'a long enough secret' };
  expect((await stranger(server).ask('POST', '/links/use', join)).status).toBe(200);
  expect(await server.rows('select proven_at from persons where email = $1', [invited.email])).toEqual([
    { proven_at: null },
  ]);
});

test('an invitation has no link of the inviter’s choice in it', async () => {
  const named = 'Olivia www.evil.example https://evil.example/win x@evil.example evil.example';
  await server.rows('update persons set name = $1 where id = $2', [named, owner.id]);
  await owner.ask('POST', `/${company}/invitations`, { email: 'mia@example.com', role: 'viewer' });
  const mail = mailTo('mia@example.com');
  expect(mail).toContain('Olivia invites you to work in Rowan & Thistle');
  expect(mail).not.toContain('evil.example');
});

test('an address gets at most three invitations a day from all inviters together', async () => {
  const other = (await server.company()).company_id;
  const stranger = await testPerson(server, { [other]: 'owner' });
  const invited = { email: 'wanted@example.com', role: 'viewer' };
  const statuses = [];
  for (let i = 0; i < 4; i++) {
    const [from, by] = i % 2 === 0 ? [company, owner] : ([other, stranger] as const);
    statuses.push((await by.ask('POST', `/${from}/invitations`, invited)).status);
  }
  expect(statuses).toEqual([201, 201, 201, 429]);
  expect(sink.stored.filter(({ to }) => to === 'wanted@example.com')).toHaveLength(3);
  server.clock.advance(86_400_000);
  const again = await testPerson(server, { [other]: 'owner' });
  expect((await again.ask('POST', `/${other}/invitations`, invited)).status).toBe(201);
  owner = await testPerson(server, { [company]: 'owner' });
});

test('a sign-in link is mailed and works once, and the response does not reveal whether the account exists', async () => {
  const email = `known-${company}@example.com`;
  await server.rows('update persons set email = $1 where id = $2', [email, owner.id]);
  expect((await stranger(server).ask('GET', '/session/ways')).body).toEqual({ mail: true });
  const known = await stranger(server).ask('POST', '/links', { email });
  const unknown = await stranger(server).ask('POST', '/links', { email: 'nobody@example.com' });
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  await expect.poll(() => mailTo(email)).toContain('token=');
  expect(mailTo('nobody@example.com')).toBe('');
  const token = tokenIn(mailTo(email));
  const browser = stranger(server);
  expect((await browser.ask('POST', '/links/use', { token })).body.person.id).toBe(owner.id);
  expect((await stranger(server).ask('POST', '/links/use', { token })).status).toBe(401);
});

test('three links an address in a quarter of an hour, whether it has an account or not', async () => {
  const statuses = [];
  for (let i = 0; i < 4; i++) {
    statuses.push((await stranger(server).ask('POST', '/links', { email: 'somebody@example.com' })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

describe('a forgotten password', () => {
  const PASSWORD = 'what was forgotten by now';
  const NEXT = 'what was chosen instead';
  let person: TestPerson;
  let email: string;

  beforeEach(async () => {
    owner = await testPerson(server, { [company]: 'owner' });
    person = await testPerson(server, { [company]: 'manager' });
    email = `forgetful-${person.id}@example.com`;
    await server.rows('update persons set email = $1, proven_at = now() where id = $2', [email, person.id]);
    await person.ask('POST', '/me/password', { password: PASSWORD });
    await expect.poll(() => mailTo(email)).toContain('Subject: Your password was changed');
  });

  const forget = (address: string) =>
    stranger(server).ask('POST', '/links', { email: address, purpose: 'reset_password' });

  async function mailedToken(): Promise<string> {
    await forget(email);
    await expect.poll(() => mailTo(email)).toContain('token=');
    return tokenIn(mailTo(email));
  }

  test('is replaced by a link that was mailed, once, and all sessions end', async () => {
    const token = await mailedToken();
    expect(mailTo(email)).toContain('If you did not ask for it, do nothing');
    const looked = await stranger(server).ask('POST', '/links/look', { token });
    expect(looked.body).toEqual({ kind: 'reset_password', email, company: null });
    const browser = stranger(server);
    expect((await browser.ask('POST', '/links/use', { token })).body.details[0].field).toBe('password');
    expect((await browser.ask('POST', '/links/use', { token, password: 'short' })).status).toBe(400);
    expect((await person.ask('GET', '/session')).status).toBe(200);
    expect((await browser.ask('POST', '/links/use', { token, password: NEXT })).status).toBe(200);
    expect((await person.ask('GET', '/session')).status).toBe(401);
    expect((await browser.ask('GET', '/session')).status).toBe(200);
    const again = await stranger(server).ask('POST', '/links/use', { token, password: NEXT });
    expect([again.status, again.body.error]).toEqual([401, 'invalid_link']);
    expect((await stranger(server).ask('POST', '/session', { email, password: PASSWORD })).status).toBe(401);
    expect((await stranger(server).ask('POST', '/session', { email, password: NEXT })).status).toBe(200);
    await expect.poll(() => mailTo(email)).toContain('Subject: Your password was changed');
    const { entries } = (await owner.ask('GET', `/${company}/audit`)).body;
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'person.forget_password', target: `person:${person.id}`, actor: 'public' }),
        expect.objectContaining({ action: 'person.password', target: `person:${person.id}` }),
      ]),
    );
  });

  test('leaves the authenticator app in force', async () => {
    await person.ask('POST', '/me/totp');
    await server.rows('update person_totp set confirmed_at = now() where person_id = $1', [person.id]);
    const token = await mailedToken();
    const browser = stranger(server);
    const refused = await browser.ask('POST', '/links/use', { token, password: NEXT });
    expect(refused.body.error).toBe('second_factor_required');
    const wrong = await browser.ask('POST', '/links/use', { token, password: NEXT, code: '000000' });
    expect(wrong.body.error).toBe('wrong_credentials');
    expect((await stranger(server).ask('GET', '/session')).status).toBe(401);
    expect(await server.rows('select 1 from person_totp where person_id = $1', [person.id])).toHaveLength(1);
  });

  test('is asked for with the same response and limits whether there is an account or not, and nothing stores the token', async () => {
    const unknown = `unknown-${person.id}@example.com`;
    const known = [];
    const other = [];
    for (let i = 0; i < 4; i++) {
      known.push(await forget(email));
      other.push(await forget(unknown));
    }
    const shown = (all: Awaited<ReturnType<typeof forget>>[]) => all.map(({ status, body }) => [status, body.error]);
    expect(shown(known)).toEqual(shown(other));
    expect(known.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    await expect.poll(() => mailTo(email)).toContain('token=');
    expect(mailTo(unknown)).toBe('');
    const token = tokenIn(mailTo(email));
    const rows = await server.rows<{ t: string }>('select s::text as t from admin_sign_ins s');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ t }) => t.includes(token))).toEqual([]);
    expect(await server.rows('select 1 from messages')).toEqual([]);
  });

  test('is no longer replaced after an hour', async () => {
    const token = await mailedToken();
    server.clock.advance(60 * 60_000);
    expect((await stranger(server).ask('POST', '/links/use', { token, password: NEXT })).status).toBe(401);
  });
});
