import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../src/access/audit.ts';
import { checkInvariants } from '../../src/invariants.ts';
import { testServer } from '../../src/testing/harness.ts';
import { fillMonths, monthsOf } from './fill.ts';
import { createMeasure } from './measure.ts';
import { prepareShop } from './prepare.ts';
import type { FilledShop } from './shop.ts';
import { addUpAtOnce, keepUp, withoutIndexes } from './upkeep.ts';

const server = testServer();
const COUNTS = { orders: 400, events: 3_000, messages: 1_500 };
const UNTIL = new Date('2026-03-01T00:00:00Z');
const shops: FilledShop[] = [];

beforeAll(async () => {
  server.clock.set('2026-03-12T00:00:00Z');
  const client = new pg.Client(server.connection);
  await client.connect();
  const { measure } = createMeasure(client);
  const spans = monthsOf(UNTIL, 35, COUNTS);
  await withoutIndexes(client, measure, async () => {
    for (const seed of ['same', 'same', 'other']) {
      const { company_id: companyId } = await server.company();
      const size = { products: 50, customers: 200, contacts: 500 };
      shops.push(await prepareShop(client, measure, { companyId, seed, size, from: spans[0]!.from }));
    }
    await fillMonths(client, measure, shops, spans);
  });
  await addUpAtOnce(client, measure, server.clock.now());
  await keepUp(client, measure, server.clock.now());
  await client.end();
});

const digest = async ({ companyId, customers, contacts, products }: FilledShop): Promise<unknown> => {
  const rows = await server.rows(
    `select (
       select md5(string_agg(concat_ws(' ', o.customer_id - $2, o.status, o.total, o.created_at, i.product_id - $4, i.qty), ',' order by o.id, i.line))
       from orders o join order_items i on i.company_id = o.company_id and i.order_id = o.id where o.company_id = $1) as orders,
     (select md5(string_agg(concat_ws(' ', contact_id - $3, event_type, received_at, amount), ',' order by event_id))
       from events where company_id = $1) as events,
     (select md5(string_agg(concat_ws(' ', contact_id - $3, origin, status, created_at), ',' order by id))
       from messages where company_id = $1) as messages`,
    [companyId, customers.first, contacts.first, products.first],
  );
  return rows[0];
};

test('what is filled has the sizes that were asked for, and every invariant of doctor holds', async () => {
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

test('the indexes are those of the migrations again', async () => {
  const names = await server.rows<{ name: string }>(
    "select indexname as name from pg_indexes where tablename = any($1) and indexname !~ '_pkey$'",
    [['orders', 'contacts', 'customers', 'messages', 'events', 'events_2026_02']],
  );
  const found = names.map((row) => row.name);
  expect(found).toContain('contacts_search');
  expect(found).toContain('events_type');
  expect(found.filter((name) => name.startsWith('events_2026_02_'))).toHaveLength(2);
});
