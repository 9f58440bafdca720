import { beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { step } from '../marketing/flows/definition/testing-graphs.ts';
import { activeFlow, track, work } from '../marketing/flows/testing/flows.ts';
import type { TestBody, TestCompany } from '../testing/harness.ts';
import { testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';
import { removeDue, removeOld, removeOldUntil } from './testing.ts';

const server = testServer();
const BEGIN = '2024-01-10T12:00:00Z';
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
const count = async (table: string, company: number): Promise<number> => {
  const [row] = await server.rows<{ n: number }>(`select count(*)::int as n from ${table} where company_id = $1`, [
    company,
  ]);
  return row!.n;
};
/** Returns the findings of `tradeloom doctor`, except for the company that one test makes up without flows. */
const broken = async () => {
  const findings = await checkInvariants(server.app.db);
  return findings.filter(({ ok, examples }) => !ok && examples.some(({ company_id }) => company_id !== madeUp));
};
let madeUp = 0;

async function everything(): Promise<void> {
  for (let done = 1; done > 0; ) {
    await work(server);
    done = (await worker('campaigns').runOnce()) + (await worker('sender').runOnce());
  }
}

/** Adds up the events of past days, one month per call. */
async function addUp(): Promise<void> {
  for (;;) {
    const [row] = await server.rows<{ more: boolean }>('select add_up_events($1) as more', [server.clock.now()]);
    if (!row!.more) return;
  }
}

const RULES: [string, string, unknown][] = [
  ['events.order_placed.count', 'greater_than', 1],
  ['purchases.total', 'greater_than', 25],
  ['purchases.net', 'equals', 7.5],
  ['purchases.days_since_first', 'greater_than', 700],
  ['purchases.rfm.class', 'exists', undefined],
  ['messages.received.count', 'greater_than', 1],
  ['messages.received.count', 'greater_than', 0],
  ['messages.received.count', 'equals', 0],
  ['messages.opened.count', 'greater_than', 1],
  ['messages.opened.count', 'greater_than', 0],
  ['messages.opened.last_at', 'before', '2024-06-01'],
  ['messages.clicked.days_since_first', 'greater_than', 700],
  ['messages.clicked.count', 'not_equals', 0],
];

/** Returns everything that counts: segments, lists, reports of campaigns, statistics of flows. */
async function numbers(shop: TestCompany, campaignId: number, flowId: number): Promise<TestBody> {
  const segments: unknown[] = [];
  for (const [field, comparison, value] of RULES) {
    const conditions = { rules: [{ field, comparison, ...(value === undefined ? {} : { value }) }] };
    const { status, body } = await shop.marketing('POST', '/segments/preview', { conditions });
    expect({ status, body }).toMatchObject({ status: 200 });
    segments.push([field, comparison, value, body.count, body.contacts?.map((one: TestBody) => one.email)]);
  }
  const [campaign, report, flow, stats, lists] = await Promise.all(
    [
      `/campaigns/${campaignId}`,
      `/campaigns/${campaignId}/report`,
      `/flows/${flowId}`,
      `/flows/${flowId}/stats`,
      '/lists',
    ].map(async (path) => {
      const { status, body } = await shop.marketing('GET', path);
      expect([path, status]).toEqual([path, 200]);
      return body;
    }),
  );
  return { segments, campaign, report, flow, stats, lists };
}

describe('after the removal of old data', () => {
  let shop: TestCompany;
  let campaignId: number;
  let flowId: number;
  let before: TestBody;
  const sizes: Record<string, number> = {};
  const TABLES = [
    'events',
    'messages',
    'message_activity',
    'flow_runs',
    'flow_run_log',
    'mailbox_messages',
    'contact_activity',
  ];

  beforeAll(async () => {
    server.clock.set(BEGIN);
    await server.rows("select ensure_event_partitions('2024-01-01', 40)");
    shop = await server.company();
    const flow = await activeFlow(
      shop,
      [
        step('mail', 'send_email', { subject: 'Hi', content: '<a href="https://shop.example/x">x</a>' }),
        step('tag', 'add_tag', { tag: 'x' }),
      ],
      { reentry: { mode: 'once' } },
    );
    flowId = flow.flow_id;
    const people = ['ann', 'bob', 'eve'].map((name) => `${name}@example.com`);
    for (const email of [...people, ...people.slice(0, 2), people[0]!]) await track(shop, email);
    await shop.marketing('POST', '/event-types', { event_type: 'order_refunded' });
    await track(shop, people[2]!, 'order_refunded', { net_amount: 2.5 });
    await shop.marketing('POST', '/contacts', { email: 'never@example.com' });
    const found = await server.rows<{ id: string; email: string }>(
      'select id, email from contacts where company_id = $1 order by email',
      [shop.company_id],
    );
    const ids = found.map((row) => Number(row.id));
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: ids.slice(0, 3) });
    await everything();
    const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id };
    const { body: made } = await shop.marketing('POST', '/campaigns', mail);
    campaignId = made.campaign_id;
    await shop.marketing('POST', `/campaigns/send/${campaignId}`);
    await shop.marketing('POST', `/contacts/unsubscribe/${ids[2]}`, {});
    await everything();
    server.clock.advance(3_600_000);
    await server.rows(
      `insert into message_activity (company_id, message_id, type, contact_id, amount, created_at)
       select m.company_id, m.id, v.type, m.contact_id, v.amount, $2
       from messages m cross join (values ('opened', null::bigint), ('clicked', null), ('converted', 1500)) v (type, amount)
       where m.company_id = $1 and m.status = 'sent' and (m.contact_id = $3 or v.type = 'opened' and m.origin = 'campaign')`,
      [shop.company_id, server.clock.now(), ids[0]],
    );
    server.clock.set('2026-11-01T00:00:00Z');
    await addUp();
    await server.rows('select compute_rfm_boundaries($1, $2)', [shop.company_id, server.clock.now()]);
    for (const table of TABLES) sizes[table] = await count(table, shop.company_id);
    before = await numbers(shop, campaignId, flowId);
    expect(await broken()).toEqual([]);
    await removeOld(server);
  });

  test('the rows are gone', async () => {
    for (const table of TABLES) expect([table, sizes[table]! > 0]).toEqual([table, true]);
    for (const table of TABLES) expect([table, await count(table, shop.company_id)]).toEqual([table, 0]);
  });

  test('segments, lists, reports and statistics are unchanged, and every invariant holds', async () => {
    expect(before.segments.map(([, , , n]: [string, string, unknown, number]) => n > 0)).toEqual(RULES.map(() => true));
    expect(await numbers(shop, campaignId, flowId)).toEqual(before);
    expect(await broken()).toEqual([]);
  });

  test('lists of messages, recipients and runs show the remaining rows', async () => {
    for (const path of [
      '/messages',
      `/messages?campaign_id=${campaignId}`,
      `/messages?flow_id=${flowId}`,
      '/mailbox',
      `/campaigns/${campaignId}/recipients`,
      `/flows/${flowId}/runs`,
      `/flows/${flowId}/runs?status=completed`,
    ]) {
      const { body } = await shop.marketing('GET', path);
      expect([path, body.pagination.total]).toEqual([path, 0]);
    }
  });

  test('a contact does not re-enter a flow limited to one entry, and a merge adds up the totals', async () => {
    const again = await track(shop, 'ann@example.com');
    expect(again).toMatchObject({ event_id: expect.any(Number) });
    await everything();
    expect(await count('flow_runs', shop.company_id)).toBe(0);
    const total = async (email: string) => {
      const rows = await server.rows<{ type: string; n: number }>(
        `select 'event' as type, t.n::int from event_totals t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
         where c.email = $1 and t.n > 0
         union all
         select t.type, t.n::int from message_totals t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
         where c.email = $1 order by 1`,
        [email],
      );
      return Object.fromEntries(rows.map(({ type, n }) => [type, n]));
    };
    expect(await total('ann@example.com')).toEqual({ event: 3, received: 2, opened: 2, clicked: 2 });
    expect(await total('bob@example.com')).toEqual({ event: 2, received: 2, opened: 1 });
    const [bob] = await server.rows<{ id: string }>("select id from contacts where email = 'bob@example.com'");
    await shop.marketing('PATCH', `/contacts/${bob!.id}`, { phone: '+4915112345678' });
    const merged = await shop.marketing('POST', '/contacts', { email: 'ann@example.com', phone: '+4915112345678' });
    expect(merged.status).toBeLessThan(300);
    expect(await total('ann@example.com')).toEqual({ event: 5, received: 4, opened: 3, clicked: 2 });
    expect(await broken()).toEqual([]);
  });

  test('the erasure of a contact leaves no amounts and no totals of messages', async () => {
    const [ann] = await server.rows<{ id: string }>("select id from contacts where email = 'ann@example.com'");
    const [eve] = await server.rows<{ id: string }>("select id from contacts where email = 'eve@example.com'");
    const left = () =>
      server.rows(
        `select event_type, amount from event_totals where contact_id = any($1::bigint[]) and amount <> 0 order by amount`,
        [[ann!.id, eve!.id]],
      );
    expect(await left()).toEqual([
      { event_type: 'order_refunded', amount: '-2.5' },
      { event_type: 'order_placed', amount: '10' },
      { event_type: 'order_placed', amount: '50' },
    ]);
    for (const { id } of [ann!, eve!]) await shop.marketing('DELETE', `/contacts/${id}`);
    while ((await worker('erasures').runOnce()) > 0);
    expect(await server.rows('select 1 from message_totals where contact_id = $1', [ann!.id])).toEqual([]);
    expect(await left()).toEqual([]);
  });
});

describe('unfinished work is kept', () => {
  test('messages that are queued, unknown, or of campaigns and runs that go on; runs and deliveries that are due', async () => {
    server.clock.set('2025-02-01T00:00:00Z');
    const shop = await server.company();
    const { company_id: company } = shop;
    madeUp = company;
    const now = server.clock.now();
    await server.rows(
      `insert into campaigns (company_id, name, type, status, recipients, created_at, updated_at)
       values ($1, 'a', 'email', 'sending', 1, $2, $2), ($1, 'b', 'email', 'sent', 1, $2, $2)`,
      [company, now],
    );
    await server.rows(
      `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, state, due_at, entered_at, ended_at)
       values ($1, 1, 1, 1, 0, 'active', '{}', '{}', $2, $2, null), ($1, 1, 1, 2, 0, 'completed', '{}', '{}', null, $2, $2)`,
      [company, now],
    );
    await server.rows(
      `insert into flow_run_log (company_id, run_id, seq, at, entries)
       select company_id, id, n, entered_at, '[]' from flow_runs, generate_series(1, 150) n where company_id = $1`,
      [company],
    );
    await server.rows(
      `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, campaign_id, run_id, status, created_at, ended_at)
       select $1, 'k' || n, 'email', false, 2, $2, 'system', c.id, r.id, s.status, $2, case when s.status <> 'queued' then $2::timestamptz end
       from (values (1, 'queued', null, null), (2, 'unknown', null, null), (3, 'sent', 'sending', null), (4, 'sent', null, 'active'),
         (5, 'sent', 'sent', null), (6, 'failed', null, 'completed'), (7, 'skipped', null, null)) s (n, status, campaign, run)
       left join campaigns c on c.company_id = $1 and c.status = s.campaign
       left join flow_runs r on r.company_id = $1 and r.status = s.run`,
      [company, now],
    );
    await shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/hook' });
    await server.rows(
      `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, status, due_at, give_up_at, finished_at, created_at)
       select $1, w.id, 'm' || n, 'x', 'x', '{}', s, $2, $2, case when s <> 'pending' then $2::timestamptz end, $2
       from webhook_endpoints w, unnest(array['pending', 'delivered', 'failed']) with ordinality as v (s, n) where w.company_id = $1`,
      [company, now],
    );
    server.clock.set('2026-11-01T00:00:00Z');
    await removeOld(server);
    const left = await server.rows<{ key: string }>(
      'select idem_key as key from messages where company_id = $1 order by 1',
      [company],
    );
    expect(left.map((row) => row.key)).toEqual(['k1', 'k2', 'k3', 'k4']);
    expect(await server.rows('select status from flow_runs where company_id = $1', [company])).toEqual([
      { status: 'active' },
    ]);
    expect(await count('flow_run_log', company)).toBe(150);
    expect(await server.rows('select status from webhook_deliveries where company_id = $1', [company])).toEqual([
      { status: 'pending' },
    ]);
  });
});

describe('the settings', () => {
  test('have defaults, can be changed within their bounds, and are one company’s own', async () => {
    server.clock.set('2026-11-01T00:00:00Z');
    const [shop, other] = [await server.company(), await server.company()];
    const read = async (company: TestCompany) => (await company.marketing('GET', '/retention-settings')).body;
    expect(await read(shop)).toMatchObject({
      events_months: 25,
      messages_months: 13,
      contact_activity_months: 13,
      flow_runs_months: 13,
      flow_log_days: 90,
      carts_days: 90,
      mailbox_days: 30,
      webhook_deliveries_days: 30,
      requests_days: 14,
    });
    const changed = await shop.marketing('PATCH', '/retention-settings', { mailbox_days: null, flow_log_days: 7 });
    expect(changed.body).toMatchObject({ mailbox_days: null, flow_log_days: 7, events_months: 25 });
    expect(await read(other)).toMatchObject({ mailbox_days: 30, flow_log_days: 90 });
    expect((await shop.marketing('PATCH', '/retention-settings', { messages_months: 3 })).status).toBe(400);
    const mail = `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
      values ($1, $2, 'email', 'a@example.com', 'b@example.com', '2026-01-01')`;
    await server.rows(mail, [shop.company_id, 900_001]);
    await server.rows(mail, [other.company_id, 900_002]);
    await removeOld(server);
    expect([
      await count('mailbox_messages', shop.company_id),
      await count('mailbox_messages', other.company_id),
    ]).toEqual([1, 0]);
    expect((await read(other)).progress).toContainEqual({
      kind: 'mailbox',
      removed_before: '2026-10-02 00:00:00',
      removed: 1,
    });
  });

  test('carts are kept for a time since their last change, and while they are being paid', async () => {
    server.clock.set('2026-07-01T00:00:00Z');
    const shop = await server.company();
    const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data.id;
    const product_id = await made('/products', { name: 'Tea', price: 10, stock_qty: 1 });
    const method_id = await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' });
    const address = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150' };
    const buyer = { email: 'buyer@example.com', lines: [{ product_id, qty: 1 }], ...address };
    const [left, changed, paying] = [await made('/carts', {}), await made('/carts', {}), await made('/carts', buyer)];
    expect((await shop.commerce('POST', `/carts/${paying}/pay`, { method_id })).status).toBe(200);
    server.clock.set('2026-08-15T00:00:00Z');
    await shop.commerce('PATCH', `/carts/${changed}`, { note: 'Gift' });
    server.clock.set('2026-11-01T00:00:00Z');
    await removeOld(server);
    const statusOf = async (id: number) => (await shop.commerce('GET', `/carts/${id}`)).status;
    expect([await statusOf(left), await statusOf(changed), await statusOf(paying)]).toEqual([404, 200, 200]);
  });

  test('a frequency cap keeps the messages that it counts', async () => {
    const shop = await server.company();
    await shop.marketing('PATCH', '/sending-settings', { frequency_cap: { messages: 1, hours: 8_760 } });
    await shop.marketing('PATCH', '/retention-settings', { messages_months: 4 });
    const insert = `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
      values ($1, $2, 'email', false, 2, $3, 'system', 'sent', $3, $3)`;
    await server.rows(insert, [shop.company_id, 'old', '2025-10-01']);
    await server.rows(insert, [shop.company_id, 'counted', '2026-01-01']);
    await removeOld(server);
    expect(await server.rows('select idem_key from messages where company_id = $1', [shop.company_id])).toEqual([
      { idem_key: 'counted' },
    ]);
  });
});

describe('the removal', () => {
  test('goes through much in short statements, and no company waits for another', async () => {
    server.clock.set('2026-11-01T00:00:00Z');
    const [large, small] = [await server.company(), await server.company()];
    for (const [shop, n] of [
      [large, 20_000],
      [small, 10],
    ] as const) {
      await server.rows(
        `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
         select $1, 'k' || n, 'email', false, 2, $3, 'system', 'sent', $3, $3 from generate_series(1, $2::int) n`,
        [shop.company_id, n, '2025-01-01'],
      );
    }
    const sent = await recordStatements(async () => {
      await removeOld(server);
    });
    const deletes = sent.filter(({ text }) => text.includes('delete from messages'));
    const smallAfter = deletes.findIndex(({ values }) => values.includes(small.company_id));
    expect(deletes.length).toBeGreaterThan(10);
    expect(smallAfter).toBeLessThan(20);
    expect([await count('messages', large.company_id), await count('messages', small.company_id)]).toEqual([0, 0]);
    expect(await broken()).toEqual([]);
  });
});

test('data of a kind that was checked lately waits for its next check', async () => {
  server.clock.set('2026-11-01T00:00:00Z');
  const { company_id: company } = await server.company();
  await removeOld(server);
  await server.rows("update retention_progress set next_at = '-infinity' where company_id = $1 and kind = 'mailbox'", [
    company,
  ]);
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
     values ($1, 'k', 'email', false, 2, $2, 'system', 'sent', $2, $2)`,
    [company, '2025-01-01'],
  );
  await server.rows(
    `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
     values ($1, 900003, 'email', 'a@example.com', 'b@example.com', $2)`,
    [company, '2025-01-01'],
  );
  await removeDue(server);
  expect([await count('mailbox_messages', company), await count('messages', company)]).toEqual([0, 1]);
});

describe('a slice that takes too long', () => {
  /** Removes 60 mails while each takes `sleepMs`; returns how many were removed in each transaction. */
  async function rowsOfSlices(sleepMs: string): Promise<number[]> {
    server.clock.set('2026-11-01T00:00:00Z');
    const { company_id: company } = await server.company();
    await server.rows(
      `insert into mailbox_messages (company_id, id, channel, sender, recipient, created_at)
       select $1, $1::bigint * 1000000 + n, 'email', 'a@example.com', 'b@example.com', '2026-01-01' from generate_series(1, 60) n`,
      [company],
    );
    await server.rows('create table removed_mails (id bigint, xact xid8)');
    await server.rows(`create function slow_removal() returns trigger security definer language plpgsql as $$ begin
      perform pg_sleep(${sleepMs} / 1000.0);
      insert into removed_mails values (old.id, pg_current_xact_id());
      return null;
    end $$`);
    await server.rows(
      `create trigger slow_removal after delete on mailbox_messages for each row execute function slow_removal()`,
    );
    try {
      await removeOld(server);
      expect(await count('mailbox_messages', company)).toBe(0);
      const slices = await server.rows<{ n: number }>('select count(*)::int as n from removed_mails group by xact');
      return slices.map(({ n }) => n);
    } finally {
      await server.rows('drop trigger slow_removal on mailbox_messages');
      await server.rows('drop function slow_removal');
      await server.rows('drop table removed_mails');
    }
  }

  test('is undone and tried again with fewer rows, so that none is held for more than 100 ms', async () => {
    const slices = await rowsOfSlices('10');
    expect(slices.reduce((all, n) => all + n)).toBe(60);
    expect(Math.max(...slices)).toBeLessThanOrEqual(9);
    expect(Math.max(...slices)).toBeGreaterThan(1);
  });

  test('continues row by row past a slow row, and faster again after it', async () => {
    const slices = await rowsOfSlices('case when old.id % 1000000 = 7 then 150 else 0 end');
    expect(slices.reduce((all, n) => all + n)).toBe(60);
    expect(slices).toContain(1);
    expect(Math.max(...slices)).toBeGreaterThan(4);
  });
});

test.each([null, 60])('a period that becomes longer (%s) while old data is removed holds at once', async (months) => {
  server.clock.set('2026-11-01T00:00:00Z');
  const shop = await server.company();
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, due_at, origin, status, created_at, ended_at)
     select $1, 'k' || n, 'email', false, 2, $2, 'system', 'sent', $2, $2 from generate_series(1, 5000) n`,
    [shop.company_id, '2025-01-01'],
  );
  let left = 0;
  await removeOldUntil(server, shop.company_id, async () => {
    left = await count('messages', shop.company_id);
    await shop.marketing('PATCH', '/retention-settings', { messages_months: months });
  });
  expect(left).toBeGreaterThan(4_000);
  expect(await count('messages', shop.company_id)).toBe(left);
});

describe('months of events', () => {
  test('go as a whole once no company wants them, and those of a company that keeps its events stay', async () => {
    const months = async () => {
      const rows = await server.rows<{ name: string }>(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass",
      );
      return rows.map((row) => row.name);
    };
    server.clock.set('2024-10-05T12:00:00Z');
    await server.rows("select ensure_event_partitions('2024-09-01', 1)");
    const [keeps, forgets] = [await server.company(), await server.company()];
    await keeps.marketing('PATCH', '/retention-settings', { events_months: null });
    await track(keeps, 'ann@example.com');
    await track(forgets, 'bob@example.com');
    server.clock.set('2026-12-02T00:00:00Z');
    await addUp();
    await removeOld(server);
    expect(await months()).toContain('events_2024_10');
    expect([await count('events', keeps.company_id), await count('events', forgets.company_id)]).toEqual([1, 0]);
    expect(await months()).not.toContain('events_2024_09');
    await keeps.marketing('PATCH', '/retention-settings', { events_months: 20 });
    await removeOld(server);
    expect(await months()).not.toContain('events_2024_10');
    expect(await broken()).toEqual([]);
  });
});
