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

test('changes of kept totals that have gathered are folded by short statements, and the totals stay what they are', async () => {
  const list = 'purge-test';
  await server.rows(
    `insert into list_count_deltas (company_id, list, bucket, day, facet, n)
     select $1, $2, n, '2000-01-01', '', 1 from generate_series(1, 120000) n`,
    [shop.company_id, list],
  );
  const total = async () => {
    const [row] = await server.rows<{ n: number; open: number }>(
      `select (select coalesce(sum(n), 0) from list_counts where list = $1)::int as n,
         (select count(*) from list_count_deltas where list = $1)::int as open`,
      [list],
    );
    return row!;
  };
  const [first] = await server.rows<{ n: number }>('select fold_list_counts(50000)::int as n');
  expect(first!.n).toBe(50_000);
  const chores = newChores();
  for (let turn = 0; turn < 20 && (await total()).open > 0; turn++) await chores.runOnce();
  expect(await total()).toEqual({ n: 120_000, open: 0 });
});

test('kept totals that came to nothing are removed, and those that go on from nothing are right', async () => {
  const list = 'emptied-test';
  const change = (n: number) =>
    server.rows(
      `insert into list_count_deltas (company_id, list, bucket, day, facet, n)
       select $1, $2, b, '2000-01-01', '', $3 from generate_series(1, 3) b`,
      [shop.company_id, list, n],
    );
  const kept = () => server.rows('select bucket::int, n::int from list_counts where list = $1 order by 1', [list]);
  const of = (n: number) => [1, 2, 3].map((bucket) => ({ bucket, n }));
  await change(5);
  await server.rows('select fold_list_counts()');
  expect(await kept()).toEqual(of(5));
  await change(-5);
  await server.rows('select fold_list_counts()');
  expect(await kept()).toEqual([]);
  await change(2);
  await change(-2);
  await server.rows('select fold_list_counts()');
  expect(await kept()).toEqual([]);
  await change(3);
  await server.rows('select fold_list_counts()');
  expect(await kept()).toEqual(of(3));
});
