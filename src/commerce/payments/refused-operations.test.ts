import { afterAll, beforeAll, expect, test } from 'vitest';
import { testStore } from '../../store/testing-store.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Services that refuse what they are asked for, or do it later. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;

let shop: TestCompany;
let debit: number;
let slow: number;
let later: number;
let cash: number;
let tea: number;
let guests = 0;

const { made, read } = asking(() => shop);
const newCart = () =>
  made('/carts', { email: `guest${++guests}@example.com`, lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
const money = async (id: number) => {
  const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
  return [payment_status, paid, refunded, balance];
};
const cancelOrder = async (id: number) => {
  const { status } = await shop.commerce('PATCH', `/orders/${id}/status`, { status: 'cancelled' });
  expect(status).toBe(200);
};
const kinds = async (id: number): Promise<string[]> =>
  (await read(`/payments/${id}`)).operations.map(({ kind, state }: { kind: string; state: string }) => {
    return `${kind} ${state}`;
  });
/** Has the worker do what is due, some times: what is asked for again at once would never end. */
const after = async (ms: number) => {
  clock.advance(ms);
  await stripe.webhooks.idle();
  await mollie.webhooks.idle();
  for (let passes = 0; passes < 4; passes++) {
    await server.app.workers.find(({ name }) => name === 'payments')!.runOnce();
  }
};
/** As if the reservation of a cart had ended long ago, and somebody had given the cart up. */
const unreserve = async (id: number) => {
  await server.rows("update carts set status = 'cancelled', frozen = null where id = $1", [id]);
  await server.rows('delete from reservation_items where cart_id = $1', [id]);
  await server.rows('delete from reservations where cart_id = $1', [id]);
};
const returned = async (id: number) =>
  (
    await server.rows("select id from outbox where topic = 'payment_returned' and payload->>'payment_id' = $1", [
      String(id),
    ])
  ).length;

/** An order whose bank debit is under way for days. */
async function processingOrder() {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: debit });
  await stripe.buyer.confirm(payment.client_secret, 'pm_usBankAccount_processing');
  const { order, order_token: token } = await made(`/carts/${cart.id}/confirm`);
  expect(order.payment_status).toBe('pending');
  return { order, payment, token };
}

beforeAll(async () => {
  shop = await server.company();
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  stripe.registerWebhook(byStripe.webhook_url);
  const method = async (fields: object) =>
    (await made('/payment-methods', { kind: 'any', name: 'Card', ...fields })).id;
  debit = await method({ provider: 'stripe', account_id: byStripe.id, places: 'at_once' });
  slow = await method({ provider: 'stripe', account_id: byStripe.id });
  later = await method({ provider: 'mollie', account_id: byMollie.id, capture: 'by_hand' });
  cash = await method({ kind: 'cash', name: 'Cash' });
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

/** The events that tell somebody of a failed payment. */
const failed = async (id: number) =>
  (
    await server.rows<{ data: Record<string, unknown> }>(
      "select payload as data from outbox where topic = 'payment_failed' and payload ->> 'payment_id' = $1 order by id",
      [String(id)],
    )
  ).map(({ data }) => data);

test('the buyer of an order is told that the bank has refused after days, with a link to pay', async () => {
  const { order, payment } = await processingOrder();
  expect(await failed(payment.id)).toEqual([]);
  stripe.dashboard.settleProcessing(payment.provider_ref, 'failed');
  for (let n = 0; n < 3; n++) await after(61 * MINUTE);
  expect(await failed(payment.id)).toEqual([
    expect.objectContaining({
      order_id: String(order.id),
      email: expect.stringContaining('@'),
      amount: 30,
      code: 'insufficient_funds',
      pay_url: expect.stringContaining('/pay/'),
    }),
  ]);
  const [{ pay_url: url }] = (await failed(payment.id)) as [{ pay_url: string }];
  const page = await server.request('GET', new URL(url).pathname, { headers: { 'accept-language': 'en' } });
  expect([page.status, page.body.includes('$30.00')]).toEqual([200, true]);
});

test('an order whose payment the bank has refused after days is unpaid, and is paid by another payment', async () => {
  const { order, payment, token } = await processingOrder();
  stripe.dashboard.settleProcessing(payment.provider_ref, 'failed');
  for (let n = 0; n < 3; n++) await after(61 * MINUTE);
  expect(await money(order.id)).toEqual(['failed', 0, 0, 30]);
  const refused = { status: 'cancelled', failure: { code: 'insufficient_funds' } };
  expect(await read(`/payments/${payment.id}`)).toMatchObject(refused);
  expect(stripe.intentById(payment.provider_ref).status).toBe('canceled');
  const store = await testStore(server, shop.company_id);
  const own = { 'x-order-token': token };
  const again = (await store.send('POST', '/order/pay', { method_id: debit }, own)).body.data.payment;
  expect(again.id).not.toBe(payment.id);
  await stripe.buyer.confirm(again.client_secret, 'pm_card_visa');
  await after(61 * MINUTE);
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);
});

test('the buyer of a cart is told so too, once, and nobody of an order that was cancelled meanwhile', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: slow });
  await stripe.buyer.confirm(payment.client_secret, 'pm_usBankAccount_processing');
  await made(`/carts/${cart.id}/confirm`);
  stripe.dashboard.settleProcessing(payment.provider_ref, 'failed');
  for (let n = 0; n < 3; n++) await after(61 * MINUTE);
  expect(await failed(payment.id)).toMatchObject([{ cart_id: String(cart.id), code: 'insufficient_funds' }]);

  const cancelled = await processingOrder();
  await cancelOrder(cancelled.order.id);
  stripe.dashboard.settleProcessing(cancelled.payment.provider_ref, 'failed');
  for (let n = 0; n < 3; n++) await after(61 * MINUTE);
  expect(await failed(cancelled.payment.id)).toEqual([]);
});

test('a service that cannot cancel the payment of a cancelled order is not asked again and again', async () => {
  const { order, payment } = await processingOrder();
  await cancelOrder(order.id);
  for (let n = 0; n < 6; n++) await after(4_000);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel declined']);
  await made(`/payments/${payment.id}/cancel`);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel declined', 'cancel declined']);

  stripe.dashboard.settleProcessing(payment.provider_ref, 'succeeded');
  await after(61 * MINUTE);
  expect(await money(order.id)).toEqual(['refunded', 30, 30, 0]);
});

test('a refusal is settled later if the service cannot say how the payment is by then', async () => {
  const { payment } = await processingOrder();
  stripe.failNext('time_out_before', 1, 2);
  const { status, body } = await shop.commerce('POST', `/payments/${payment.id}/cancel`);
  expect([status, body.data.status]).toEqual([200, 'processing']);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel uncertain']);
  await after(6_000);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel declined']);
});

test('a payment of a cancelled order that the buyer could try again is cancelled', async () => {
  const { order, payment } = await processingOrder();
  await cancelOrder(order.id);
  await after(4_000);
  stripe.dashboard.settleProcessing(payment.provider_ref, 'failed');
  for (let n = 0; n < 3; n++) await after(4_000);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled' });
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel declined', 'cancel done']);
});

test('an authorization that a service releases in its own time is released once', async () => {
  mollie.delays.releaseMs = 30 * MINUTE;
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: later });
  mollie.buyer.authorize(payment.provider_ref);
  const { order } = await made(`/carts/${cart.id}/confirm`);
  await cancelOrder(order.id);
  for (let n = 0; n < 6; n++) await after(4_000);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel done']);

  // The same for money for which there is no order.
  const lost = await newCart();
  const late = (await made(`/carts/${lost.id}/pay`, { method_id: later })).payment;
  await unreserve(lost.id);
  mollie.buyer.authorize(late.provider_ref);
  for (let n = 0; n < 6; n++) await after(4_000);
  expect([await kinds(late.id), await returned(late.id)]).toEqual([['start done', 'cancel done'], 1]);

  await after(2 * 60 * MINUTE);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled' });
  expect(await read(`/payments/${late.id}`)).toMatchObject({ status: 'cancelled' });
});

test('a refund that a service refuses is asked for again after hours, and the buyer is told once', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: debit });
  await unreserve(cart.id);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  // Stripe gives nothing back of what is disputed in part.
  stripe.dashboard.openDispute(payment.provider_ref, { amount: 1_000 });
  for (let n = 0; n < 4; n++) await after(4_000);
  expect([await kinds(payment.id), await returned(payment.id)]).toEqual([['start done', 'refund declined'], 1]);
  expect((await read(`/payments/${payment.id}`)).attention).toBe('dispute');
  await after(25 * 60 * MINUTE);
  await after(4_000);
  const asked = ['start done', 'refund declined', 'refund declined'];
  expect([await kinds(payment.id), await returned(payment.id)]).toEqual([asked, 1]);
});

test('a payment that a service cannot cancel is not asked again and again once staff were paid', async () => {
  const { order, payment } = await processingOrder();
  await made(`/orders/${order.id}/payments`, { method_id: cash, amount: 30 });
  for (let n = 0; n < 4; n++) await after(4_000);
  expect(await kinds(payment.id)).toEqual(['start done', 'cancel declined']);
  stripe.dashboard.settleProcessing(payment.provider_ref, 'succeeded');
  await after(61 * MINUTE);
  expect(await money(order.id)).toEqual(['paid', 60, 0, -30]);
});

test('an account whose secrets do not open leaves its operations waiting, and works again afterwards', async () => {
  const cart = await newCart();
  const [kept] = await server.rows<{ sealed_config: string }>(
    "select sealed_config from payment_accounts where company_id = $1 and provider = 'stripe'",
    [shop.company_id],
  );
  const seal = async (config: string) => {
    const values = [shop.company_id, config];
    await server.rows(
      "update payment_accounts set sealed_config = $2 where company_id = $1 and provider = 'stripe'",
      values,
    );
    await server.app.versions.refresh();
  };
  const other = Buffer.from(kept!.sealed_config, 'base64');
  other[other.length - 1]! ^= 1;
  await seal(other.toString('base64'));
  const begun = await made(`/carts/${cart.id}/pay`, { method_id: debit });
  expect(begun.status).toBe('processing');
  expect((await made(`/carts/${cart.id}/confirm`)).status).toBe('processing');
  await after(25 * 60 * MINUTE);
  await after(61 * MINUTE);
  const { operations, attention } = await read(`/payments/${begun.payment.id}`);
  expect(operations).toMatchObject([
    { kind: 'start', state: 'uncertain', error: expect.stringContaining('cannot be used') },
  ]);
  expect(attention).toBe('uncertain');
  await seal(kept!.sealed_config);
  for (let n = 0; n < 2; n++) await after(61 * MINUTE);
  expect(await kinds(begun.payment.id)).toEqual(['start done']);
});

test('a refund by two payments is done once both services have sent their part', async () => {
  mollie.delays.releaseMs = 0;
  mollie.delays.refundMs = 10 * 24 * 60 * MINUTE;
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: later });
  mollie.buyer.authorize(payment.provider_ref);
  const { order } = await made(`/carts/${cart.id}/confirm`);
  await made(`/payments/${payment.id}/capture`, { amount: 10 });
  await made(`/payments/${payment.id}/cancel`);
  expect(await money(order.id)).toEqual(['partially_paid', 10, 0, 20]);
  const { pathname } = new URL((await made(`/orders/${order.id}/pay-link`)).url);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const raw = new URLSearchParams({ method: String(debit), expected: '20' }).toString();
  await server.request('POST', pathname, { headers, raw });
  const [rest] = await read(`/orders/${order.id}/payments`);
  const { client_secret } = stripe.intentById(rest.provider_ref);
  await stripe.buyer.confirm(client_secret, 'pm_card_visa');
  await after(61_000);
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);

  await made(`/orders/${order.id}/refunds`, { amount: 30 });
  await after(4_000);
  await after(25 * 60 * MINUTE);
  expect(await money(order.id)).toEqual(['partially_refunded', 30, 20, -10]);
  expect((await read(`/orders/${order.id}/refunds`))[0].status).toBe('pending');
  await after(10 * 24 * 60 * MINUTE);
  expect(await money(order.id)).toEqual(['refunded', 30, 30, 0]);
  expect((await read(`/orders/${order.id}/refunds`))[0].status).toBe('done');
});
