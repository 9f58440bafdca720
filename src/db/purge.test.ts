import { beforeAll, describe, expect, test } from 'vitest';
import { createWorkers } from '../jobs.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';
import { rawSql } from './sql.ts';

const server = testServer();
const ROWS = 5_000;
/** What one statement removes at most. */
const SLICE = 1_000;
const DAY = 86_400_000;
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
  await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
});
/** As of a process that has just begun: everything is due. */
const newChores = () => createWorkers(server.app).find(({ name }) => name === 'chores')!;

/** Rows of each table that are purged by age: `n` of them, of the moment. */
const TABLES: Record<string, { column: string; days: number; insert: string }> = {
  idempotency_keys: {
    column: 'created_at',
    days: 1,
    insert: `insert into idempotency_keys (company_id, key, request_hash, status, body, created_at)
      select $1, gen_random_uuid(), '', 200, repeat('x', 1000), $2 from generate_series(1, $3::int) n`,
  },
  bounce_notifications: {
    column: 'received_at',
    days: 4,
    insert: `insert into bounce_notifications (company_id, key, received_at)
      select $1, decode(md5(random()::text), 'hex'), $2::timestamptz + n * interval '1 ms' from generate_series(1, $3::int) n`,
  },
  mailbox_messages: {
    column: 'created_at',
    days: 90,
    insert: `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
      select $1, n + extract(epoch from $2::timestamptz)::bigint, 'email', 'shop@example.com', 'ann@example.com', $2
      from generate_series(1, $3::int) n`,
  },
  webhook_deliveries: {
    column: 'finished_at',
    days: 30,
    insert: `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, status, due_at, give_up_at, finished_at, created_at)
      select $1, (select id from webhook_endpoints limit 1), gen_random_uuid(), 'x', 'x', '{}', 'delivered', $2, $2, $2::timestamptz + n * interval '1 ms', $2 from generate_series(1, $3::int) n`,
  },
};

describe.each(Object.entries(TABLES))('%s past their time', (table, { column, days, insert }) => {
  const add = (age: number, n: number) =>
    server.rows(insert, [shop.company_id, new Date(server.clock.now().getTime() - age), n]);
  const left = () => server.rows<{ at: Date }>(`select ${column} as at from ${table}`);

  test('are removed by short statements, the others kept', async () => {
    await add(days * DAY + 3_600_000, ROWS);
    await add(60_000, 7);
    // Another process has one of them.
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
