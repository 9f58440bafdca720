import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { rounds } from '../testing/random/seed.ts';
import type { Queryable } from './pool.ts';
import { sql } from './sql.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

interface Delta {
  counter: string;
  day: string;
  key: string;
  n: number;
}

const append = (deltas: Delta[]): Promise<unknown> =>
  server.rows(
    `insert into counter_deltas (company_id, counter, day, key, n)
     select $1, d.* from json_to_recordset($2::json) as d (counter text, day date, key text, n bigint)`,
    [shop.company_id, JSON.stringify(deltas)],
  );

/** What readers see of the test's counters, and how much of it is folded. */
async function current(): Promise<{ sums: Map<string, number>; totals: number; zeros: number; deltas: number }> {
  const rows = await server.rows<Record<'counter' | 'day' | 'key', string> & { n: number }>(
    `select counter, day::text, key, sum(n)::int as n from counters
     where company_id = $1 and counter like 'test%' group by 1, 2, 3 having sum(n) <> 0`,
    [shop.company_id],
  );
  const [folded] = await server.rows<{ totals: number; zeros: number; deltas: number }>(
    `select count(*)::int as totals, (count(*) filter (where n = 0))::int as zeros,
       (select count(*)::int from counter_deltas where company_id = $1 and counter like 'test%') as deltas
     from counter_totals where company_id = $1 and counter like 'test%'`,
    [shop.company_id],
  );
  return { sums: new Map(rows.map(({ counter, day, key, n }) => [`${counter} ${day} ${key}`, n])), ...folded! };
}

const deltas = fc.array(
  fc.record({
    counter: fc.constantFrom('test', 'test:1', 'test:10'),
    day: fc.constantFrom('2000-01-01', '2026-01-31'),
    key: fc.constantFrom('', 'a', 'b:c'),
    n: fc.integer({ min: -2, max: 2 }),
  }),
  { maxLength: 12 },
);

test('a counter is the sum of its deltas, whatever is folded by whoever folds at the same time', async () => {
  const sums = new Map<string, number>();
  const pools = [server.app.db, server.app.db.chores];
  await fc.assert(
    fc.asyncProperty(fc.array(deltas, { maxLength: 4 }), fc.integer({ min: 1, max: 6 }), async (writes, atMost) => {
      for (const write of writes) {
        for (const { counter, day, key, n } of write) {
          const name = `${counter} ${day} ${key}`;
          sums.set(name, (sums.get(name) ?? 0) + n);
        }
      }
      const fold = (db: Queryable) => db.query(sql`select fold_deltas('counter', ${atMost})`);
      await Promise.all([...writes.map(append), ...pools.map(fold), ...pools.map(fold)]);
      const expected = new Map([...sums].filter(([, n]) => n !== 0));
      expect((await current()).sums).toEqual(expected);
      await server.rows("select fold_deltas('counter')");
      expect(await current()).toEqual({ sums: expected, totals: expected.size, zeros: 0, deltas: 0 });
    }),
    { numRuns: rounds(30, 150) },
  );
});

test('a fold that is undone loses nothing, and one at a time works on a table', async () => {
  await append([{ counter: 'test-undone', day: '2000-01-01', key: '', n: 3 }]);
  const before = await current();
  const undone = server.app.db.tx(async (tx) => {
    await tx.query(sql`select fold_deltas('counter')`);
    const [other] = await server.rows<{ folded: number }>("select fold_deltas('counter')::int as folded");
    expect(other!.folded).toBe(0);
    throw new Error('stop');
  });
  await expect(undone).rejects.toThrow('stop');
  expect(await current()).toEqual(before);
});

test('sales are folded by the same function', async () => {
  const { company_id: company } = await server.company();
  await server.rows(
    `insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
     values ($1, '2026-01-01', 1, 0, 500, 0), ($1, '2026-01-01', 1, 1, 0, 1), ($1, '2026-01-02', 1, 0, 100, 0), ($1, '2026-01-02', -1, 0, -100, 0)`,
    [company],
  );
  await server.rows("select fold_deltas('sales')");
  const totals = await server.rows(
    'select placed::int, cancelled::int, revenue::int, returning_orders::int from sales_totals where company_id = $1',
    [company],
  );
  expect(totals).toEqual([{ placed: 2, cancelled: 1, revenue: 500, returning_orders: 1 }]);
  expect(await server.rows('select from sales_deltas where company_id = $1', [company])).toEqual([]);
});

test('the totals of deliveries and runs follow their rows', async () => {
  const { company_id: company } = shop;
  const { body } = await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
  const path = `/webhook-endpoints/${body.endpoint_id}/deliveries`;
  const { flow_id: flow } = (await shop.marketing('POST', '/flows', { name: 'F', trigger_type: 'order_placed' })).body;
  const { flow_id: busy } = (await shop.marketing('POST', '/flows', { name: 'B', trigger_type: 'order_placed' })).body;
  await server.rows(
    `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
     select $1, $2, 'm' || n, 'x', 'x', '{}', now() + interval '1 day', now() + interval '1 day', now() from generate_series(1, 9000) n`,
    [company, body.endpoint_id],
  );
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
     select $1, $2, 1, n, 0, 'completed', '{}', '{}', now(), now() from generate_series(1, 9000) n`,
    [company, flow],
  );
  const totals = async (query = ''): Promise<number> =>
    (await shop.marketing('GET', `${path}?per_page=1${query}`)).body.pagination!.total;
  expect([await totals(), await totals('&status=failed')]).toEqual([9_000, 0]);
  await server.rows(
    "update webhook_deliveries set status = 'failed', finished_at = now() where company_id = $1 and id % 9 = 0",
    [company],
  );
  // Of twice as many runs, every fourth waits, and every fourth came due while the flow was paused.
  await server.rows(
    `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, due_at, entered_at)
     select $1, $2, 1, n, 0, 'active', '{}', '{}', now() + interval '1 day', now() from generate_series(1, 18000) n`,
    [company, busy],
  );
  for (const [status, quarter] of [
    ['paused', 1],
    ['completed', 2],
    ['exited', 3],
  ])
    await server.rows(
      'update flow_runs set status = $3 where company_id = $1 and flow_id = $2 and contact_id % 4 = $4',
      [company, busy, status, quarter],
    );
  await server.rows("select fold_deltas('counter')");
  expect([await totals('&status=failed'), await totals('&status=pending')]).toEqual([1_000, 8_000]);
  await server.rows('delete from webhook_deliveries where company_id = $1 and id % 9 = 0', [company]);
  await server.rows('delete from flow_runs where company_id = $1 and id % 9 = 0', [company]);
  expect([await totals(), await totals('&status=failed')]).toEqual([8_000, 0]);

  // Every page by its number equals the records that follow the record before.
  for (const [list, rows, id] of [
    [path, 'deliveries', 'delivery_id'],
    [`/flows/${flow}/runs`, 'runs', 'run_id'],
    [`/flows/${flow}/runs?status=completed`, 'runs', 'run_id'],
    [`/flows/${busy}/runs?status=active`, 'runs', 'run_id'],
  ] as const) {
    const idsOf = async (query: string): Promise<number[]> =>
      (await shop.marketing('GET', `${list}${list.includes('?') ? '&' : '?'}per_page=100${query}`)).body[rows].map(
        (row: Record<string, number>) => row[id],
      );
    let before = '';
    for (const page of [1, 2, 3, 40, 41, 79, 80]) {
      const ids = await idsOf(`&page=${page}`);
      expect(ids).toHaveLength(100);
      if (before !== '' && page < 4) expect(await idsOf(before)).toEqual(ids);
      before = `&before=${ids.at(-1)}`;
    }
    expect(await idsOf('&page=81')).toEqual([]);
    expect(await idsOf(before)).toEqual([]);
  }
  await holds();
});

/** The counters equal the counts. */
async function holds(): Promise<void> {
  const checked = await checkInvariants(server.app.db);
  expect(checked.filter(({ id, ok }) => id.startsWith('lists.') && !ok)).toEqual([]);
}

test.each([
  ['lists.audit', 'audit_log'],
  ['lists.suppressions', 'suppressions'],
])('%s goes red when a row is damaged', async (id, counter) => {
  await server.rows('insert into counter_deltas (company_id, counter, n) values ($1, $2, 1)', [
    shop.company_id,
    counter,
  ]);
  const finding = (await checkInvariants(server.app.db)).find((one) => one.id === id);
  expect(finding).toMatchObject({ ok: false });
  expect(finding!.examples.map(({ company_id }) => company_id)).toEqual([shop.company_id]);
  await server.rows('delete from counter_deltas where company_id = $1 and counter = $2', [shop.company_id, counter]);
});
