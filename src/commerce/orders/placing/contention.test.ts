import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Statement, sql } from '../../../db/sql.ts';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';

const server = testServer({ impatient: true, config: { logLevel: 'silent' } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };

async function product(shop: TestCompany): Promise<number> {
  return Number(
    (await shop.commerce('POST', '/products', { name: 'Thing', price: 10, stock_qty: 1_000 })).body.data!.id,
  );
}

let people = 0;
async function customer(shop: TestCompany): Promise<number> {
  return Number((await shop.commerce('POST', '/customers', { email: `held${++people}@example.com` })).body.data!.id);
}

function place(shop: TestCompany, customerId: number, productId: number, rest: object = {}, key?: string) {
  const items = [{ product_id: productId, qty: 1 }];
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return shop.commerce('POST', '/orders', { customer_id: customerId, items, ...ADDRESS, ...rest }, headers);
}

/** The same, but retries while a busy machine refuses it, as clients do. */
async function placeInTime(...order: Parameters<typeof place>): Promise<TestResponse> {
  const response = await place(...order);
  if (response.status !== 429) return response;
  await sleep(Number(response.headers.get('retry-after')) * 1_000);
  return placeInTime(...order);
}

/** Runs `work` while another transaction holds what the statement locks. */
async function whileHeld<T>(lock: Statement, work: () => Promise<T>): Promise<T> {
  return server.app.db.tx(async (tx) => {
    await tx.query(lock);
    // Keeps the transaction alive, since an idle one is ended after a while.
    const alive = setInterval(() => void tx.query(sql`select 1`), 1_000);
    try {
      return await work();
    } finally {
      clearInterval(alive);
    }
  });
}

const holdStock = (shop: TestCompany, id: number) =>
  sql`select 1 from product_stock where company_id = ${shop.company_id} and product_id = ${id} for update`;
const statuses = (responses: TestResponse[]) => [...new Set(responses.map((response) => response.status))];

test('an order whose product is locked for long fails alone; the others of its batch are placed', {
  timeout: 60_000,
}, async () => {
  const shop = await server.company();
  const [held, free, buyer, other] = [
    await product(shop),
    await product(shop),
    await customer(shop),
    await customer(shop),
  ];
  await whileHeld(holdStock(shop, held), async () => {
    let done = 0;
    const stuck = Array.from({ length: 5 }, () => place(shop, buyer, held));
    for (const one of stuck) void one.then(() => done++);
    for (let round = 0; round < 3; round++) {
      const placed = await Promise.all(Array.from({ length: 30 }, () => placeInTime(shop, other, free)));
      expect(statuses(placed)).toEqual([201]);
      expect(done).toBe(0);
    }
    // A later order waits as well, and blocks nobody either.
    stuck.push(place(shop, buyer, held));
    expect((await placeInTime(shop, other, free)).status).toBe(201);
    expect(statuses(await Promise.all(stuck))).toEqual([500]);
  });
  expect((await place(shop, buyer, held)).status).toBe(201);
  const inventory = await shop.commerce('GET', `/products/${held}/inventory`);
  expect(inventory.body.data).toMatchObject({ stock_qty: 999 });
});

test('an order whose rows are unlocked in time is placed, once for each key, and no connection waits for it', async () => {
  const shop = await server.company();
  const [held, buyer] = [await product(shop), await customer(shop)];
  await shop.commerce('POST', '/promo-codes', { code: 'TEN', type: 'percent', value: 10, usage_limit: 1_000 });
  const holds = [
    holdStock(shop, held),
    sql`select 1 from promo_codes where company_id = ${shop.company_id} for update`,
    sql`select 1 from customer_accounts where company_id = ${shop.company_id} and customer_id = ${buyer} for update`,
    sql`select pg_advisory_xact_lock(hashtextextended('order ' || 'till-2', ${shop.company_id}))`,
  ];
  for (const [i, hold] of holds.entries()) {
    const orders: Promise<TestResponse>[] = [];
    await whileHeld(hold, async () => {
      const rest = { promo_code: 'TEN', external_id: i === 3 ? 'till-2' : `till-1-${i}` };
      for (let twin = 0; twin < 3; twin++) orders.push(place(shop, buyer, held, rest, `key-${i}`));
      await expect.poll(() => server.lockWaits()).not.toBe(0);
      await expect.poll(() => server.lockWaits()).toBe(0);
    });
    const responses = await Promise.all(orders);
    expect(statuses(responses)).toEqual([201]);
    expect(new Set(responses.map((response) => response.body.data!.id)).size).toBe(1);
  }
  const inventory = await shop.commerce('GET', `/products/${held}/inventory`);
  expect(inventory.body.data).toMatchObject({ stock_qty: 1_000 - holds.length });
});

test('orders with custom values wait while definitions are changed; the others of their batch are placed', async () => {
  const shop = await server.company();
  await shop.commerce('POST', '/custom-fields', { on: 'order', key: 'gift', name: 'Gift', type: 'text' });
  const [free, buyer] = [await product(shop), await customer(shop)];
  const hold = sql`select pg_advisory_xact_lock(hashtextextended('custom fields', ${shop.company_id}))`;
  let waiting: Promise<TestResponse>[] = [];
  await whileHeld(hold, async () => {
    let done = 0;
    waiting = Array.from({ length: 2 }, () => place(shop, buyer, free, { custom: { gift: 'For Ann' } }));
    // It changes its customer as well, so it is placed alone.
    waiting.push(place(shop, buyer, free, { custom: { gift: 'For Bob' }, accepts_marketing: true }));
    for (const one of waiting) void one.then(() => done++);
    const others = await Promise.all(Array.from({ length: 10 }, () => placeInTime(shop, buyer, free)));
    expect(statuses(others)).toEqual([201]);
    expect(done).toBe(0);
    await expect.poll(() => server.lockWaits()).toBe(0);
  });
  const placed = await Promise.all(waiting);
  expect(statuses(placed)).toEqual([201]);
  expect(placed.map(({ body }) => body.data!.custom.gift)).toEqual(['For Ann', 'For Ann', 'For Bob']);
});

test('one company has a bounded number of waiting orders; further ones get 429', async () => {
  const shop = await server.company();
  const [held, buyer] = [await product(shop), await customer(shop)];
  let orders: Promise<TestResponse>[] = [];
  await whileHeld(holdStock(shop, held), async () => {
    orders = Array.from({ length: 400 }, () => place(shop, buyer, held));
    const first = await Promise.race(orders);
    expect(first.status).toBe(429);
  });
  const responses = await Promise.all(orders);
  expect(statuses(responses).sort()).toEqual([201, 429]);
  const placed = responses.filter((response) => response.status === 201).length;
  // About 256 plus one batch; fewer if the machine is so busy that orders would have waited for too long.
  expect(placed).toBeGreaterThan(0);
  expect(placed).toBeLessThan(400);
  const refused = responses.filter((response) => response.status === 429);
  // A full queue requests a retry after 1 s. A machine so busy that requests wait too long refuses some before they reach it.
  for (const { headers, body } of refused) {
    const isOfLine = body.error.message === 'Too many orders wait for the same products';
    if (isOfLine) expect(headers.get('retry-after')).toBe('1');
    else expect(body.error).toMatchObject({ details: { reason: 'overloaded' } });
  }
});
