import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningApp } from '../../app.ts';
import { workerCaller } from '../../caller.ts';
import { checkInvariants } from '../../invariants.ts';
import { anotherApp } from '../../testing/another-app.ts';
import { testServer } from '../../testing/harness.ts';

const server = testServer();
const ADDRESS = { shipping_address: '1 Lane', shipping_city: 'Berlin', shipping_zip: '10115', shipping_country: 'DE' };
const CUSTOMERS = 100;
let other: Awaited<ReturnType<typeof anotherApp>>;

beforeAll(async () => {
  other = await anotherApp(server);
});
afterAll(() => other.stop());

test('of orders that two processes place at once, all but one of each customer are of a returning customer', async () => {
  const shop = await server.company();
  const company = shop.company_id;
  const made = async (path: string, body: object): Promise<number> => {
    const response = await shop.commerce('POST', path, body);
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    return response.body.data.id;
  };
  const zone = await made('/shipping-zones', { name: 'Everywhere' });
  await made('/shipping-methods', { zone_id: zone, name: 'Free', type: 'flat', cost: 0 });
  const products = [
    await made('/products', { name: 'Tea', price: 10, stock_qty: 10_000 }),
    await made('/products', { name: 'Cup', price: 10, stock_qty: 10_000 }),
  ];
  const customers = [];
  for (let i = 0; i < CUSTOMERS; i++) customers.push(await made('/customers', { email: `c${i}@example.com` }));
  const place = ({ orders }: Pick<RunningApp['app'], 'orders'>, customer_id: number, product_id: number) =>
    orders.place(workerCaller(company, 'test', server.clock.now()), {
      customer_id,
      items: [{ product_id, qty: 1 }],
      ...ADDRESS,
    });
  for (let i = 0; i < CUSTOMERS; i += 1) {
    await Promise.all(
      customers
        .slice(i, i + 1)
        .flatMap((customer) => [
          place(server.app, customer, products[0]!),
          place(other.running.app, customer, products[1]!),
        ]),
    );
  }
  const [kept] = await server.rows<{ placed: string; returning: string }>(
    'select sum(placed) as placed, sum(returning_orders) as returning from sales where company_id = $1',
    [company],
  );
  expect([Number(kept!.placed), Number(kept!.returning)]).toEqual([2 * CUSTOMERS, CUSTOMERS]);
  const failing = async () =>
    (await checkInvariants(server.app.db)).filter(({ id, ok }) => id.startsWith('sales.') && !ok).map(({ id }) => id);
  expect(await failing()).toEqual([]);
  await server.rows('insert into sales_deltas values ($1, now(), 0, 0, 0, 1)', [company]);
  expect(await failing()).toContain('sales.returning');
});
