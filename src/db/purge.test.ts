import { beforeAll, describe, expect, test } from 'vitest';
import { createWorkers } from '../jobs.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';
import { rawSql } from './sql.ts';

const server = testServer();
const ROWS = 5_000;
/** How many rows one statement removes at most. */
const SLICE = 1_000;
const DAY = 86_400_000;
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});
/** Like a process that has just started: every chore is due. */
const newChores = () => createWorkers(server.app).find(({ name }) => name === 'chores')!;

/** Tables whose rows are purged by age, with a statement that inserts `n` rows of that time. */
const TABLES: Record<string, { column: string; days: number; insert: string }> = {
  idempotency_keys: {
    column: 'created_at',
    days: 1,
    insert: `insert into idempotency_keys (company_id, sent_by, key, request_hash, status, body, created_at)
      select $1, 1, gen_random_uuid(), '', 200, repeat('x', 1000), $2 from generate_series(1, $3::int) n`,
  },
  bounce_notifications: {
    column: 'received_at',
    days: 4,
    insert: `insert into bounce_notifications (company_id, key, received_at)
      select $1, decode(md5(random()::text), 'hex'), $2::timestamptz + n * interval '1 ms' from generate_series(1, $3::int) n`,
  },
};

describe.each(Object.entries(TABLES))('%s past their time', (table, { column, days, insert }) => {
  const add = (age: number, n: number) =>
    server.rows(insert, [shop.company_id, new Date(server.clock.now().getTime() - age), n]);
  const left = () => server.rows<{ at: Date }>(`select ${column} as at from ${table}`);

  test('are removed by short statements, the others kept', async () => {
    await add(days * DAY + 3_600_000, ROWS);
    await add(60_000, 7);
    // Another process has locked one of them.
    const sent = await server.app.db.tx(async (tx) => {
      await tx.query(rawSql(`select 1 from ${table} order by ${column} limit 1 for update`));
      const chores = newChores();
      return recordStatements(async () => {
        for (let turn = 0; turn < 20 && (await left()).length > 8; turn++) await chores.runOnce();
      });
    });
    expect(await left()).toHaveLength(8);
    const deletes = sent.filter(({ text }) => text.includes(`delete from ${table}`));
    expect(deletes.length).toBeGreaterThanOrEqual(ROWS / SLICE);
  });
});

test('deltas that have gathered are folded by short statements, and counters keep their values', async () => {
  await server.rows(
    "insert into counter_deltas (company_id, counter, n) select $1, 'purge-test:' || n % 5, 1 from generate_series(1, 120000) n",
    [shop.company_id],
  );
  const current = async () => {
    const [row] = await server.rows<{ n: number; open: number }>(
      `select (select sum(n) from counters where counter like 'purge-test:%')::int as n,
         (select count(*) from counter_deltas where counter like 'purge-test:%')::int as open`,
    );
    return row!;
  };
  const [first] = await server.rows<{ n: number }>("select fold_deltas('counter', 50000)::int as n");
  expect([first!.n, (await current()).n]).toEqual([50_000, 120_000]);
  const chores = newChores();
  for (let turn = 0; turn < 20 && (await current()).open > 0; turn++) await chores.runOnce();
  expect(await current()).toEqual({ n: 120_000, open: 0 });
});
