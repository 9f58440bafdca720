import { beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../../db/sql.ts';
import { parameterOf } from '../../../db/wire/values.ts';
import { checkInvariants } from '../../../invariants.ts';
import { messagingInvariants } from '../../../messaging/invariants.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { testPerson } from '../../../testing/people.ts';
import * as queries from './queries.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

async function ask(shop: TestCompany, query: string) {
  const person = await testPerson(server, { [shop.company_id]: 'marketer' });
  return person.ask('GET', `/${shop.company_id}/overview/marketing${query}`);
}
async function read(shop: TestCompany, query = '') {
  const { status, body } = await ask(shop, query);
  expect(status).toBe(200);
  return body;
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

describe('what marketing led to', () => {
  let shop: TestCompany;
  let campaign: number;
  let list: number;
  let today: string;

  beforeAll(async () => {
    shop = await server.company({ timeZone: 'Pacific/Auckland', currency: 'NZD' });
    today = dayOf(server.clock.now());
    const contacts = await Promise.all(Array.from({ length: 4 }, () => contactOf(server, shop)));
    list = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
    await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: contacts });
    const mail = { name: 'Spring', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list };
    campaign = (await shop.marketing('POST', '/campaigns', mail)).body.campaign_id;
    await shop.marketing('POST', `/campaigns/send/${campaign}`);
    await settle();
    const sent = await server.rows<{ id: string }>(
      "select id from messages where campaign_id = $1 and status = 'sent' order by id",
      [campaign],
    );
    expect(sent.length).toBe(4);
    const add = (message: number, type: string, amount: number | null, reference = 0) =>
      server.rows(
        `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
         values ($1, $2, $3, $4, $5, $6)`,
        [shop.company_id, sent[message]!.id, type, reference, amount, server.clock.now()],
      );
    await add(0, 'converted', 1_250, 1);
    await add(0, 'converted', 750, 2);
    await add(0, 'refunded', 500, 4);
    await add(1, 'bounced', null);
    await add(2, 'complained', null);
    await add(3, 'opened', null);
    // A flow's message, followed by an order the next day.
    server.clock.advance(24 * 3_600_000);
    const [flow] = await server.rows<{ id: string }>(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, status, due_at, origin, flow_id,
         flow_version, run_id, step_id, created_at, handed_over_at, ended_at)
       values ($1, 'f:1:a:1', 'email', false, 1, $2, 'sent', $3, 'flow', 77, 1, 1, 'a', $3, $3, $3) returning id`,
      [shop.company_id, contacts[0], server.clock.now()],
    );
    await server.rows(
      `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
       values ($1, $2, 'converted', 3, 3000, $3)`,
      [shop.company_id, flow!.id, server.clock.now()],
    );
    await shop.marketing('POST', `/contacts/unsubscribe/${contacts[3]}`, {});
    await shop.marketing('POST', `/lists/${list}/contacts/remove`, { contact_ids: [contacts[0]] });
  });

  test('is listed by flow and by campaign, in the shop’s currency', async () => {
    const { currency, revenue } = await read(shop);
    expect(currency).toBe('NZD');
    expect(revenue).toEqual({
      total: { orders: 3, revenue: 50, refunded: 5, net: 45 },
      flows: { orders: 1, revenue: 30, refunded: 0, net: 30 },
      campaigns: { orders: 2, revenue: 20, refunded: 5, net: 15 },
      sources: [
        { type: 'flow', id: 77, name: null, orders: 1, revenue: 30, refunded: 0, net: 30 },
        { type: 'campaign', id: campaign, name: 'Spring', orders: 2, revenue: 20, refunded: 5, net: 15 },
      ],
    });
  });

  test('has the growth of contacts and lists by the day of each change, and what became of e-mails', async () => {
    const tomorrow = dayOf(server.clock.now());
    const { growth, deliverability, intervals } = await read(shop, `?from=${today}&to=${tomorrow}`);
    expect(growth.total).toEqual({ subscribed: 4, unsubscribed: 1 });
    expect(growth.lists).toMatchObject([{ list_id: list, name: 'News', subscribed: 4 }]);
    expect(deliverability.total).toEqual({
      sent: 5,
      bounced: 1,
      complained: 1,
      bounce_rate: 0.2,
      complaint_rate: 0.25,
    });
    expect(deliverability.limits).toEqual({
      bounce_rate: 0.05,
      bounce_rate_target: 0.02,
      complaint_rate: 0.003,
      complaint_rate_target: 0.001,
    });
    expect(intervals).toEqual([
      {
        start: today,
        flow_revenue: 0,
        flow_net: 0,
        campaign_revenue: 20,
        campaign_net: 15,
        subscribed: 4,
        unsubscribed: 0,
        sent: 4,
        bounced: 1,
        complained: 1,
      },
      {
        start: tomorrow,
        flow_revenue: 30,
        flow_net: 30,
        campaign_revenue: 0,
        campaign_net: 0,
        subscribed: 0,
        unsubscribed: 1,
        sent: 1,
        bounced: 0,
        complained: 0,
      },
    ]);
  });

  test('is the same once the totals are folded, by month as well, and holds what doctor checks', async () => {
    const before = await read(shop);
    await server.rows("select fold_deltas('counter')");
    expect(await read(shop)).toEqual(before);
    const { intervals } = await read(shop, `?from=${today.slice(0, 8)}01&interval=month`);
    expect(intervals).toHaveLength(1);
    expect(intervals[0]).toMatchObject({ start: `${today.slice(0, 8)}01`, flow_revenue: 30, campaign_revenue: 20 });
    expect((await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok)).toEqual([]);
    const [total] = await server.rows<{ counter: string }>(
      "update counter_totals set n = n + 1 where company_id = $1 and key = $2 and counter = 'marketing-sources' returning counter",
      [shop.company_id, `revenue:campaign:${campaign}`],
    );
    expect(total).toBeDefined();
    const wrong = (await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok);
    expect(wrong.map((one) => one.id)).toEqual(['lists.marketing_days']);
  });

  test('contains no data of another company', async () => {
    const other = await server.company();
    const { revenue, growth, deliverability } = await read(other);
    expect([revenue.total.orders, growth.total.subscribed, deliverability.total.sent]).toEqual([0, 0, 0]);
    expect(revenue.sources).toEqual([]);
  });

  test.each(['?from=2026-02-02&to=2026-02-01', '?from=2020-01-01&to=2026-01-01', '?interval=hour'])(
    'refuses %s',
    async (query) => expect((await ask(shop, query)).status).toBe(400),
  );
});

test('a contact who returns to a list counts again; a merged contact does not', async () => {
  const shop = await server.company();
  const first = await contactOf(server, shop);
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  const members = `/lists/${list.list_id}/contacts`;
  await shop.marketing('POST', members, { contact_ids: [first] });
  const { body: contact } = await shop.marketing('GET', `/contacts/${first}`);
  await shop.marketing('POST', '/contacts', { phone: '+14155550123' });
  server.clock.advance(1_000);
  const merged = await shop.marketing('POST', '/contacts', { phone: '+14155550123', email: contact.email });
  expect(merged.status).toBeLessThan(300);
  const [one] = await server.rows<{ n: string }>('select count(*) as n from contacts where company_id = $1', [
    shop.company_id,
  ]);
  expect(one!.n).toBe('1');
  const { growth } = await read(shop);
  expect(growth.lists).toMatchObject([{ subscribed: 1, unsubscribed: 0 }]);
});

test('the totals of two years are read by their key alone, in less than 100 ms', async () => {
  const shop = await server.company();
  await server.rows(
    `insert into counter_totals (company_id, counter, day, key, n)
     select $1::bigint, counter, day::date, key, 7
     from generate_series('2024-01-01'::date, '2026-01-10'::date, '1 day') day,
       lateral (select 'marketing-sources', kind || ':flow:' || n from generate_series(1, 25) n, unnest(array['orders', 'revenue']) kind
         union all select 'marketing-sources', kind || ':campaign:' || (day::date - '2024-01-01'::date + n)
         from generate_series(1, 10) n, unnest(array['orders', 'revenue']) kind
         union all select 'marketing-days', unnest(array['sent:email', 'bounced:email', 'refused:email', 'complained:email',
           'orders:flow', 'revenue:flow', 'orders:campaign', 'revenue:campaign', 'subscribed', 'unsubscribed'])
         union all select 'list-growth', kind || ':' || n
         from generate_series(1, 40) n, unnest(array['subscribed', 'unsubscribed']) kind) counters (counter, key)`,
    [shop.company_id],
  );
  await server.rows('vacuum analyze counter_totals');
  const asked: Statement[] = [];
  const query = async <Row>(statement: Statement): Promise<Row[]> => {
    asked.push(statement);
    return [];
  };
  const year = { from: '2025-01-01', to: '2025-12-31' };
  await queries.totalsByInterval({ query }, shop.company_id, year, 'month');
  await queries.bestSources({ query }, shop.company_id, year, 10);
  await queries.growthOfLists({ query }, shop.company_id, year, 10);
  let ms = 0;
  for (const { text, values } of asked) {
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      const [row] = await server.rows<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(
        `explain (analyze, format json) ${text}`,
        values.map(parameterOf),
      );
      times.push(row!['QUERY PLAN'][0]['Execution Time']);
      expect(JSON.stringify(row)).toContain('counter_totals_pkey');
    }
    ms += Math.min(...times);
  }
  expect(ms).toBeLessThan(100);
});
