import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../access/audit.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import { FROM_THE_APP, stranger, type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer();
const PASSWORD = 'correct horse battery';
let shops: TestCompany[];
let person: TestPerson;

beforeAll(async () => {
  shops = [await server.company(), await server.company(), await server.company()];
  const [one, two, other] = shops as [TestCompany, TestCompany, TestCompany];
  await testPerson(server, { [other.company_id]: 'owner' });
  person = await testPerson(server, { [one.company_id]: 'owner', [two.company_id]: 'viewer' });
  const set = await person.ask('POST', '/me/password', { password: PASSWORD });
  expect(set.status, JSON.stringify(set.body)).toBe(200);
});

const signIns = () =>
  server.rows<TestBody>(
    "select company_id::int, actor, action, target, details from audit_log where action like 'person.sign%' order by company_id, id",
  );
const signIn = (email: string, password: string) => stranger(server).ask('POST', '/session', { email, password });

test('a sign-in is in the audit log of each company that the person belongs to', async () => {
  expect((await signIn(person.email, PASSWORD)).status).toBe(200);
  const entry = { actor: `admin:${person.id}`, action: 'person.sign_in', target: `person:${person.id}` };
  expect(await signIns()).toEqual([
    { company_id: shops[0]!.company_id, ...entry, details: { address: '127.0.0.1' } },
    { company_id: shops[1]!.company_id, ...entry, details: { address: '127.0.0.1' } },
  ]);
});

test('so is a failed one, after its response, and one to an unknown account nowhere', async () => {
  const before = (await signIns()).length;
  const responses = [await signIn('nobody@example.com', PASSWORD), await signIn(person.email, `${PASSWORD}!`)];
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [401, responses[1]!.body],
    [401, responses[0]!.body],
  ]);
  await expect.poll(async () => (await signIns()).length).toBe(before + 2);
  const failed = (await signIns()).filter(({ action }) => action === 'person.sign_in_failed');
  const entry = { actor: 'public', target: `person:${person.id}`, details: { address: '127.0.0.1' } };
  expect(failed).toMatchObject([
    { company_id: shops[0]!.company_id, ...entry },
    { company_id: shops[1]!.company_id, ...entry },
  ]);
  for (const { company_id } of shops) expect(await firstBrokenSeal(server.app.db, company_id)).toBeNull();
});

test('so is a wrong password that a signed-in person enters to confirm their identity', async () => {
  const wrong = await person.ask('POST', '/session/confirm', { password: `${PASSWORD}!` });
  expect(wrong.status).toBe(401);
  const confirmations = () =>
    server.rows("select target, details from audit_log where action = 'person.confirm_failed' order by company_id");
  const entry = { target: `person:${person.id}`, details: { address: '127.0.0.1' } };
  await expect.poll(confirmations).toEqual([entry, entry]);
});

test('a failed sign-in is recorded when its client does not wait for the response', async () => {
  const before = (await signIns()).length;
  // Its attempt waits to be counted until the client has gone.
  const blocker = new pg.Client(server.connection);
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from sign_in_attempts for update');
  const gone = new AbortController();
  const response = fetch(`${server.origin}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...FROM_THE_APP },
    body: JSON.stringify({ email: person.email, password: `${PASSWORD}!` }),
    signal: gone.signal,
  });
  await expect.poll(() => server.lockWaits('transactionid', 'tuple')).toBeGreaterThan(0);
  gone.abort();
  await expect(response).rejects.toThrow('aborted');
  await sleep(100);
  await blocker.query('rollback');
  await blocker.end();
  await expect.poll(async () => (await signIns()).length).toBe(before + 2);
});

test('a failed sign-in is refused alike while the audit log cannot be written', async () => {
  await server.rows(`
    create function refuse_entry() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$;
    create trigger refuse_entries before insert on audit_log for each row execute function refuse_entry()`);
  try {
    expect((await signIn(person.email, `${PASSWORD}!`)).status).toBe(401);
    expect((await signIn(person.email, PASSWORD)).status).toBe(500);
  } finally {
    await server.rows('drop trigger refuse_entries on audit_log');
  }
});

test('the page of the audit log shows sign-ins', async () => {
  const owner = await testPerson(server, { [shops[0]!.company_id]: 'owner' });
  const { entries } = (await owner.ask('GET', `/${shops[0]!.company_id}/audit?action=person.sign_in`)).body;
  expect(entries.map((one: TestBody) => one.action)).toEqual(
    expect.arrayContaining(['person.sign_in', 'person.sign_in_failed']),
  );
});
