import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { eventInvariants } from './invariants.ts';
import { addUpEvents } from './service.ts';

const DAY_MS = 86_400_000;
const server = testServer();
let shop: TestCompany;
let last = 0;

async function order(email: string, total: number, occurred_at?: string): Promise<void> {
  const event_data = { order_id: `o${++last}`, email, total };
  const response = await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data, occurred_at });
  expect(response.status).toBe(201);
}

async function contactOf(body: object): Promise<number> {
  return Number((await shop.marketing('POST', '/contacts', body)).body.contact_id);
}

async function count(field: string, comparison: string, value: number | number[]): Promise<number> {
  const conditions = { rules: [{ field, comparison, value }] };
  return (await shop.marketing('POST', '/segments/preview', { conditions })).body.count;
}

/** Erases the contact; on a busy machine, a worker ends what the request began. */
async function erase(contactId: number): Promise<void> {
  expect((await shop.marketing('DELETE', `/contacts/${contactId}`)).status).toBe(200);
  const worker = server.app.workers.find(({ name }) => name === 'erasures')!;
  while ((await worker.runOnce()) > 0);
}

async function addUpAll(): Promise<void> {
  while (await addUpEvents(server.app.db, server.clock.now()));
}

/** Advances the clock by two days, and runs the daily chore. */
async function aDayIsOver(): Promise<void> {
  server.clock.advance(2 * DAY_MS);
  await addUpAll();
  const [left] = await server.rows<{ n: string }>(
    'select count(*) as n from events where received_at >= (select added_up_to from event_totals_state)',
  );
  expect(left!.n).toBe('0');
}

beforeAll(async () => {
  shop = await server.company();
});

/** Money of an order that was given back, or has returned. */
async function money(event_type: string, email: string, net_amount: number, occurred_at?: string): Promise<void> {
  const event_data = { order_id: `o${++last}`, email, amount: net_amount + 5, net_amount };
  const response = await shop.marketing('POST', '/events', { event_type, event_data, occurred_at });
  expect(response.status).toBe(201);
}

describe('totals of past events', () => {
  test('count together with later events, whenever they occurred', async () => {
    await order('ann@example.com', 300);
    await order('bob@example.com', 499.99);
    await aDayIsOver();
    expect(await count('purchases.total', 'greater_than', 500)).toBe(0);
    await order('ann@example.com', 200.01, '2026-01-01 00:00:00');
    await order('cleo@example.com', 500.5);
    expect(await count('purchases.total', 'greater_than', 500)).toBe(2);
    expect(await count('purchases.count', 'greater_than_or_equal', 2)).toBe(1);
    await aDayIsOver();
    expect(await count('purchases.total', 'equals', 500.01)).toBe(1);
    expect(await count('purchases.count', 'between', [1, 1])).toBe(2);
    expect(await broken()).toEqual([]);
  });

  test('move with merged contacts, and lose their amounts when the contact is erased', async () => {
    const kept = await contactOf({ external_id: 'kept' });
    await contactOf({ email: 'joins@example.com' });
    await order('joins@example.com', 7_000);
    const erased = await contactOf({ email: 'goes@example.com' });
    await order('goes@example.com', 7_000);
    await aDayIsOver();
    await order('joins@example.com', 1_000);
    expect(await contactOf({ external_id: 'kept', email: 'joins@example.com' })).toBe(kept);
    expect(await count('purchases.total', 'equals', 8_000)).toBe(1);
    await erase(erased);
    expect(await count('purchases.total', 'greater_than_or_equal', 7_000)).toBe(1);
    const rows = await server.rows('select n, amount from event_totals where contact_id = $1', [erased]);
    expect(rows).toEqual([{ n: '1', amount: '0' }]);
    expect(await broken()).toEqual([]);
  });

  test('have what was given back, which merges and erasures keep exact', async () => {
    for (const event_type of ['order_refunded', 'payment_disputed', 'order_refund_reversed']) {
      await shop.marketing('POST', '/event-types', { event_type });
    }
    await contactOf({ external_id: 'stays' });
    await contactOf({ email: 'buyer@example.com' });
    const leaves = await contactOf({ email: 'leaves@example.com' });
    await order('buyer@example.com', 40_000);
    await money('order_refunded', 'buyer@example.com', 1_000.01);
    await money('order_refunded', 'leaves@example.com', 40_000);
    expect(await count('purchases.net', 'equals', 38_999.99)).toBe(1);
    await aDayIsOver();
    expect(await count('purchases.net', 'equals', 38_999.99)).toBe(1);
    await money('payment_disputed', 'buyer@example.com', 2_000);
    expect(await count('purchases.net', 'equals', 36_999.99)).toBe(1);
    expect(await contactOf({ external_id: 'stays', email: 'buyer@example.com' })).toBeGreaterThan(0);
    await money('order_refund_reversed', 'buyer@example.com', 500);
    expect(await count('purchases.net', 'equals', 37_499.99)).toBe(1);
    expect(await count('purchases.total', 'equals', 40_000)).toBe(1);
    expect(await count('purchases.net', 'less_than', 0)).toBe(1);
    await aDayIsOver();
    expect(await count('purchases.net', 'equals', 37_499.99)).toBe(1);
    await erase(leaves);
    expect(await server.rows('select n, amount from event_totals where contact_id = $1', [leaves])).toEqual([
      { n: '1', amount: '0' },
    ]);
    expect(await count('purchases.net', 'less_than', 0)).toBe(0);
    expect(await broken()).toEqual([]);
  });

  test('are correct where a contact is merged while they are computed', async () => {
    const [from, into] = [await contactOf({ email: 'from@example.com' }), await contactOf({ email: 'to@example.com' })];
    await order('from@example.com', 12_000);
    server.clock.advance(2 * DAY_MS);
    let adding: Promise<unknown> | undefined;
    await server.app.db.tx(async (tx) => {
      await tx.query(sql`
        update events set contact_id = ${into} where company_id = ${shop.company_id} and contact_id = ${from}`);
      adding = addUpEvents(server.app.db, server.clock.now());
      await sleep(100);
    });
    await adding;
    expect(await broken()).toEqual([]);
    expect(await count('purchases.total', 'equals', 12_000)).toBe(1);
  });

  test('that differ from the events are found by the doctor', async () => {
    await server.rows('update event_totals set n = n + 1 where amount = 12000');
    expect(await broken()).toEqual([expect.objectContaining({ id: 'events.totals', violations: 1 })]);
    await server.rows('delete from event_totals');
    await server.rows('update event_totals_state set added_up_to = null');
    await addUpAll();
    expect(await broken()).toEqual([]);
  });

  async function broken() {
    return (await checkInvariants(server.app.db, eventInvariants)).filter((finding) => !finding.ok);
  }
});
