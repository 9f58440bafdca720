import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { firstBrokenSeal } from '../../src/access/audit.ts';
import { health } from '../../src/doctor/health.ts';
import { checkInvariants } from '../../src/invariants.ts';
import { ensurePartitions } from '../../src/marketing/events/queries.ts';
import { removeOld } from '../../src/retention/testing.ts';
import { type TestBody, type TestCompany, testServer } from '../../src/testing/harness.ts';
import { testPerson } from '../../src/testing/people.ts';
import { monthsOf } from './fill.ts';
import { listsOf, measureLists } from './lists.ts';
import type { Measure } from './measure.ts';
import { prepareShop } from './prepare.ts';
import { receiversOf } from './rows/messages.ts';
import { ordersOf } from './rows/orders.ts';
import type { FilledShop, Span } from './shop.ts';
import { fillSpan } from './span.ts';
import { keepUp } from './upkeep.ts';

/**
 * A shop over 15 months that keeps nothing longer than it must. SHOP_YEAR=1 simulates a busy one, with 100 orders,
 * 10,000 events and 5,000 messages a day, and prints sizes and times; the default is a fiftieth of it.
 */
const SIZE = Number(process.env.SHOP_YEAR ?? 0.02);
const PRINTS = process.env.SHOP_YEAR !== undefined;
const A_DAY = { orders: 100 * SIZE, events: 10_000 * SIZE, messages: 5_000 * SIZE };
const PEOPLE = {
  products: Math.ceil(2_000 * SIZE),
  customers: Math.ceil(20_000 * SIZE),
  contacts: Math.ceil(50_000 * SIZE),
};
const DAYS = 455;
const UNTIL = new Date('2026-04-01T00:00:00Z');
/** Months after which the tables have their final size: the longest of the periods is over. */
const FULL_GROWN = 6;
/** Milliseconds, on an otherwise idle machine; during the suite the machine is busy. */
const BOUND_MS = SIZE >= 1 ? 50 : 1_000;
const PERIODS = {
  events_months: 3,
  messages_months: 4,
  contact_activity_months: 1,
  flow_runs_months: 3,
  flow_log_days: 30,
  mailbox_days: 30,
  webhook_deliveries_days: 30,
};
/** Tables that may grow after the horizon, and why; all others, each and in total, have their final size by then. */
const GROWS: Readonly<Record<string, string>> = {
  orders: 'the books: orders are kept',
  order_items: 'of the orders',
  order_history: 'of the orders',
  stock_movements: 'their sum is the stock',
  audit_log: 'its chain proves that nothing is missing',
  campaigns: 'a campaign and its report stay without its messages: some rows a month',
  counter_totals: 'reports of campaigns, marketing by day',
  sales_totals: 'sales by day',
  product_sales: 'sales by product and day',
  customer_accounts: 'a row for each customer who has ordered',
};

const server = testServer();
const measure: Measure = async (_table, work) => {
  await work();
};
const sizes: Record<string, number>[] = [];
const buyers = new Set<number>();
const receivers = new Set<number>();
let client: pg.Client;
let company: TestCompany;
let shop: FilledShop;
let firstReport: TestBody;

/** Bytes of each table with its indexes and partitions. */
async function tableSizes(): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

const reportOfFirst = async (): Promise<TestBody> => {
  const { body } = await company.marketing('GET', '/campaigns?per_page=100');
  const id = Math.min(...body.campaigns.map(({ campaign_id }: TestBody) => campaign_id));
  return (await company.marketing('GET', `/campaigns/${id}/report`)).body;
};

/**
 * Vacuums only after each month, at times that are the same in each run. An autovacuum while a month is filled would
 * hold a snapshot that keeps dead rows: the tables would seem to grow.
 */
async function stopAutovacuum(): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = off)`);
}

/** As autovacuum does it over the month, repeated until hardly any dead rows are kept for a snapshot. */
async function vacuum(): Promise<void> {
  const kept = 'select relname, n_dead_tup from pg_stat_user_tables where n_dead_tup > 200';
  const vacuumed = async (): Promise<unknown[]> => {
    await client.query('vacuum (analyze)');
    return (await client.query(kept)).rows;
  };
  await vi.waitFor(async () => expect(await vacuumed()).toEqual([]), { timeout: 60_000, interval: 500 });
}

/** One month of the shop: its rows, then the work of its workers. */
async function live(span: Span): Promise<void> {
  server.clock.set(span.to.toISOString());
  await fillSpan(client, measure, shop, span);
  for (const { customer } of ordersOf(shop, span)) buyers.add(customer);
  for (const contact of receiversOf(shop, span)) receivers.add(contact);
  await keepUp(client, measure, server.clock.now());
  firstReport ??= await reportOfFirst();
  await removeOld(server);
  await vacuum();
  sizes.push(await tableSizes());
}

beforeAll(async () => {
  const spans = monthsOf(UNTIL, DAYS, {
    orders: Math.round(A_DAY.orders * DAYS),
    events: Math.round(A_DAY.events * DAYS),
    messages: Math.round(A_DAY.messages * DAYS),
  });
  const from = spans[0]!.from;
  server.clock.set(from.toISOString());
  client = new pg.Client(server.connection);
  await client.connect();
  await stopAutovacuum();
  company = await server.company();
  await company.marketing('PATCH', '/retention-settings', PERIODS);
  shop = await prepareShop(client, measure, { companyId: company.company_id, seed: 'year', size: PEOPLE, from });
  for (const span of spans) await live(span);
}, 3_600_000);
afterAll(() => client.end());

describe('a shop that has gone on for longer than it keeps its data', () => {
  test('has tables that do not grow any more, and no month of events too many', async () => {
    const [then, now] = [sizes[FULL_GROWN]!, sizes.at(-1)!];
    const kept = Object.keys(now).filter((table) => GROWS[table] === undefined);
    const growing = kept.filter((table) => now[table]! >= 1.25 * then[table]! + 262_144);
    expect(growing.map((table) => `${table}: ${sizes.map((one) => one[table]).join(' ')}`)).toEqual([]);
    expect(await client.query('select from customer_accounts')).toMatchObject({ rowCount: buyers.size });
    const sumOf = (size: Record<string, number>): number => kept.reduce((all, table) => all + (size[table] ?? 0), 0);
    expect(sumOf(now), sizes.map(sumOf).join(' ')).toBeLessThan(1.1 * sumOf(then) + 1_048_576);
    expect(Object.keys(GROWS).filter((table) => now[table] === undefined)).toEqual([]);
    const { rows } = await client.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass",
    );
    const months = rows
      .map(({ name }) => name)
      .filter((name) => /^events_202[56]/.test(name) && name < 'events_2026_01');
    expect(months).toEqual([]);
    if (PRINTS) process.stdout.write(`${JSON.stringify({ then, now })}\n`);
  });

  test('keeps the report of its first campaign, and what its segments count', async () => {
    expect(await client.query('select 1 from messages where created_at < $1', [new Date('2025-11-01')])).toMatchObject({
      rowCount: 0,
    });
    expect(await reportOfFirst()).toEqual(firstReport);
    const count = async (field: string): Promise<number> => {
      const conditions = { rules: [{ field, comparison: 'greater_than', value: 0 }] };
      return (await company.marketing('POST', '/segments/preview', { conditions })).body.count;
    };
    expect(await count('events.order_placed.count')).toBe(buyers.size);
    expect(await count('messages.received.count')).toBe(receivers.size);
  });

  test('keeps every promise that doctor checks, and its upkeep keeps pace', async () => {
    // As the worker creates them each hour, by the program's clock.
    await ensurePartitions(server.app.db.chores, server.clock.now());
    while ((await server.rows<{ more: boolean }>('select read_loaded_activity(5000) as more'))[0]!.more);
    const upkeep = await health(server.app.db, server.clock.now());
    expect(upkeep.map(({ id }) => id)).toEqual(expect.arrayContaining(['partitions', 'overdue', 'vacuum']));
    expect(upkeep.filter(({ ok, examples }) => !ok || examples.length > 0)).toEqual([]);
    expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
    expect(await firstBrokenSeal(server.app.db, company.company_id)).toBeNull();
  });

  test('lists everything by an index and within the bound', async () => {
    const owner = await testPerson(server, { [company.company_id]: 'owner' });
    const caller = {
      ...company,
      admin: (method: string, path: string) => owner.ask(method, `/${company.company_id}${path}`),
    };
    const lists = await listsOf(caller);
    expect(lists.map(({ surface, path }) => `${surface} ${path.split('?')[0]}`)).toEqual(
      expect.arrayContaining([
        'admin /audit',
        'admin /requests',
        expect.stringMatching(/^admin .customers.\d+.messages$/),
      ]),
    );
    const found = await measureLists(client, caller, lists, { bySize: SIZE >= 1 });
    if (PRINTS) process.stdout.write(`${JSON.stringify(found)}\n`);
    expect(found.filter(({ ms }) => ms > BOUND_MS)).toEqual([]);
    expect(found.filter(({ scanned }) => scanned.length > 0)).toEqual([]);
  });
});
