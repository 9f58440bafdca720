import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestStore, testStore } from '../../store/testing-store.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Orders for which another amount or currency is paid than was asked for. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const config = { paymentUrls: { stripe: stripe.url, mollie: mollie.url }, trustedProxies: ['127.0.0.1'] };
const server = testServer({ described: true, clock, config });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const HOUR = 3_600_000;

let shop: TestCompany;
let store: TestStore;
let card: number;
let later: number;
let ideal: number;
let door: number;
let tea: number;
let buyers = 0;

const { made, read } = asking(() => shop);
const post = (path: string, body: object = {}) => shop.commerce('POST', path, body);
const money = async (id: number) => {
  const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
  return [payment_status, paid, refunded, balance];
};
const ledger = async (id: number): Promise<string[]> =>
  (await read(`/orders/${id}/ledger`)).entries.map(
    (one: { kind: string; amount: number }) => `${one.kind} ${one.amount}`,
  );
const listed = async (): Promise<number[]> =>
  (await read('/payments?attention=wrong_amount&per_page=100')).map(({ id }: { id: number }) => id);
const told = async (topic: string, payload: object): Promise<number> =>
  (await server.rows('select id from outbox where topic = $1 and payload @> $2', [topic, JSON.stringify(payload)]))
    .length;
const after = async (ms: number) => {
  clock.advance(ms);
  await Promise.all([stripe.webhooks.idle(), mollie.webhooks.idle()]);
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  while ((await payments.runOnce()) > 0);
};
const hold = (wrong_amount: 'hold' | 'refund') => shop.commerce('PATCH', '/checkout-settings', { wrong_amount });

/** An order of 30 that its buyer begins to pay by this method. */
async function begun(method: number) {
  const cart = await made('/carts', {
    email: `guest${++buyers}@example.com`,
    lines: [{ product_id: tea, qty: 3 }],
    ...ADDRESS,
  });
  await made(`/carts/${cart.id}/pay`, { method_id: door });
  const { order, order_token } = await made(`/carts/${cart.id}/confirm`);
  const again = async (by: number) => {
    const headers = { 'x-order-token': order_token, 'x-forwarded-for': `198.51.100.${++buyers}` };
    return (await store.send('POST', '/order/pay', { method_id: by }, headers)).body.data.payment;
  };
  const { id, provider_ref: ref, client_secret: secret } = await again(method);
  return { order: order.id as number, id: id as number, ref: ref as string, secret: secret as string, again };
}

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id);
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  stripe.registerWebhook(byStripe.webhook_url);
  const fields = { provider: 'stripe', kind: 'any', account_id: byStripe.id };
  card = (await made('/payment-methods', { ...fields, name: 'Card' })).id;
  later = (await made('/payment-methods', { ...fields, name: 'Card on delivery', capture: 'by_hand' })).id;
  const ofMollie = { provider: 'mollie', kind: 'any', account_id: byMollie.id };
  ideal = (await made('/payment-methods', { ...ofMollie, name: 'iDEAL' })).id;
  door = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});
afterAll(async () => {
  await Promise.all([stripe.close(), mollie.close()]);
});

/** After every test, all invariants hold, and the services' books are ours. */
afterEach(async () => {
  await hold('refund');
  await after(0);
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  const ours = await server.rows<{ ref: string; captured: string; refunded: string }>(
    'select provider_ref as ref, captured, refunded from payments where provider_ref is not null',
  );
  const [ofStripe, ofMollie] = [stripe.books(), mollie.books()];
  for (const { ref, captured, refunded } of ours) {
    const line = (ofStripe.get(ref) ?? ofMollie.get(ref))!;
    expect([ref, Number(captured), Number(refunded)]).toEqual([ref, line.captured, line.refunded]);
  }
});

const CHANGES = [
  ['more', 90, (ref: string) => stripe.dashboard.changeAmount(ref, 9_000)],
  ['less', 20, (ref: string) => stripe.dashboard.changeAmount(ref, 2_000)],
  ['another currency', 30, (ref: string) => stripe.dashboard.changeCurrency(ref, 'nok')],
] as const;

test.each(CHANGES)(
  'of %s, a payment at Stripe never counts as paid: it is given back',
  async (_what, captured, change) => {
    const { order, id, ref, secret, again } = await begun(card);
    change(ref);
    await stripe.buyer.confirm(secret, 'pm_card_visa');
    await server.app.calls.refresh(shop.company_id, id);
    expect(await read(`/payments/${id}`)).toMatchObject({
      captured,
      refunded: 0,
      refund_pending: captured,
      wrong: true,
    });
    expect(await listed()).toContain(id);
    expect(await money(order)).toEqual(['failed', 0, 0, 30]);
    await after(5_000);
    expect(await read(`/payments/${id}`)).toMatchObject({ captured, refunded: captured, attention: null });
    expect(await ledger(order)).toEqual(['order 30']);
    expect(await money(order)).toEqual(['failed', 0, 0, 30]);
    expect(await told('payment_returned', { payment_id: String(id), order_id: String(order) })).toBe(1);
    expect(await told('order_paid', { order_id: String(order) })).toBe(0);
    expect(await told('order_refunded', { order_id: String(order) })).toBe(0);

    const next = await again(card);
    await stripe.buyer.confirm(next.client_secret, 'pm_card_visa');
    await after(11_000);
    expect(await money(order)).toEqual(['paid', 30, 0, 0]);
    expect(await told('order_paid', { order_id: String(order) })).toBe(1);
  },
);

test('of another amount, a payment at Mollie is given back too', async () => {
  const { order, id, ref } = await begun(ideal);
  mollie.dashboard.changeAmount(ref, 9_000);
  mollie.buyer.pay(ref);
  await after(11_000);
  await after(HOUR);
  expect(await read(`/payments/${id}`)).toMatchObject({ captured: 90, refunded: 90, status: 'refunded' });
  expect(await money(order)).toEqual(['failed', 0, 0, 30]);
});

test('what Mollie refuses to give back is listed, and asked for again, until staff have given it back there', async () => {
  const { order, id, ref } = await begun(ideal);
  mollie.dashboard.changeCurrency(ref, 'EUR');
  mollie.buyer.pay(ref);
  await after(11_000);
  expect(await read(`/payments/${id}`)).toMatchObject({ captured: 30, refunded: 0, attention: 'wrong_amount' });
  expect(await money(order)).toEqual(['failed', 0, 0, 30]);
  await after(25 * HOUR);
  const { operations } = await read(`/payments/${id}`);
  expect(operations.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`)).toEqual([
    'start done',
    'refund declined',
    'refund declined',
  ]);
  expect(await told('payment_returned', { payment_id: String(id) })).toBe(1);
  mollie.dashboard.refund(ref, 3_000);
  await after(7 * 24 * HOUR);
  expect(await read(`/payments/${id}`)).toMatchObject({ refunded: 30, status: 'refunded', attention: null });
  expect(await ledger(order)).toEqual(['order 30']);
});

test('what is held belongs to no order until staff give it back', async () => {
  await hold('hold');
  const { order, id, ref, secret } = await begun(card);
  stripe.dashboard.changeAmount(ref, 9_000);
  await stripe.buyer.confirm(secret, 'pm_card_visa');
  await after(11_000);
  await after(24 * HOUR);
  const held = { captured: 90, refunded: 0, refund_pending: 0, attention: 'wrong_amount' };
  expect(await read(`/payments/${id}`)).toMatchObject(held);
  expect(await listed()).toContain(id);
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);

  // What is owed is paid otherwise. A refund and the cancellation concern that money alone.
  await made(`/orders/${order}/payments`, { method_id: door, amount: 30 });
  expect(await money(order)).toEqual(['paid', 30, 0, 0]);
  const { body } = await post(`/orders/${order}/refunds`, { amount: 31 });
  expect(body.error.details).toMatchObject({ reason: 'amount_too_large', available: 30 });
  await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'cancelled' });
  await after(HOUR);
  expect(await money(order)).toEqual(['paid', 30, 0, -30]);
  expect(await read(`/payments/${id}`)).toMatchObject(held);

  const given = (await post(`/payments/${id}/cancel`)).body.data;
  expect(given).toMatchObject({ refunded: 90, status: 'refunded', attention: null });
  expect((await post(`/payments/${id}/cancel`)).body.error.details.reason).toBe('payment_not_awaited');
  expect(await money(order)).toEqual(['paid', 30, 0, -30]);
  expect(await told('order_refunded', { order_id: String(order) })).toBe(0);
});

test('staff give back what is held of a cart by the same request', async () => {
  await hold('hold');
  const cart = await made('/carts', { email: 'held@example.com', lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  stripe.dashboard.changeAmount(payment.provider_ref, 2_000);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await after(11_000);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ captured: 20, refunded: 0, attention: 'wrong_amount' });
  const given = (await post(`/payments/${payment.id}/cancel`)).body.data;
  expect(given).toMatchObject({ captured: 20, refunded: 20, attention: null });
});

test('what is authorized of another amount is neither authorized for the order nor captured, but released', async () => {
  await hold('hold');
  const cart = await made('/carts', { email: 'late@example.com', lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: later });
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const { order } = await made(`/carts/${cart.id}/confirm`);
  expect((await money(order.id))[0]).toBe('authorized');
  stripe.dashboard.changeAmount(payment.provider_ref, 9_000);
  await after(HOUR);
  expect(await money(order.id)).toEqual(['failed', 0, 0, 30]);
  expect(await listed()).toContain(payment.id);
  expect((await post(`/payments/${payment.id}/capture`)).body.error.details.reason).toBe('amount_too_large');
  await hold('refund');
  await after(HOUR);
  await after(HOUR);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled', captured: 0, attention: null });
  expect(await money(order.id)).toEqual(['failed', 0, 0, 30]);
});
