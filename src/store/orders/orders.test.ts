import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { newestMail, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let store: TestStore;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
async function newOrder(email: string): Promise<number> {
  const customer_id = (await made('/customers', { email })).id;
  const product_id = (await made('/products', { name: 'Tea', price: 10, stock_qty: 5 })).id;
  return (await made('/orders', { ...ADDRESS, customer_id, items: [{ product_id, qty: 1 }] })).id;
}
const lookUp = (order_id: number, email: string) => store.send('POST', '/orders/lookup', { order_id, email });
const mailsTo = async (email: string): Promise<number> => {
  const rows = await server.rows<{ n: number }>('select count(*)::int as n from ledger where recipient = $1', [email]);
  return rows[0]!.n;
};

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  store = await testStore(server, shop.company_id);
  await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example.com/order' });
});

beforeEach(() => server.clock.advance(61_000));

test('the buyer of an order gets its link, at most once an hour', async () => {
  const order = await newOrder('Buyer@Example.com');
  const asked = await lookUp(order, ' BUYER@example.com ');
  expect([asked.status, asked.body.data]).toEqual([200, { sent: true }]);
  const mail = (await newestMail(server, shop, 'buyer@example.com'))!;
  expect(mail.subject).toBe(`Your order ${order} at Fernhill`);
  const token = /https:\/\/shop\.example\.com\/order#order=([\w-]{55})/.exec(mail.text)![1]!;
  expect((await store.get('/order', { 'x-order-token': token })).body.data.id).toBe(order);
  expect((await lookUp(order, 'buyer@example.com')).body.data).toEqual({ sent: true });
  expect(await mailsTo('buyer@example.com')).toBe(1);
  server.clock.advance(3_600_000);
  await lookUp(order, 'buyer@example.com');
  expect(await mailsTo('buyer@example.com')).toBe(2);
});

test('whoever asks for another order learns nothing, neither by the response nor by its time', async () => {
  const order = await newOrder('known@example.com');
  const elsewhere = await testStore(server, (await server.company()).company_id);
  const began = performance.now();
  for (const ask of [
    () => lookUp(order, 'other@example.com'),
    () => lookUp(999_999_999, 'known@example.com'),
    () => lookUp(order, 'no address'),
    () => elsewhere.send('POST', '/orders/lookup', { order_id: order, email: 'known@example.com' }),
  ]) {
    const { status, body } = await ask();
    expect([status, body.data]).toEqual([200, { sent: true }]);
  }
  expect(performance.now() - began).toBeGreaterThan(4 * 290);
  for (const email of ['known@example.com', 'other@example.com']) expect(await mailsTo(email)).toBe(0);
});

test('nothing is mailed as long as the shop has no storefront to lead to', async () => {
  const order = await newOrder('early@example.com');
  await shop.commerce('PATCH', '/checkout-settings', { store_url: null });
  expect((await lookUp(order, 'early@example.com')).body.data).toEqual({ sent: true });
  expect(await mailsTo('early@example.com')).toBe(0);
});

test('a network asks 10 times a minute', async () => {
  const statuses: number[] = [];
  for (const result of await Promise.all(Array.from({ length: 12 }, () => lookUp(1, 'x@example.com')))) {
    statuses.push(result.status);
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
});

test('the buyer of an order chooses another way to pay what is owed, of an order whose payments the shop keeps', async () => {
  const transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  const cash = (await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true })).id;
  const order = await newOrder('later@example.com');
  await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example.com/order' });
  await lookUp(order, 'later@example.com');
  const token = /#order=([\w-]{55})/.exec((await newestMail(server, shop, 'later@example.com'))!.text)![1]!;
  const pay = (method_id: number) => store.send('POST', '/order/pay', { method_id }, { 'x-order-token': token });
  const refused = await pay(transfer);
  expect([refused.status, refused.body.error!.details.reason]).toEqual([422, 'nothing_to_pay']);
  await made(`/orders/${order}/payments`, { method_id: cash, amount: 4 });
  const begun = await pay(transfer);
  expect(begun.body.data).toMatchObject({
    status: 'placed',
    order: { id: order, balance: 6, payment_status: 'partially_paid' },
    payment: { amount: 6, status: 'action_required', method_id: transfer },
    order_token: token,
  });
  expect((await pay(transfer)).body.data).toEqual(begun.body.data);
  expect((await pay(cash)).body.error!.details.reason).toBe('payment_method_unavailable');
  expect((await store.send('POST', '/order/pay', { method_id: transfer })).status).toBe(404);
});
