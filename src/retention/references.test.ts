import { beforeAll, expect, test } from 'vitest';
import type { ReferenceRule } from '../db/table.ts';
import { TABLES } from '../tables.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { removeOld } from './testing.ts';

/** Rules of the columns that identify other records, from the declarations of the tables. */
const RULES: Readonly<Record<string, ReferenceRule>> = Object.fromEntries(
  TABLES.flatMap(({ name, references = {} }) =>
    Object.entries(references).map(([column, rule]) => [`${name}.${column}`, rule]),
  ),
);

const server = testServer();
let shop: TestCompany;
const OLD = '2024-03-05T10:00:00Z';

beforeAll(async () => {
  server.clock.set(OLD);
  shop = await server.company();
});

test('every column that names a message, run, event, contact, customer or order has a rule', async () => {
  const columns = await server.rows<{ name: string }>(
    `select c.relname || '.' || a.attname as name
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and not a.attisdropped and a.attname ~ '^(message|run|event|contact|customer|order)_ids?$'`,
  );
  expect(columns.map(({ name }) => name).sort()).toEqual(Object.keys(RULES).sort());
});

/** An old row for each column with the rule `goes`, with the ids of a message and a run that ended. */
const ROWS: Record<string, string> = {
  message_activity: `(company_id, message_id, type, created_at) select $1, $2::bigint, 'opened', $4::timestamptz where $3::bigint > 0`,
  message_coupons: `(company_id, message_id, template_id, code) select $1, $2::bigint, t, 'CODE-' || t from generate_series(1, 120) t where $3::bigint > 0 and $4::text <> ''`,
  flow_run_log: `(company_id, run_id, seq, at, entries) select $1, $3::bigint, 0, $4::timestamptz, '[]' where $2::bigint > 0`,
  flow_signals: `(company_id, run_id, signal) select $1, $3::bigint, '{}' where $2::bigint > 0 and $4::text <> ''`,
  flow_webhook_calls: `(company_id, flow_id, version, run_id, step_id, visit, status, due_at, created_at)
    select $1, 1, 1, $3::bigint, 'call', 1, 'done', $4::timestamptz, $4::timestamptz where $2::bigint > 0`,
  flow_notifications: `(company_id, flow_id, run_id, step_id, contact_id, message, created_at)
    select $1, 1, $3::bigint, 'tell', 1, 'Look', $4::timestamptz where $2::bigint > 0`,
  flow_missed_events: `(company_id, flow_id, event_id, received_at) select $1, 1, $2::bigint, $4::timestamptz where $3::bigint > 0`,
};

test('rows that depend on removed messages, runs and events are removed; rows of newer ones are not', async () => {
  const going = Object.entries(RULES).flatMap(([name, rule]) => (rule === 'goes' ? [name.split('.')[0]!] : []));
  expect(Object.keys(ROWS).sort()).toEqual(going.sort());
  const fill = async (at: string): Promise<void> => {
    const [message] = await server.rows<{ id: string }>(
      `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
       values ($1, 'made ' || $2::timestamptz, 'email', false, 2, $2, 'system', 'sent', $2, $2) returning id`,
      [shop.company_id, at],
    );
    const [run] = await server.rows<{ id: string }>(
      `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
       values ($1, 1, 1, 1, 0, 'completed', '{}', '{}', $2, $2) returning id`,
      [shop.company_id, at],
    );
    for (const [table, rows] of Object.entries(ROWS)) {
      await server.rows(`insert into ${table} ${rows}`, [shop.company_id, Number(message!.id), Number(run!.id), at]);
    }
  };
  const count = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(ROWS)) {
      const rows = await server.rows(`select 1 from ${table} where company_id = $1`, [shop.company_id]);
      counts[table] = rows.length;
    }
    return counts;
  };
  await fill(OLD);
  const one = await count();
  expect(Object.values(one).every((n) => n > 0)).toBe(true);
  await fill('2026-10-20T10:00:00Z');
  server.clock.set('2026-11-01T00:00:00Z');
  await removeOld(server);
  expect(await count()).toEqual(one);
  expect(
    await server.rows(
      "select 1 from message_coupons c join messages m on m.id = c.message_id where m.created_at < '2026-01-01'",
    ),
  ).toEqual([]);
});
