import { expect, test } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { health } from './health.ts';
import { findTableSizes } from './health-queries.ts';

const server = testServer();
const finding = async (id: string) => (await health(server.app.db)).find((one) => one.id === id)!;

test('a month of events without a partition is named, and no longer once it is made', async () => {
  expect(await finding('partitions')).toMatchObject({ ok: true, examples: [] });
  const ahead =
    'insert into installation (clock_offset_ms) values ($1) on conflict (one) do update set clock_offset_ms = $1';
  await server.rows(ahead, [400 * 86_400_000]);
  const missing = await finding('partitions');
  expect(missing.examples).toHaveLength(3);
  expect(missing.fix).toContain('worker');
  await server.rows("select ensure_event_partitions((now() + interval '400 days')::date, 3)");
  expect(await finding('partitions')).toMatchObject({ examples: [], fix: null });
  await server.rows(ahead, [0]);
});

test('stalled work of each kind is reported with its company and since when; work that is not due is not', async () => {
  const { company_id: company } = await server.company();
  expect(await finding('overdue')).toMatchObject({ examples: [] });
  await server.rows(
    `insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'x', '{}', now() - interval '1 hour')`,
    [company],
  );
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, created_at)
     values ($1, 'late', 'email', true, 0, now() - interval '2 hours', 'system', now()), ($1, 'later', 'email', true, 1, now() + interval '1 day', 'system', now())`,
    [company],
  );
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, listens, state, due_at, entered_at)
     values ($1, 1, 1, 1, 0, '{}', '{}', now() - interval '5 minutes', now())`,
    [company],
  );
  const { examples } = await finding('overdue');
  expect(examples.map(({ company_id, subject }) => [company_id, subject.split(',')[0]])).toEqual([
    [company, 'messages'],
    [company, 'events of the shop'],
  ]);
});

test('abandoned imports, bulk actions and removals are reported after the usual time of each', async () => {
  const { company_id: company } = await server.company();
  await server.rows(
    `insert into imports (company_id, format, file_name, status, actor, created_at, lease_until)
     values ($1, 'csv', 'a', 'running', 'x', now() - interval '3 hours', null), ($1, 'csv', 'held', 'running', 'x', now() - interval '9 hours', now() + interval '1 minute')`,
    [company],
  );
  await server.rows(
    `insert into bulk_actions (company_id, action, filters, status, upto, total, actor, created_at, lease_until)
     values ($1, 'ship_orders', '{}', 'running', 1, 1, 'x', now() - interval '9 hours', now() - interval '2 hours')`,
    [company],
  );
  await server.rows(
    `insert into retention_progress (company_id, kind, next_at) values ($1, 'mailbox', now() - interval '25 hours'), ($1, 'events', now() - interval '2 hours')`,
    [company],
  );
  const { examples } = await finding('overdue');
  const own = examples.filter((one) => one.company_id === company).map(({ subject }) => subject.split(',')[0]);
  expect(own).toEqual(['imports', 'bulk actions', 'removals of old data']);
});

test('sizes are those of tables with all their partitions', async () => {
  const sizes = await findTableSizes(server.app.db);
  expect(sizes.filter(({ table }) => table.startsWith('events'))).toHaveLength(1);
  expect(sizes.find(({ table }) => table === 'events')!.bytes).toBeGreaterThan(0);
  expect(sizes.map(({ bytes }) => bytes)).toEqual(sizes.map(({ bytes }) => bytes).toSorted((a, b) => b - a));
});

test('a month whose events are stored without a partition is not reported: the worker does not create one for it any more', async () => {
  const shop = await server.company();
  const ahead = 800 * 86_400_000;
  const day = new Date(Date.now() + ahead);
  const setAhead = (ms: number) => server.rows('update installation set clock_offset_ms = $1', [ms]);
  const before = server.clock.now();
  server.clock.set(day);
  const event = { event_type: 'order_completed', event_data: { order_id: '1', email: 'a@example.com' } };
  expect((await shop.marketing('POST', '/events', event)).status).toBe(201);
  server.clock.set(before);
  await setAhead(ahead);
  expect((await finding('partitions')).examples).toHaveLength(2);
  await server.rows('select ensure_event_partitions($1::date, 3)', [day.toISOString().slice(0, 10)]);
  expect(await finding('partitions')).toMatchObject({ examples: [], fix: null });
  await setAhead(0);
});
