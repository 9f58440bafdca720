import { beforeAll, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../src/access/audit.ts';
import { checkInvariants } from '../../src/invariants.ts';
import { testServer } from '../../src/testing/harness.ts';
import { fillAtOnce } from './at-once.ts';
import { monthsOf } from './fill.ts';
import { openLanes } from './lanes.ts';
import { createMeasure } from './measure.ts';
import { addRecords, prepareShop } from './prepare.ts';
import type { FilledShop } from './shop.ts';
import { fillSpan } from './span.ts';
import { keepUp } from './upkeep.ts';

const server = testServer();
const COUNTS = { orders: 400, events: 3_000, messages: 1_500 };
const UNTIL = new Date('2026-03-01T00:00:00Z');
const shops: FilledShop[] = [];

let schemaBefore: unknown[];

/** Indexes, constraints and triggers of all tables except months of events. */
const schema = (): Promise<unknown[]> =>
  server.rows(
    `select relname, 'index' as kind, pg_get_indexdef(i.indexrelid) as definition, indisvalid::text as state
     from pg_index i join pg_class t on t.oid = i.indrelid where relnamespace = 'public'::regnamespace and relname !~ '^events_[0-9]'
     union all
     select relname, 'constraint', conname || ' ' || pg_get_constraintdef(c.oid), convalidated::text
     from pg_constraint c join pg_class t on t.oid = c.conrelid where relnamespace = 'public'::regnamespace and relname !~ '^events_[0-9]'
     union all
     select relname, 'trigger', pg_get_triggerdef(g.oid), tgenabled::text
     from pg_trigger g join pg_class t on t.oid = g.tgrelid
     where relnamespace = 'public'::regnamespace and relname !~ '^events_[0-9]' and not tgisinternal
     order by 1, 2, 3`,
  );

beforeAll(async () => {
  server.clock.set('2026-03-12T00:00:00Z');
  schemaBefore = await schema();
  const { measureOn } = createMeasure();
  const lanes = await openLanes(server.connection, 2, measureOn);
  const { client, measure } = lanes[0]!;
  const spans = monthsOf(UNTIL, 35, COUNTS);
  const newShop = async (seed: string) => {
    const { company_id: companyId } = await server.company();
    return { companyId, seed, size: { products: 50, customers: 200, contacts: 500 }, from: spans[0]!.from };
  };
  for (const seed of ['same', 'same', 'other']) shops.push(await addRecords(client, await newShop(seed)));
  await fillAtOnce(lanes, shops, spans, server.clock.now());
  // The last one is filled like a real shop: month by month, with indexes and triggers.
  const lived = await prepareShop(client, measure, await newShop('same'));
  for (const span of spans) await fillSpan(client, measure, lived, span);
  shops.push(lived);
  await client.query(
    `insert into event_totals (company_id, event_type, contact_id, n, amount, first_at, last_at)
     select company_id, event_type, contact_id, count(*), coalesce(sum(amount), 0), min(occurred_at), max(occurred_at)
     from events where company_id = $1 group by 1, 2, 3`,
    [lived.companyId],
  );
  await keepUp(client, measure, server.clock.now());
  for (const lane of lanes) await lane.client.end();
});

const digest = async ({ companyId, customers, contacts, products }: FilledShop): Promise<unknown> => {
  const rows = await server.rows(
    `select (
       select md5(string_agg(concat_ws(' ', o.customer_id - $2, o.status, o.total, o.created_at, i.product_id - $4, i.qty), ',' order by o.id, i.line))
       from orders o join order_items i on i.company_id = o.company_id and i.order_id = o.id where o.company_id = $1) as orders,
     (select md5(string_agg(concat_ws(' ', contact_id - $3, event_type, received_at, amount), ',' order by event_id))
       from events where company_id = $1) as events,
     (select md5(string_agg(concat_ws(' ', contact_id - $3, origin, status, created_at), ',' order by id))
       from messages where company_id = $1) as messages,
     (select md5(string_agg(concat_ws(' ', contact_id - $3, type, amount, created_at, last_at), ',' order by message_id, type))
       from message_activity where company_id = $1) as activity`,
    [companyId, customers.first, contacts.first, products.first],
  );
  return rows[0];
};

test('a filled database has the requested sizes, and every invariant of doctor holds', async () => {
  const { companyId } = shops[0]!;
  const count = async (table: string) =>
    (await server.rows<{ n: number }>(`select count(*)::int as n from ${table} where company_id = $1`, [companyId]))[0]!
      .n;
  expect([await count('orders'), await count('events'), await count('messages')]).toEqual([400, 3_000, 1_500]);
  const placed =
    "select sum(amount)::float8 as total from events where company_id = $1 and event_type = 'order_placed'";
  const [events] = await server.rows<{ total: number }>(placed, [companyId]);
  const [orders] = await server.rows<{ total: number }>(
    'select sum(total)::float8 / 100 as total from orders where company_id = $1',
    [companyId],
  );
  expect(events!.total).toBeCloseTo(orders!.total, 2);
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
  expect(await firstBrokenSeal(server.app.db, companyId)).toBeNull();
});

test('the same seed gives the same data, another one other data', async () => {
  const [one, two, other] = [await digest(shops[0]!), await digest(shops[1]!), await digest(shops[2]!)];
  expect(two).toEqual(one);
  expect(Object.values(other as object)).not.toContain(null);
  for (const [kind, value] of Object.entries(one as object))
    expect([kind, (other as Record<string, string>)[kind]]).not.toEqual([kind, value]);
});

test('totals that were added up at once are those that triggers and workers keep', async () => {
  const totals = ({ companyId, customers, contacts }: FilledShop): Promise<unknown[]> =>
    server.rows(
      `select 'figures' as total, (customer_id - $2)::text as of, concat_ws(' ', spent, last_order_at) as is
       from customer_figures where company_id = $1
       union all select 'accounts', (customer_id - $2)::text, order_count::text from customer_accounts where company_id = $1
       union all select 'sales', slot::text, concat_ws(' ', placed, cancelled, revenue) from sales_totals where company_id = $1
       union all select 'returning', '', sum(returning_orders)::text from sales_totals where company_id = $1
       union all select 'events', event_type || (contact_id - $3), concat_ws(' ', n, amount::float8, first_at, last_at)
         from event_totals where company_id = $1
       union all select 'activity', (contact_id - $3)::text, last_activity_at::text from contact_last_activity where company_id = $1
       union all select 'list', concat_ws(' ', regexp_replace(counter, '[0-9]+', ''), day, regexp_replace(key, '[0-9]+', '')), sum(n)::text
         from counter_totals where company_id = $1 group by 1, 2
       order by 1, 2`,
      [companyId, customers.first, contacts.first],
    );
  const [atOnce, lived] = [await totals(shops[0]!), await totals(shops[3]!)];
  expect(new Set(atOnce.map((row) => (row as { total: string }).total)).size).toBe(7);
  expect(atOnce).toEqual(lived);
  expect(await digest(shops[0]!)).toEqual(await digest(shops[3]!));
});

test('the schema is that of the migrations again', async () => {
  expect(await schema()).toEqual(schemaBefore);
  const names = await server.rows<{ name: string; whole: boolean }>(
    `select c.relname as name, c.relispartition and i.indisvalid as whole
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
     where t.relname = any($1) order by 1`,
    [['events_2026_02', 'events_2026_03']],
  );
  const found = names.map(({ name }) => name);
  expect(names.filter(({ whole }) => !whole)).toEqual([]);
  // The following month is empty: its indexes were created with those of all events.
  const indexes = found.filter((name) => name.startsWith('events_2026_02_'));
  expect(indexes).toHaveLength(3);
  expect(found.filter((name) => name.startsWith('events_2026_03_'))).toEqual(
    indexes.map((name) => name.replace('_02_', '_03_')),
  );
});

test('a database that has rows is not emptied', async () => {
  const { measureOn } = createMeasure();
  const lanes = await openLanes(server.connection, 1, measureOn);
  await expect(fillAtOnce(lanes, [], [], server.clock.now())).rejects.toThrow(/new database.*contacts/);
  await lanes[0]!.client.end();
});
