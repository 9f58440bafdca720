import { describe, expect, it } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';

const server = testServer();
const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_state: 'IL',
  shipping_zip: '12345',
};

async function product(shop: TestCompany, more: object = {}): Promise<number> {
  const body = { name: 'Thing', price: 10, stock_qty: 100, ...more };
  return Number((await shop.commerce('POST', '/products', body)).body.data!.id);
}

let people = 0;
async function customer(shop: TestCompany): Promise<number> {
  const body = { email: `waiting${++people}@example.com` };
  return Number((await shop.commerce('POST', '/customers', body)).body.data!.id);
}

function place(shop: TestCompany, customerId: number, productId: number, rest: object = {}): Promise<TestResponse> {
  const items = [{ product_id: productId, qty: 1 }];
  return shop.commerce('POST', '/orders', { customer_id: customerId, items, ...ADDRESS, ...rest });
}

/** Returns the response of an order that begins to wait for the product's stock before `change` and gets it afterwards. */
async function orderAround(
  shop: TestCompany,
  held: number,
  order: () => Promise<TestResponse>,
  change: () => Promise<unknown>,
): Promise<TestResponse> {
  let placed: Promise<TestResponse> | undefined;
  await server.app.db.tx(async (tx) => {
    await tx.query(
      sql`select 1 from product_stock where company_id = ${shop.company_id} and product_id = ${held} for update`,
    );
    placed = order();
    await expect.poll(() => server.lockWaits()).toBe(1);
    await change();
  });
  return placed!;
}

describe('an order that waited for a lock uses the state after the wait', () => {
  /** Changes a product like PATCH /products, but bypasses the lock for which that would wait. */
  const changeProduct = (shop: TestCompany, id: number, change: string) =>
    server.rows(`update products set ${change} where company_id = $1 and id = $2`, [shop.company_id, id]);

  it('in its price', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const response = await orderAround(
      shop,
      id,
      () => place(shop, buyer, id),
      () => changeProduct(shop, id, 'price = 1700'),
    );
    expect([response.status, response.body.data?.subtotal]).toEqual([201, 17]);
  });

  it('in whether its product is still sold', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const response = await orderAround(
      shop,
      id,
      () => place(shop, buyer, id),
      () => changeProduct(shop, id, 'archived_at = now()'),
    );
    expect([response.status, response.body.error?.details?.reason]).toEqual([422, 'validation_failed']);
  });

  it('in shipping, taxes and points', async () => {
    const shop = await server.company();
    const [id, buyer] = [await product(shop), await customer(shop)];
    const rule = { country: 'US', state: 'IL', rate: 0.2, name: 'Sales tax' };
    expect((await shop.commerce('POST', '/tax-rules', rule)).status).toBe(201);
    // Loads the shop into this process's cache before the change, which another process makes.
    await place(shop, buyer, id);
    const changes = [
      'update tax_rules set rate = rate / 2 where company_id = $1',
      `update shipping_methods set config = '{"cost": 300}' where company_id = $1`,
      `update companies set settings = '{"loyalty": {"points_per_dollar": 5000000}}' where company_id = $1`,
    ];
    const response = await orderAround(
      shop,
      id,
      () => place(shop, buyer, id),
      () => Promise.all(changes.map((change) => server.rows(change, [shop.company_id]))),
    );
    expect(response.body.data).toMatchObject({ subtotal: 10, tax: 1, shipping: 3, total: 14 });
    const loyalty = await shop.commerce('GET', `/customers/${buyer}/loyalty`);
    expect(loyalty.body.data).toMatchObject({ current_balance: 60 });
  });

  it('in the points that its delivery earns', async () => {
    const shop = await server.company();
    await shop.commerce('PATCH', '/loyalty/settings', { earn_on: 'delivered' });
    const [id, buyer] = [await product(shop), await customer(shop)];
    const order = (await place(shop, buyer, id)).body.data!.id;
    for (const status of ['processing', 'shipped']) await shop.commerce('PATCH', `/orders/${order}/status`, { status });
    let delivered: Promise<TestResponse> | undefined;
    await server.app.db.tx(async (tx) => {
      await tx.query(sql`select 1 from orders where company_id = ${shop.company_id} and id = ${order} for update`);
      delivered = shop.commerce('PATCH', `/orders/${order}/status`, { status: 'delivered' });
      await expect.poll(() => server.lockWaits()).toBe(1);
      await shop.commerce('PATCH', '/loyalty/settings', { points_per_dollar: 5 });
    });
    expect((await delivered!).status).toBe(200);
    const loyalty = await shop.commerce('GET', `/customers/${buyer}/loyalty`);
    expect(loyalty.body.data).toMatchObject({ current_balance: 50 });
  });
});
