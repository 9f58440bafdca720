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

/** A message of the flow or campaign, and what it led to: type, time, and amount in minor units. */
async function led(
  shop: TestCompany,
  source: { flow: number } | { campaign: number },
  activity: [type: 'converted' | 'refunded' | 'opened', at: string, amount: number | null][],
): Promise<void> {
  const [flow, campaign] = 'flow' in source ? [source.flow, null] : [null, source.campaign];
  const [message] = await server.rows<{ id: string }>(
    `insert into messages (company_id, idem_key, channel, transactional, lane, status, due_at, origin, flow_id, step_id,
       campaign_id, created_at, handed_over_at, ended_at)
     values ($1, gen_random_uuid()::text, 'email', false, 1, 'sent', $2, $3, $4, $5, $6, $2, $2, $2) returning id`,
    [
      shop.company_id,
      server.clock.now(),
      flow === null ? 'campaign' : 'flow',
      flow,
      flow === null ? null : 'a',
      campaign,
    ],
  );
  for (const [i, [type, at, amount]] of activity.entries()) {
    await server.rows(
      `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [shop.company_id, message!.id, type, i, amount, at],
    );
  }
}
async function revenue(shop: TestCompany, query: string) {
  const { status, body } = await shop.marketing('GET', `/reports/revenue?${query}`);
  expect(status).toBe(200);
  return body;
}

test('revenue is by the day of the shop’s time zone, less what was given back, by flow or by campaign', async () => {
  const shop = await server.company({ timeZone: 'America/New_York', currency: 'USD' });
  const mail = { name: 'Spring', type: 'email', subject: 'Hi', content: 'Hi', list_id: await listOf(shop) };
  const { body: made } = await shop.marketing('POST', '/campaigns', mail);
  const campaign = made.campaign_id;
  // New York is four hours behind UTC from 8 March on, five before: midnight is 05:00, then 04:00 UTC.
  await led(shop, { campaign }, [
    ['converted', '2026-03-07T04:59:59.999Z', 100],
    ['converted', '2026-03-07T05:00:00Z', 2_000],
    ['refunded', '2026-03-07T05:00:00Z', 500],
    ['opened', '2026-03-07T05:00:00Z', null],
    ['converted', '2026-03-09T03:59:59Z', 3_000],
    ['converted', '2026-03-09T04:00:00Z', 400],
  ]);
  await led(shop, { flow: 77 }, [['converted', '2026-03-08T12:00:00Z', 700]]);
  const days = 'from=2026-03-07&to=2026-03-08';
  const none = { orders: 0, revenue: 0, refunded: 0, net: 0 };
  const seventh = { start: '2026-03-07', orders: 1, revenue: 20, refunded: 5, net: 15 };
  const eighth = { start: '2026-03-08', orders: 1, revenue: 30, refunded: 0, net: 30 };
  const total = { orders: 2, revenue: 50, refunded: 5, net: 45 };
  expect(await revenue(shop, `by=campaign&${days}`)).toEqual({
    by: 'campaign',
    currency: 'USD',
    time_zone: 'America/New_York',
    interval: 'day',
    from: '2026-03-07',
    to: '2026-03-08',
    total,
    intervals: [seventh, eighth],
    sources: [{ id: campaign, name: 'Spring', ...total, intervals: [seventh, eighth] }],
  });
  const flows = await revenue(shop, `by=flow&${days}`);
  const flowDay = { start: '2026-03-08', orders: 1, revenue: 7, refunded: 0, net: 7 };
  expect(flows.intervals).toEqual([{ start: '2026-03-07', ...none }, flowDay]);
  expect(flows.sources).toMatchObject([{ id: 77, name: null, net: 7, intervals: [flowDay] }]);
  const weeks = await revenue(shop, 'by=campaign&interval=week&from=2026-03-05&to=2026-03-10');
  expect(weeks.intervals).toEqual([
    { start: '2026-03-02', orders: 3, revenue: 51, refunded: 5, net: 46 },
    { start: '2026-03-09', orders: 1, revenue: 4, refunded: 0, net: 4 },
  ]);
});

test('ten flows are named, and the others are one; those of other companies are in no figure', async () => {
  const [shop, other] = [await server.company(), await server.company()];
  const at = server.clock.now().toISOString();
  for (let flow = 1; flow <= 12; flow++) await led(shop, { flow }, [['converted', at, flow * 100]]);
  await led(other, { flow: 1 }, [['converted', at, 99_900]]);
  const { total, sources } = await revenue(shop, 'by=flow');
  expect(total).toMatchObject({ orders: 12, net: 78 });
  expect(sources.map(({ id, net }: { id: number; net: number }) => [id, net])).toEqual([
    ...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((id) => [id, id]),
    [null, 3],
  ]);
  expect((await revenue(other, 'by=flow')).total).toMatchObject({ orders: 1, net: 999 });
});

test('the last day of a report of revenue is today in the shop’s time zone, the first at most 365 days before', async () => {
  const shop = await server.company({ timeZone: 'Pacific/Auckland' });
  nextDayAt('20:00:00');
  const tomorrow = new Date(server.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
  const { from, to, intervals } = await revenue(shop, 'by=flow');
  expect([to, intervals.length]).toEqual([tomorrow, 30]);
  expect(from < to).toBe(true);
  expect((await revenue(shop, 'interval=day')).by).toBe('campaign');
  for (const query of ['by=flow&from=2024-01-01&to=2025-01-01', 'by=segment', 'by=flow&interval=month']) {
    expect((await shop.marketing('GET', `/reports/revenue?${query}`)).status).toBe(400);
  }
});

test('e-mails are counted by the provider of the recipient, with what became of them, in the last days alone', async () => {
  const [shop, other] = [await server.company(), await server.company()];
  const now = server.clock.now().getTime();
  const send = async (of: TestCompany, to: string | null, age: number, types: string[] = [], channel = 'email') => {
    const [message] = await server.rows<{ id: string }>(
      `insert into messages (company_id, idem_key, channel, transactional, lane, recipient, status, due_at, origin, created_at,
         handed_over_at, ended_at)
       values ($1, gen_random_uuid()::text, $2, false, 1, $3, 'sent', $4, 'system', $4, $4, $4) returning id`,
      [of.company_id, channel, to, new Date(now - age)],
    );
    for (const type of types) {
      await server.rows(
        'insert into message_activity (company_id, message_id, type, created_at) values ($1, $2, $3, $4)',
        [of.company_id, message!.id, type, new Date(now)],
      );
    }
  };
  await send(shop, 'ada@gmail.com', 0, ['opened', 'machine_opened', 'clicked', 'link_clicked']);
  await send(shop, 'bob@GoogleMail.com', 1_000, ['bounced']);
  await send(shop, 'cy@gmail.com', 7 * DAY_MS, ['opened']);
  await send(shop, 'dee@hotmail.com', 7 * DAY_MS + 1, ['complained']);
  await send(shop, 'eve@web.de', 0);
  await send(shop, 'fay@live.example.com', 0, ['opened']);
  await send(shop, null, 0);
  await send(shop, '+14155550123', 0, [], 'sms');
  await send(other, 'ada@icloud.com', 0, ['opened']);
  const read = async (of: TestCompany, query: string) => (await of.marketing('GET', `/reports/providers${query}`)).body;
  const none = { opened: 0, clicked: 0, bounced: 0, complained: 0 };
  expect(await read(shop, '?days=7')).toEqual({
    days: 7,
    total: { sent: 6, delivered: 5, opened: 3, clicked: 1, bounced: 1, complained: 0 },
    providers: [
      { provider: 'gmail', sent: 3, delivered: 2, opened: 2, clicked: 1, bounced: 1, complained: 0 },
      { provider: 'other', sent: 2, delivered: 2, ...none, opened: 1 },
      { provider: 'gmx', sent: 1, delivered: 1, ...none },
    ],
  });
  const { days, providers } = await read(shop, '');
  expect([days, providers.length]).toEqual([30, 4]);
  expect(providers).toContainEqual({ provider: 'outlook', sent: 1, delivered: 1, ...none, complained: 1 });
  expect((await read(other, '?days=90')).providers).toEqual([
    { provider: 'icloud', sent: 1, delivered: 1, ...none, opened: 1 },
  ]);
  expect(await read(await server.company(), '')).toMatchObject({ total: { sent: 0, delivered: 0 }, providers: [] });
  expect((await shop.marketing('GET', '/reports/providers?days=31')).status).toBe(400);
});

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

test('the revenue of a period is found by an index of attributed orders', async () => {
  const shop = await server.company();
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, status, due_at, origin, campaign_id, created_at)
     select $1, 'p' || n, 'email', false, 1, 'sent', now(), 'campaign', n % 50, now() from generate_series(1, 20000) n`,
    [shop.company_id],
  );
  await server.rows(
    `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
     select company_id, id, kind, 0, 1000, timestamptz '2025-01-01' + id % 360 * interval '1 day'
     from messages, unnest(array['opened', 'clicked', 'converted']) kind where company_id = $1`,
    [shop.company_id],
  );
  await server.rows('vacuum analyze messages, message_activity');
  const period = { interval: 'day', from: '2025-03-01', to: '2025-03-30', timeZone: 'Europe/Berlin' } as const;
  for (const by of ['flow', 'campaign'] as const) {
    const reads = await plannedReads((db) => queries.findRevenue(db, shop.company_id, { by, ...period }, 10));
    expect(reads).toContain('message_activity_attributed');
    expect(reads).not.toContain('all message_activity');
  }
});

test('the providers of a period are counted in indexes alone', async () => {
  const shop = await server.company();
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, recipient, status, due_at, origin, created_at,
       handed_over_at)
     select $1, 'q' || n, 'email', false, 1, n || '@gmail.com', 'sent', now(), 'system', now(),
       timestamptz '2026-01-01' + n * interval '5 minutes' from generate_series(1, 20000) n`,
    [shop.company_id],
  );
  await server.rows(
    `insert into message_activity (company_id, message_id, type, created_at)
     select company_id, id, kind, now() from messages, unnest(array['opened', 'machine_opened', 'clicked']) kind where company_id = $1`,
    [shop.company_id],
  );
  await server.rows('vacuum analyze messages, message_activity');
  const since = new Date('2026-02-15T00:00:00Z');
  const first = await plannedReads((db) => queries.findFirstSent(db, shop.company_id, since));
  expect(first).toEqual(['messages_handed_over']);
  const [{ id }] = (await server.rows<{ id: string }>('select max(id) as id from messages where company_id = $1', [
    shop.company_id,
  ])) as [{ id: string }];
  const reads = await plannedReads((db) => queries.findProviders(db, shop.company_id, since, Number(id) - 5_000));
  expect(reads).toContain('messages_handed_over');
  expect(reads).toContain('message_activity_pkey');
  expect(reads.filter((one) => one.startsWith('all '))).toEqual([]);
});
