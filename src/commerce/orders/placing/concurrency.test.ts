import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { checkInvariants } from '../../../invariants.ts';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';

const server = testServer({ impatient: true });
const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_state: 'IL',
  shipping_zip: '12345',
};

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

async function product(shop: TestCompany, stock: number, price = 10): Promise<number> {
  return Number((await shop.commerce('POST', '/products', { name: 'Thing', price, stock_qty: stock })).body.data!.id);
}

let people = 0;
async function customer(shop: TestCompany): Promise<number> {
  return Number((await shop.commerce('POST', '/customers', { email: `many${++people}@example.com` })).body.data!.id);
}

/** Places an order, and retries while a busy machine refuses it, as clients do. */
async function place(
  shop: TestCompany,
  customerId: number,
  productId: number,
  rest: object = {},
): Promise<TestResponse> {
  const items = [{ product_id: productId, qty: 1 }];
  for (;;) {
    const response = await shop.commerce('POST', '/orders', { customer_id: customerId, items, ...ADDRESS, ...rest });
    if (response.body.error?.details?.reason !== 'overloaded') return response;
    await pause(Number(response.headers.get('retry-after')) * 1_000);
  }
}

/** Runs `count` calls of `work`, at most `width` of them at a time. */
async function crowd<T>(count: number, width: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
}

function count(responses: TestResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of responses) {
    const key = status === 201 ? '201' : `${status} ${String(body.error?.details?.reason)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

test('5,000 attempts on a stock of 1,000 from 200 connections: exactly 1,000 orders', { timeout: 60_000 }, async () => {
  const shop = await server.company();
  const [id, buyer] = [await product(shop, 1_000), await customer(shop)];
  const responses = await crowd(5_000, 200, () => place(shop, buyer, id));
  expect(count(responses)).toEqual({ '201': 1_000, '422 insufficient_stock': 4_000 });
  const inventory = await shop.commerce('GET', `/products/${id}/inventory`);
  expect(inventory.body.data).toMatchObject({ stock_qty: 0, in_stock: false });
});

test('a promo code of one use is used once by 100 at once, and again after its order is cancelled', async () => {
  const shop = await server.company();
  const id = await product(shop, 1_000);
  const buyers = await Promise.all(Array.from({ length: 10 }, () => customer(shop)));
  await shop.commerce('POST', '/promo-codes', { code: 'ONCE', type: 'fixed', value: 1, usage_limit: 1 });
  const responses = await crowd(100, 100, (i) => place(shop, buyers[i % 10]!, id, { promo_code: 'once' }));
  expect(count(responses)).toEqual({ '201': 1, '422 promo_usage_limit': 99 });
  const won = responses.find((response) => response.status === 201)!.body.data!;
  expect(won).toMatchObject({ promo_code: 'ONCE', discount: 1, total: 9 });
  await shop.commerce('PATCH', `/orders/${won.id}/status`, { status: 'cancelled' });
  expect(count(await crowd(10, 10, () => place(shop, buyers[0]!, id, { promo_code: 'ONCE' })))).toMatchObject({
    '201': 1,
  });
});

test('a limit per customer holds for each customer on its own', async () => {
  const shop = await server.company();
  const id = await product(shop, 1_000);
  const buyers = await Promise.all([customer(shop), customer(shop), customer(shop)]);
  await shop.commerce('POST', '/promo-codes', { code: 'TWICE', type: 'percent', value: 10, per_customer_limit: 2 });
  const responses = await crowd(60, 60, (i) => place(shop, buyers[i % 3]!, id, { promo_code: 'TWICE' }));
  expect(count(responses)).toEqual({ '201': 6, '422 promo_customer_limit': 54 });
  for (const buyer of buyers) {
    expect((await shop.commerce('GET', `/customers/${buyer}/orders`)).body.meta!.pagination!.total).toBe(2);
  }
});

test('a code for the first order works on one of many first orders', async () => {
  const shop = await server.company();
  const [id, buyer] = [await product(shop, 1_000), await customer(shop)];
  await shop.commerce('POST', '/promo-codes', { code: 'FIRST', type: 'percent', value: 50, first_order_only: true });
  const responses = await crowd(20, 20, () => place(shop, buyer, id, { promo_code: 'FIRST' }));
  expect(count(responses)).toEqual({ '201': 1, '422 promo_not_applicable': 19 });
});

test('of two codes for first orders that come at once, in batches of their own, one works', async () => {
  const shop = await server.company();
  const [a, b, buyer] = [await product(shop, 10), await product(shop, 10), await customer(shop)];
  for (const code of ['HELLO', 'WELCOME']) {
    await shop.commerce('POST', '/promo-codes', { code, type: 'percent', value: 50, first_order_only: true });
  }
  await shop.commerce('POST', `/customers/${buyer}/loyalty/adjust`, { points: 1 });
  const responses: Promise<TestResponse>[] = [];
  await server.app.db.tx(async (tx) => {
    // An order locks its customer's account last: by then, both have searched for earlier orders.
    await tx.query(sql`select 1 from customer_accounts where customer_id = ${buyer} for update`);
    for (const [id, promo_code] of [
      [a, 'HELLO'],
      [b, 'WELCOME'],
    ] as const) {
      responses.push(place(shop, buyer, id, { promo_code }));
      await expect.poll(() => server.lockWaits()).toBe(responses.length);
    }
  });
  expect(count(await Promise.all(responses))).toEqual({ '201': 1, '422 promo_not_applicable': 1 });
});

test('points are redeemed once by 30 at once, and come back when the order is cancelled', async () => {
  const shop = await server.company();
  const [id, buyer] = [await product(shop, 1_000, 150), await customer(shop)];
  await place(shop, buyer, id);
  const responses = await crowd(30, 30, () => place(shop, buyer, id, { redeem_points: 150 }));
  // An order that redeems points earns some again, so a second one could follow only with enough of them: 148 < 150.
  expect(count(responses)).toEqual({ '201': 1, '422 insufficient_points': 29 });
  const won = responses.find((response) => response.status === 201)!.body.data!;
  expect(won).toMatchObject({ points_redeemed: 150, discount: 1.5, total: 148.5 });
  await shop.commerce('PATCH', `/orders/${won.id}/status`, { status: 'cancelled' });
  const loyalty = await shop.commerce('GET', `/customers/${buyer}/loyalty`);
  expect(loyalty.body.data).toMatchObject({ current_balance: 150, lifetime_points: 150, dollar_value: 1.5 });
});

test("orders that wait for a lock hold up no other company's", async () => {
  const [stuck, free] = [await server.company(), await server.company()];
  const [held, buyer] = [await product(stuck, 10), await customer(stuck)];
  const [id, other] = [await product(free, 10), await customer(free)];
  await server.app.db.tx(async (tx) => {
    await tx.query(sql`select 1 from product_stock where product_id = ${held} for update`);
    const waiting: Promise<TestResponse>[] = [];
    for (let i = 0; i < 4; i++) {
      waiting.push(place(stuck, buyer, held));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    let settled = 0;
    for (const response of waiting) void response.then(() => settled++);
    expect((await place(free, other, id)).status).toBe(201);
    expect(settled).toBe(0);
  });
});

test('of orders with one external_id on their way at once, in batches of their own, exactly one is placed', async () => {
  const shop = await server.company();
  const buyer = await customer(shop);
  const ids = await Promise.all(Array.from({ length: 8 }, () => product(shop, 1_000)));
  for (let round = 0; round < 10; round++) {
    // Orders a few milliseconds apart get into different transactions, and orders of different products do not block each other.
    const responses = await Promise.all(
      ids.map(async (id, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 2));
        return place(shop, buyer, id, { external_id: `till-${round}` });
      }),
    );
    expect(count(responses)).toEqual({ '201': 1, '422 duplicate': 7 });
  }
});

test('orders, cancellations and stock changes at once violate no invariant', { timeout: 60_000 }, async () => {
  const shop = await server.company();
  const ids = await Promise.all(Array.from({ length: 5 }, () => product(shop, 100)));
  const buyers = await Promise.all(Array.from({ length: 5 }, () => customer(shop)));
  await shop.commerce('POST', '/promo-codes', { code: 'SOME', type: 'percent', value: 5, usage_limit: 40 });
  const statuses = await crowd(600, 60, async (i) => {
    const pick = (list: number[], n: number) => list[n % list.length]!;
    if (i % 11 === 0) return shop.commerce('PATCH', `/products/${pick(ids, i)}`, { stock_qty: 50 + (i % 50) });
    const items = [pick(ids, i), pick(ids, i * 7 + 3)].map((product_id) => ({ product_id, qty: 1 + (i % 3) }));
    const body = { customer_id: pick(buyers, i), items, ...ADDRESS, promo_code: i % 2 ? 'SOME' : null };
    const made = await shop.commerce('POST', '/orders', body);
    if (made.status === 201 && i % 3 === 0) {
      return shop.commerce('PATCH', `/orders/${made.body.data!.id}/status`, { status: 'cancelled' });
    }
    return made;
  });
  expect(statuses.filter((response) => response.status >= 500)).toEqual([]);
  expect(statuses.filter((response) => response.status < 300).length).toBeGreaterThan(50);
});
