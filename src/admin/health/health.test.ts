import pino from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { beginSession } from '../../access/sessions.ts';
import type { Examination } from '../../doctor/examine.ts';
import { testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';
import type { HealthCheck, HealthReport } from './contract.ts';
import { createHealthService } from './service.ts';

const server = testServer();
const PATH = '/installation/health';
let operator: TestPerson;

beforeAll(async () => {
  operator = stranger(server);
  const visit = { address: '127.0.0.1', userAgent: 'test' };
  operator.cookie = `tradeloom=${await beginSession(server.app.db, { ...visit, personId: null, now: server.clock.now() })}`;
});

async function examined(): Promise<HealthReport> {
  expect((await operator.ask('POST', PATH)).body).toMatchObject({ running: true });
  await expect.poll(async () => (await operator.ask('GET', PATH)).body.running, { timeout: 60_000 }).toBe(false);
  return (await operator.ask('GET', PATH)).body;
}

test('the operator sees the findings of the doctor, errors first, with the fix for each', {
  timeout: 120_000,
}, async () => {
  expect((await operator.ask('GET', PATH)).body).toMatchObject({ running: false, finished_at: null, checks: [] });
  const { company_id: company } = await server.company();
  const good = await examined();
  expect(good.error).toBeNull();
  expect(good.checks.length).toBeGreaterThan(30);
  expect(good.checks.filter(({ status }) => status === 'wrong')).toEqual([]);
  expect(good.tables).toHaveLength(10);

  await server.rows(
    `insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'x', '{}', now() - interval '1 hour')`,
    [company],
  );
  await server.rows(`update company_secrets set ciphertext = 'x' where company_id = $1`, [company]);
  const [first, second] = (await examined()).checks as [HealthCheck, HealthCheck];
  expect(first).toMatchObject({ id: 'secrets', status: 'wrong', violations: 1, examples: [{ company_id: company }] });
  expect(first.fix).toContain('master key');
  expect(second).toMatchObject({ id: 'overdue', status: 'note' });
});

test('only owners of the installation can see it: the first owner can, an owner of one company cannot', async () => {
  const company = (await server.company()).company_id;
  const owner = await testPerson(server, { [company]: 'owner' });
  for (const method of ['GET', 'POST']) {
    expect((await owner.ask(method, PATH)).body.error).toBe('forbidden_role');
    expect((await stranger(server).ask(method, PATH)).status).toBe(401);
  }
  expect((await owner.ask('GET', '/session')).body.owns_installation).toBe(false);
  await server.rows('update persons set owns_all = true where id = $1', [owner.id]);
  expect((await owner.ask('GET', PATH)).status).toBe(200);
  expect((await owner.ask('GET', '/session')).body.owns_installation).toBe(true);
  expect((await operator.ask('GET', '/session')).body.owns_installation).toBe(true);
});

test('only one examination runs at a time; a failed one has a reason, and the previous report stays', async () => {
  const begun: ((result: Examination | Error) => void)[] = [];
  const makeService = () =>
    createHealthService({
      db: server.app.db,
      examine: () =>
        new Promise((resolve, reject) =>
          begun.push((result) => (result instanceof Error ? reject(result) : resolve(result))),
        ),
      machineClock: server.clock,
      log: pino({ level: 'silent' }),
    });
  const [one, other] = [makeService(), makeService()];
  const session = (await server.app.sessions.find(operator.cookie.split('=')[1]!))!;
  const ended = () => expect.poll(async () => (await one.read(session)).running).toBe(false);

  await Promise.all([one.begin(session), other.begin(session), one.begin(session)]);
  expect(begun).toHaveLength(1);
  const table = { table: 'orders', bytes: 8_192, rows: 1, dead_rows: 0 };
  begun[0]!({ checks: [], tables: [table] });
  await ended();

  await other.begin(session);
  begun[1]!(new Error('no connection'));
  await ended();
  expect(await one.read(session)).toMatchObject({ error: 'no connection', tables: [{ table: 'orders' }] });

  await one.begin(session);
  server.clock.advance(31 * 60_000);
  // Its process is gone.
  expect(await other.read(session)).toMatchObject({ running: false });
  await other.begin(session);
  expect(begun).toHaveLength(4);
});
