import { describe, expect, test } from 'vitest';
import { issueLink, issueSignIn } from '../../access/sessions.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, testPerson } from '../../testing/people.ts';
import { setRole } from './queries.ts';
import { createAdmin, resetAdmin } from './service.ts';

const server = testServer({ impatient: true, config: { trustedProxies: ['127.0.0.1'] } });
const PASSWORD = 'a long enough secret';
let serial = 0;

const operatorLink = () => issueSignIn(server.app.db, server.clock.now());

/** A person with a password who is not signed in anywhere. */
async function personWithPassword() {
  const email = `someone-${++serial}@example.com`;
  const hash = await server.app.passwords.hash(0, PASSWORD);
  const [row] = await server.rows<{ id: string }>(
    'insert into persons (email, name, password_hash, created_at) values ($1, $2, $3, $4) returning id',
    [email, 'Someone', hash, server.clock.now()],
  );
  return { id: Number(row!.id), email };
}

const from = (address: string) => ({ 'x-forwarded-for': address });

describe('the first link', () => {
  test('makes the owner of all companies, once', async () => {
    const shops = [await server.company(), await server.company()];
    const token = await operatorLink();
    const second = await operatorLink();
    const browser = stranger(server);
    expect((await browser.ask('POST', '/links/look', { token })).body).toMatchObject({ kind: 'owner_setup' });
    const given = { token, email: 'Ada@Example.com', name: 'Ada' };
    const short = await browser.ask('POST', '/links/use', { ...given, password: 'short' });
    expect([short.status, short.body.details[0].field]).toEqual([400, 'password']);
    const made = await browser.ask('POST', '/links/use', { ...given, password: PASSWORD });
    expect(made.status).toBe(200);
    expect(made.body.person).toMatchObject({ email: 'ada@example.com', name: 'Ada', has_password: true });
    expect(made.body.companies.map(({ id, role }: { id: number; role: string }) => [id, role])).toEqual(
      shops.map((shop) => [shop.company_id, 'owner']),
    );
    expect((await browser.ask('GET', '/session')).body.person).toEqual(made.body.person);
    expect((await stranger(server).ask('POST', '/links/use', { token })).status).toBe(401);

    const late = stranger(server);
    expect((await late.ask('POST', '/links/look', { token: second })).body.kind).toBe('operator');
    const refused = await late.ask('POST', '/links/use', { ...given, token: second, password: PASSWORD });
    expect([refused.status, refused.body.error]).toEqual([400, 'duplicate']);
    const operator = await late.ask('POST', '/links/use', { token: second });
    expect(operator.body.person).toMatchObject({ id: null, name: 'Operator' });
    expect(operator.body.companies).toHaveLength(2);

    const signedIn = await stranger(server).ask('POST', '/session', { email: 'ada@example.com', password: PASSWORD });
    expect(signedIn.status).toBe(200);
  });
});

describe('signing in', () => {
  test('needs the right password, and tells nothing of accounts that exist', async () => {
    const { email } = await personWithPassword();
    const wrong = await stranger(server).ask('POST', '/session', { email, password: 'not the right secret' });
    const unknown = await stranger(server).ask('POST', '/session', { email: 'nobody@example.com', password: PASSWORD });
    expect([wrong.status, wrong.body.error]).toEqual([401, 'wrong_credentials']);
    expect(unknown.body).toEqual(wrong.body);
    const browser = stranger(server);
    const right = await browser.ask('POST', '/session', { email: email.toUpperCase(), password: PASSWORD });
    expect(right.status).toBe(200);
    expect(right.headers.get('set-cookie')).toMatch(
      /^tradeloom=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(right.body)).not.toContain(browser.cookie.split('=')[1]);
  });

  test('gives a new session and ends the one before', async () => {
    const { email } = await personWithPassword();
    const browser = stranger(server);
    await browser.ask('POST', '/session', { email, password: PASSWORD });
    const before = browser.cookie;
    await browser.ask('POST', '/session', { email, password: PASSWORD });
    expect(browser.cookie).not.toBe(before);
    const old = stranger(server);
    old.cookie = before;
    expect((await old.ask('GET', '/session')).status).toBe(401);
  });

  test('ten wrong passwords close the account to strangers, and not to its owner at home', async () => {
    const { email } = await personWithPassword();
    const ask = (address: string, password: string) =>
      stranger(server).ask('POST', '/session', { email, password }, from(address));
    expect((await ask('203.0.113.1', PASSWORD)).status).toBe(200);
    const guesses = [];
    for (let i = 0; i < 11; i++) guesses.push((await ask(`198.51.100.${i}`, `a wrong guess number ${i}`)).status);
    expect(guesses).toEqual([...Array(10).fill(401), 429]);
    expect((await ask('198.51.100.99', PASSWORD)).status).toBe(429);
    expect((await ask('203.0.113.1', PASSWORD)).status).toBe(200);
    server.clock.advance(15 * 60_000);
    expect((await ask('198.51.100.99', PASSWORD)).status).toBe(200);
  });

  test('guesses at many accounts close the network that they come from', async () => {
    const statuses = [];
    for (let i = 0; i < 31; i++) {
      const given = { email: `guess-${i}@example.com`, password: PASSWORD };
      statuses.push((await stranger(server).ask('POST', '/session', given, from('192.0.2.77'))).status);
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
    server.clock.advance(61_000);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['a form, without the header of the app', { 'x-tradeloom-admin': '' }],
  ])('is refused to %s', async (_name, headers) => {
    const { email } = await personWithPassword();
    const response = await stranger(server).ask('POST', '/session', { email, password: PASSWORD }, headers);
    expect(response.status).toBe(400);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('is refused as a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await stranger(server).ask('POST', '/session', undefined, headers)).status).toBe(400);
  });
});

describe('a session', () => {
  test('ends by signing out', async () => {
    const person = await testPerson(server, {});
    const { cookie } = person;
    const out = await person.ask('DELETE', '/session');
    expect([out.status, out.headers.get('clear-site-data')]).toEqual([200, '"cache", "storage"']);
    person.cookie = cookie;
    expect((await person.ask('GET', '/session')).body.error).toBe('missing_session');
  });

  test('is listed with its device and address and can be ended, only by its own person', async () => {
    const { email } = await personWithPassword();
    const [first, second] = [stranger(server), stranger(server)];
    for (const browser of [first, second]) await browser.ask('POST', '/session', { email, password: PASSWORD });
    const { sessions } = (await first.ask('GET', '/me/sessions')).body;
    expect(sessions.map(({ current }: { current: boolean }) => current).sort()).toEqual([false, true]);
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    const foreign = await testPerson(server, {});
    expect((await foreign.ask('DELETE', `/me/sessions/${other.id}`)).status).toBe(404);
    expect((await first.ask('DELETE', `/me/sessions/${other.id}`)).status).toBe(200);
    expect((await second.ask('GET', '/session')).status).toBe(401);
    expect((await first.ask('GET', '/session')).status).toBe(200);
  });
});

describe('accounts made at the terminal', () => {
  test.each(['owner', 'viewer'] as const)('lock the logs of all companies in ascending order (%s)', async (role) => {
    const [first] = [await server.company(), await server.company()];
    // Moves the row of the first company behind that of the second.
    await server.rows('update companies set name = name where company_id = $1', [first.company_id]);
    const { id: personId } = await personWithPassword();
    const ids = await server.app.db.tx((tx) =>
      setRole(tx, { personId, companyId: null, role, now: server.clock.now() }),
    );
    expect(ids.length).toBeGreaterThan(1);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('own the companies that come later as well, and lose everything by a reset', async () => {
    const now = server.clock.now();
    const email = 'terminal@example.com';
    const made = await createAdmin(server.app.db, { email, name: 'Terminal', role: 'owner', companyId: null, now });
    const browser = stranger(server);
    expect((await browser.ask('POST', '/links/use', { token: made.token })).body.details[0].field).toBe('password');
    expect((await browser.ask('POST', '/links/use', { token: made.token, password: PASSWORD })).status).toBe(200);
    const later = await server.company();
    expect((await browser.ask('GET', `/${later.company_id}/products`)).status).toBe(200);
    const reset = await resetAdmin(server.app.db, email, now);
    expect(reset.sessions).toBe(1);
    expect((await browser.ask('GET', '/session')).status).toBe(401);
    expect((await stranger(server).ask('POST', '/session', { email, password: PASSWORD })).status).toBe(401);
  });

  test('are added to another company; an unproven account starts again', async () => {
    const now = server.clock.now();
    const [first, second, third] = [await server.company(), await server.company(), await server.company()];
    const email = 'consultant@example.com';
    const add = (companyId: number | null) =>
      createAdmin(server.app.db, { email, name: 'Consultant', role: 'viewer', companyId, now });
    const made = await add(first.company_id);
    const early = stranger(server);
    await early.ask('POST', '/links/use', { token: made.token, password: PASSWORD });
    const added = await add(second.company_id);
    expect((await early.ask('GET', '/session')).status).toBe(401);
    const browser = stranger(server);
    const used = await browser.ask('POST', '/links/use', { token: added.token, password: PASSWORD });
    expect(used.body.companies).toHaveLength(2);
    await server.rows('update persons set proven_at = now() where id = $1', [added.id]);
    expect((await add(third.company_id)).token).toBeNull();
    expect((await browser.ask('GET', '/session')).body.companies).toHaveLength(3);
    await expect(add(third.company_id)).rejects.toThrow('already');
    await expect(add(null)).rejects.toThrow('already');
  });

  test('are not opened by the page for the operator', async () => {
    const { id } = await personWithPassword();
    const token = await issueLink(server.app.db, { kind: 'set_password', personId: id, now: server.clock.now() });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    expect((await server.request('POST', '/admin/sign-in', { raw: `token=${token}`, headers })).status).toBe(401);
    const password = 'a long enough secret too';
    expect((await stranger(server).ask('POST', '/links/use', { token, password })).status).toBe(200);
  });
});

describe('the own account', () => {
  test('is read and changed', async () => {
    const person = await testPerson(server, {});
    const changed = await person.ask('PATCH', '/me', { language: 'de', theme: 'dark' });
    expect(changed.body).toMatchObject({ language: 'de', theme: 'dark', has_password: false });
    expect((await person.ask('GET', '/me')).body).toEqual(changed.body);
  });

  test('gets another password only after a recent proof, which ends the other sessions', async () => {
    const { email } = await personWithPassword();
    const [first, second] = [stranger(server), stranger(server)];
    for (const browser of [first, second]) await browser.ask('POST', '/session', { email, password: PASSWORD });
    server.clock.advance(15 * 60_000);
    const password = 'another long secret';
    const early = await first.ask('POST', '/me/password', { password });
    expect([early.status, early.body.error]).toEqual([403, 'confirmation_required']);
    expect((await first.ask('POST', '/session/confirm', { password: 'a wrong guess' })).status).toBe(401);
    expect((await first.ask('POST', '/session/confirm', { password: PASSWORD })).status).toBe(200);
    expect((await first.ask('POST', '/me/password', { password: 'tradeloom-tradeloom' })).status).toBe(400);
    expect((await first.ask('POST', '/me/password', { password })).status).toBe(200);
    expect((await second.ask('GET', '/session')).status).toBe(401);
    expect((await first.ask('GET', '/session')).status).toBe(200);
    expect((await stranger(server).ask('POST', '/session', { email, password })).status).toBe(200);
  });

  test('gets a password by a link from the terminal', async () => {
    const { id, email } = await personWithPassword();
    const token = await issueLink(server.app.db, { kind: 'set_password', personId: id, now: server.clock.now() });
    const browser = stranger(server);
    expect((await browser.ask('POST', '/links/look', { token })).body).toMatchObject({ kind: 'set_password', email });
    const password = 'yet another long secret';
    expect((await browser.ask('POST', '/links/use', { token, password })).status).toBe(200);
    expect((await stranger(server).ask('POST', '/session', { email, password })).status).toBe(200);
  });
});
