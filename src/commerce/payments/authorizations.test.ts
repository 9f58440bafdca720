import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Money that is authorized, and captured later, or never. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;

let shop: TestCompany;
let accounts: { stripe: number; mollie: number };
let card: number;
let shipped: number;
let later: number;
let cash: number;
let transfer: number;
let tea: number;
let guests = 0;

const { made, read } = asking(() => shop);
const newCart = () =>
  made('/carts', { email: `guest${++guests}@example.com`, lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
const money = async (id: number) => {
  const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
  return [payment_status, paid, refunded, balance];
};
const ship = (id: number) => shop.commerce('PATCH', `/orders/${id}/status`, { status: 'shipped' });
const work = async (ms: number) => {
  clock.advance(ms);
  await stripe.webhooks.idle();
  await mollie.webhooks.idle();
  for (let passes = 0; passes < 4; passes++) {
    await server.app.workers.find(({ name }) => name === 'payments')!.runOnce();
  }
};
const events = async (topic: string, order: number) =>
  (await server.rows("select id from outbox where topic = $1 and payload ->> 'order_id' = $2", [topic, String(order)]))
    .length;
/** An order whose buyer has authorized 30 with a card. */
async function authorizedOrder(method = shipped) {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: method });
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const { order } = await made(`/carts/${cart.id}/confirm`);
  expect(order.payment_status).toBe('authorized');
  return { order, payment };
}

beforeAll(async () => {
  shop = await server.company();
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  accounts = { stripe: byStripe.id, mollie: byMollie.id };
  stripe.registerWebhook(byStripe.webhook_url);
  const method = async (fields: object) =>
    (await made('/payment-methods', { kind: 'any', name: 'Card', ...fields })).id;
  card = await method({ provider: 'stripe', account_id: byStripe.id });
  shipped = await method({ provider: 'stripe', account_id: byStripe.id, capture: 'on_shipped' });
  later = await method({ provider: 'mollie', account_id: byMollie.id, capture: 'by_hand' });
  cash = await method({ kind: 'cash', name: 'Cash' });
  transfer = await method({ kind: 'bank_transfer', name: 'Transfer' });
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});
afterEach(async () => expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]));
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

test('a cart is not placed with an authorization that its service is releasing', async () => {
  mollie.delays.releaseMs = 30 * MINUTE;
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: later });
  mollie.buyer.authorize(payment.provider_ref);
  const reopened = await shop.commerce('POST', `/carts/${cart.id}/reopen`);
  expect([reopened.status, reopened.body.error!.details.reason]).toEqual([422, 'payment_in_progress']);
  await work(MINUTE);
  expect((await read(`/carts/${cart.id}`)).status).toBe('paying');
  for (let n = 0; n < 3; n++) await work(20 * MINUTE);
  expect((await read(`/carts/${cart.id}`)).status).toBe('open');
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled' });
});

test('the buyer is told of an authorization that ends before the goods are shipped, but not of one that staff end', async () => {
  const { order, payment } = await authorizedOrder();
  stripe.dashboard.expireAuthorization(payment.provider_ref);
  await work(MINUTE);
  expect(await money(order.id)).toEqual(['failed', 0, 0, 30]);
  expect(await events('payment_failed', order.id)).toBe(1);
  const ended = await authorizedOrder();
  await made(`/payments/${ended.payment.id}/cancel`);
  expect(await money(ended.order.id)).toEqual(['failed', 0, 0, 30]);
  expect(await events('payment_failed', ended.order.id)).toBe(0);
});

test('a capture that the service refuses is listed until the money is captured', async () => {
  const { order, payment } = await authorizedOrder();
  stripe.dashboard.limitCapture(payment.provider_ref, 2_000);
  await ship(order.id);
  await work(4_000);
  const refused = (await shop.commerce('GET', '/payments?attention=capture_declined')).body.data!;
  expect(refused.map((one: { id: number }) => one.id)).toEqual([payment.id]);
  await made(`/payments/${payment.id}/capture`);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ captured: 20, attention: null });
});

test('no more is captured than is owed', async () => {
  const { order } = await authorizedOrder();
  await made(`/orders/${order.id}/payments`, { method_id: cash, amount: 20 });
  await ship(order.id);
  for (let n = 0; n < 2; n++) await work(4_000);
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);
});

test('a pay link takes back nothing that was authorized', async () => {
  const { order, payment } = await authorizedOrder();
  const { pathname } = new URL((await made(`/orders/${order.id}/pay-link`)).url);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await server.request('POST', pathname, { raw: 'do=reopen', headers });
  await work(4_000);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'authorized' });
});

test('an order is paid once, also after a dispute was won', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const { order } = await made(`/carts/${cart.id}/confirm`);
  const dispute = stripe.dashboard.openDispute(payment.provider_ref);
  await work(MINUTE);
  stripe.dashboard.closeDispute(dispute.id, 'won');
  await work(MINUTE);
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);
  expect(await events('order_paid', order.id)).toBe(1);
});

test('a cart for which wrong money is held is paid by no other method meanwhile', async () => {
  await shop.commerce('PATCH', '/checkout-settings', { wrong_amount: 'hold' });
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: shipped });
  stripe.dashboard.changeAmount(payment.provider_ref, 2_000);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await made(`/carts/${cart.id}/confirm`);
  const paid = await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: transfer });
  expect([paid.status, paid.body.error!.details.reason]).toEqual([422, 'payment_in_progress']);
  await made(`/payments/${payment.id}/cancel`);
  await work(4_000);
  expect((await made(`/carts/${cart.id}/pay`, { method_id: transfer })).status).toBe('action_required');
});

test('a service that cannot be asked is asked less and less often', async () => {
  const { payment } = await authorizedOrder();
  const account = (key: string) =>
    server.app.paymentAccounts.updateAccount(
      { companyId: shop.company_id, actor: 'test', requestId: 'test', now: clock.now(), idempotency: null },
      accounts.stripe,
      { secret_key: key },
    );
  const [known, calls] = [stripe.account().secretKey, stripe.calls.length];
  await account('sk_test_revoked');
  for (let n = 0; n < 120; n++) await work(MINUTE);
  const mine = stripe.calls.slice(calls).filter(({ path }) => path.includes(payment.provider_ref));
  expect(mine.length).toBeGreaterThan(2);
  expect(mine.length).toBeLessThan(12);
  await account(known);
});
