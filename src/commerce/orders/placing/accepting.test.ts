import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
let shop: TestCompany;
let productId: number;

beforeAll(async () => {
  shop = await server.company();
  productId = (await shop.commerce('POST', '/products', { name: 'Tea', price: 4, stock_qty: 100 })).body.data.id;
});

const deliver = async () => {
  const outbox = server.app.workers.find((worker) => worker.name === 'outbox')!;
  while ((await outbox.runOnce()) > 0);
};

let last = 0;
async function customer(accepts: boolean): Promise<{ id: number; email: string }> {
  const email = `accepting${++last}@example.com`;
  const { body } = await shop.commerce('POST', '/customers', { email, accepts_marketing: accepts });
  return { id: body.data.id, email };
}

function order(customerId: number, rest: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const items = [{ product_id: productId, qty: 1 }];
  return shop.commerce('POST', '/orders', { customer_id: customerId, items, ...ADDRESS, ...rest }, headers);
}

const accepts = async (id: number): Promise<boolean> =>
  (await shop.commerce('GET', `/customers/${id}`)).body.data.accepts_marketing;
const contact = async (email: string) =>
  (await shop.marketing('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.contacts[0];

test('an order changes whether its customer accepts marketing, and the consent at once', async () => {
  const { id, email } = await customer(false);
  await deliver();
  expect((await order(id, { accepts_marketing: true })).status).toBe(201);
  expect(await accepts(id)).toBe(true);
  expect(await contact(email)).toMatchObject({
    status: 'subscribed',
    consent: { email: { state: 'subscribed', source: 'shop' } },
  });
  await deliver();
  expect((await order(id, { accepts_marketing: false })).status).toBe(201);
  expect(await accepts(id)).toBe(false);
  expect(await contact(email)).toMatchObject({ consent: { email: { state: 'never', source: 'shop' } } });
  // The address stays unsubscribed: nobody else can resubscribe it.
  await shop.marketing('POST', '/contacts', { email, consent: { email: 'subscribed' } });
  expect((await contact(email)).status).toBe('unsubscribed');
  await deliver();
  expect((await contact(email)).status).toBe('unsubscribed');
});

test('an order that says nothing of it, or the same, changes nothing', async () => {
  const { id } = await customer(true);
  const before = (await shop.commerce('GET', `/customers/${id}`)).body.data;
  expect((await order(id, {})).status).toBe(201);
  expect((await order(id, { accepts_marketing: true })).status).toBe(201);
  expect((await shop.commerce('GET', `/customers/${id}`)).body.data).toEqual(before);
});

test('of a customer whom marketing does not know yet, the order’s word is the last', async () => {
  const { id, email } = await customer(true);
  expect((await order(id, { accepts_marketing: false })).status).toBe(201);
  await deliver();
  expect(await contact(email)).toMatchObject({ status: 'unsubscribed', consent: { email: { state: 'never' } } });
});

test('an order that fails leaves the customer as they were', async () => {
  const { id } = await customer(false);
  const items = [{ product_id: productId, qty: 5_000 }];
  expect((await order(id, { accepts_marketing: true, items })).body.error.details.reason).toBe('insufficient_stock');
  expect(await accepts(id)).toBe(false);
  const unknown = await order(2_000_000_000, {});
  const accepting = await order(2_000_000_000, { accepts_marketing: true });
  expect(accepting.status).toBe(unknown.status);
  const { code, details } = unknown.body.error!;
  expect(accepting.body.error).toMatchObject({ code, details: { ...details, request_id: expect.any(String) } });
  expect((await order(id, { accepts_marketing: 'yes' })).status).toBe(422);
});

test('a replayed order does not revert a later consent', async () => {
  const { id } = await customer(false);
  const first = await order(id, { accepts_marketing: true }, 'accepting-1');
  await shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing: false });
  const second = await order(id, { accepts_marketing: true }, 'accepting-1');
  expect(second.body.data.id).toBe(first.body.data.id);
  expect(await accepts(id)).toBe(false);
});

test('orders, changes and other orders of one customer at once end in one word on both sides', async () => {
  const { id, email } = await customer(false);
  await deliver();
  const all = Array.from({ length: 12 }, (_, i) => [
    order(id, { accepts_marketing: i % 2 === 0 }),
    shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing: i % 3 === 0 }),
    order(id, {}),
  ]).flat();
  for (const { status } of await Promise.all(all)) expect([200, 201]).toContain(status);
  await deliver();
  const said = await accepts(id);
  expect((await contact(email)).consent.email.state).toBe(said ? 'subscribed' : 'never');
});
