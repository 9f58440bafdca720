import { afterAll, beforeAll, expect, test } from 'vitest';
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
  expect([body.sent, body.url]).toEqual([true, null]);
  const mail = mailTo('max@example.com');
  expect(mail).toContain('Rowan & Thistle');
  expect(mail).toMatch(/^Subject: Invitation to Tradeloom\r$/m);
  expect(mail).toMatch(/^From: Tradeloom <admin@shops.example>\r$/m);
  const join = { token: tokenIn(mail), name: 'Max', password: 'a long enough secret' };
  expect((await stranger(server).ask('POST', '/links/use', join)).body.person.email).toBe('max@example.com');
  expect(await server.rows('select 1 from messages')).toEqual([]);
});

test('if the mail server refuses the invitation, the response says so and has no link', async () => {
  const invited = { email: 'refuse-recipient@example.com', role: 'viewer' };
  const { status, body } = await owner.ask('POST', `/${company}/invitations`, invited);
  expect([status, body.sent, body.url]).toEqual([201, false, null]);
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
