import { expect, test } from 'vitest';
import type { Statement } from '../../db/sql.ts';
import { parameterOf } from '../../db/wire/values.ts';
import { contactOf } from '../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import * as queries from './queries.ts';

const server = testServer();
const DAY_MS = 86_400_000;
const today = () => server.clock.now().toISOString().slice(0, 10);
/** Moves the clock to this time, UTC, of the next day. */
function nextDayAt(time: string): void {
  const tomorrow = new Date(server.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
  server.clock.advance(Date.parse(`${tomorrow}T${time}Z`) - server.clock.now().getTime());
}

async function listOf(shop: TestCompany, doubleOptIn = false): Promise<number> {
  const { body } = await shop.marketing('POST', '/lists', { name: 'News', double_opt_in: doubleOptIn });
  return body.list_id;
}
const join = (shop: TestCompany, list: number, contacts: number[]) =>
  shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: contacts });
const contactsOf = (shop: TestCompany, n: number) =>
  Promise.all(Array.from({ length: n }, () => contactOf(server, shop)));

async function growth(shop: TestCompany, query = '') {
  const { status, body } = await shop.marketing('GET', `/reports/list-growth${query}`);
  expect(status).toBe(200);
  return body;
}

test('a list grows by the UTC day of each change, and members who are removed or erased leave it', async () => {
  const shop = await server.company({ timeZone: 'America/New_York' });
  const [first, second, third, fourth] = await contactsOf(shop, 4);
  const list = await listOf(shop);
  const other = await listOf(shop);
  nextDayAt('23:59:59');
  const start = today();
  await join(shop, list, [first!, second!, third!]);
  await join(shop, other, [first!]);
  nextDayAt('00:00:00');
  const middle = today();
  await join(shop, list, [fourth!]);
  await shop.marketing('POST', `/contacts/unsubscribe/${first}`, { list_ids: [list] });
  nextDayAt('12:00:00');
  const end = today();
  await shop.marketing('POST', `/lists/${list}/contacts/remove`, { contact_ids: [second] });
  await shop.marketing('DELETE', `/contacts/${third}`);
  const expected = {
    list_id: list,
    from: start,
    to: end,
    total: { subscribed: 4, unsubscribed: 1 },
    days: [
      { date: start, subscribed: 3, unsubscribed: 0, active: 3 },
      { date: middle, subscribed: 1, unsubscribed: 1, active: 3 },
      { date: end, subscribed: 0, unsubscribed: 0, active: 1 },
    ],
  };
  const query = `?list_id=${list}&from=${start}&to=${end}`;
  expect(await growth(shop, query)).toEqual(expected);
  await server.rows("select fold_deltas('counter')");
  expect(await growth(shop, query)).toEqual(expected);
  const { days } = await growth(shop, `?list_id=${list}&from=${start}&to=${middle}`);
  expect(days.map(({ active }: { active: number }) => active)).toEqual([3, 3]);
});

test('pending members are not active, whether they confirm or decline', async () => {
  const shop = await server.company();
  const [first, second] = await contactsOf(shop, 2);
  const list = await listOf(shop, true);
  await join(shop, list, [first!, second!]);
  const active = async () => (await growth(shop, `?list_id=${list}&from=${today()}`)).days[0].active;
  expect(await active()).toBe(0);
  const change = (contact: number, status: string) =>
    server.rows('update list_memberships set status = $2, updated_at = $3 where contact_id = $1', [
      contact,
      status,
      server.clock.now(),
    ]);
  await change(first!, 'active');
  await change(second!, 'unsubscribed');
  expect(await active()).toBe(1);
  const [kept] = await server.rows<{ n: string }>(
    "select sum(n) as n from counters where company_id = $1 and counter = 'list-growth' and key = $2",
    [shop.company_id, `active:${list}`],
  );
  expect(Number(kept!.n)).toBe(1);
});

test('without a list, all contacts are counted: those who unsubscribed, bounced or were erased are not active', async () => {
  const shop = await server.company();
  const [first, second, third] = await contactsOf(shop, 4);
  const before = await growth(shop);
  expect([before.list_id, before.days.length, before.to]).toEqual([null, 30, today()]);
  expect(before.days.at(-1)).toMatchObject({ subscribed: 4, active: 4 });
  expect(before.days.at(-2)).toMatchObject({ subscribed: 0, active: 0 });
  nextDayAt('08:00:00');
  await shop.marketing('POST', `/contacts/unsubscribe/${first}`, {});
  await server.rows('update contacts set email_bounced = true, updated_at = $2 where id = $1', [
    second,
    server.clock.now(),
  ]);
  await shop.marketing('DELETE', `/contacts/${third}`);
  const { days } = await growth(shop);
  expect(days.slice(-2)).toMatchObject([
    { subscribed: 4, unsubscribed: 0, active: 4 },
    { subscribed: 0, unsubscribed: 1, active: 1 },
  ]);
});

test('a list of another company is not found, nor is a deleted one', async () => {
  const [shop, other] = [await server.company(), await server.company()];
  const list = await listOf(shop);
  expect((await other.marketing('GET', `/reports/list-growth?list_id=${list}`)).status).toBe(404);
  await shop.marketing('DELETE', `/lists/${list}`);
  expect((await shop.marketing('GET', `/reports/list-growth?list_id=${list}`)).status).toBe(404);
});

test.each(['?from=2026-02-02&to=2026-02-01', '?from=2024-01-01&to=2025-01-01', '?from=2036-01-01'])(
  'the growth of a list refuses %s',
  async (query) => {
    const shop = await server.company();
    expect((await shop.marketing('GET', `/reports/list-growth${query}`)).status).toBe(400);
  },
);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}
/** The indexes and the completely scanned tables of a plan. */
const readBy = (plan: Plan): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan['Node Type'] === 'Seq Scan' ? [`all ${plan['Relation Name']}`] : []),
  ...(plan.Plans ?? []).flatMap(readBy),
];

/** Returns what the statement of the query reads. */
async function plannedReads(query: (db: { query<Row>(statement: Statement): Promise<Row[]> }) => Promise<unknown>) {
  const asked: Statement[] = [];
  await query({
    query: async <Row>(statement: Statement): Promise<Row[]> => {
      asked.push(statement);
      return [];
    },
  });
  expect(asked).toHaveLength(1);
  const { text, values } = asked[0]!;
  const [row] = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (format json) ${text}`,
    values.map(parameterOf),
  );
  return readBy(row!['QUERY PLAN'][0].Plan);
}

test('the growth of a list in a year is read by the key of its counters alone', async () => {
  const shop = await server.company();
  await server.rows(
    `insert into counter_totals (company_id, counter, day, key, n)
     select $1::bigint, 'list-growth', day::date, kind || ':' || n, 7
     from generate_series('2024-01-01'::date, '2026-01-10'::date, '1 day') day, generate_series(1, 40) n,
       unnest(array['subscribed', 'unsubscribed', 'active']) kind`,
    [shop.company_id],
  );
  await server.rows('vacuum analyze counter_totals');
  const reads = await plannedReads((db) => queries.findGrowth(db, shop.company_id, 3, '2025-01-01'));
  expect(reads).toContain('counter_totals_pkey');
  expect(reads).not.toContain('all counter_totals');
});
