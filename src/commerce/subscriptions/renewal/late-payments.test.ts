import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { signUp, type TestStore, testStore } from '../../../store/testing-store.ts';
import { asking } from '../../../testing/asking.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../../carts/release.ts';
import { takeDue as takeOperations } from '../../payments/operations/queries.ts';
import { insertSavedMethods } from '../../payments/saved/queries.ts';
import { addTestAccount } from '../../payments/testing/account.ts';
import type { BehaviorName } from '../../payments/testing/stripe/cards.ts';
import { startStripeDouble } from '../../payments/testing/stripe/double.ts';
import { renew } from './renew.ts';
import { takeDue } from './worker.ts';

/** Renewals whose payments end late: at pay links, after days of processing, or after the subscription has changed. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: null } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHLY = 3;

let shop: TestCompany;
let store: TestStore;
let tea: number;
let card: number;
let buyers = 0;

const { made, read } = asking(() => shop);
const runOnce = (name: string) => server.app.workers.find((worker) => worker.name === name)!.runOnce();
const work = async () => {
  while ((await runOnce('renewals')) + (await runOnce('payments')) > 0);
};
const later = async (ms: number) => {
  clock.advance(ms);
  await work();
};
const release = async () => {
  const { db, log } = server.app;
  const end = releaseOverdueCarts({ db, clock, log });
  while ((await end(null)).done > 0);
};
const ordersOf = async (id: number) => read(`/subscriptions/${id}/orders?per_page=100`);
const cartsOf = async (id: number) =>
  server.rows<{ id: string; status: string; cycle_date: string }>(
    'select id, status, cycle_date::text from carts where subscription_id = $1 order by id',
    [id],
  );
const paymentsOf = async (id: number) =>
  server.rows<{ status: string; captured: string }>(
    `select p.status, p.captured from payments p join carts c on c.company_id = p.company_id and c.id = p.cart_id
     where c.subscription_id = $1 order by p.id`,
    [id],
  );

beforeAll(async () => {
  shop = await server.company({ currency: 'EUR' });
  store = await testStore(server, shop.company_id);
  const { id } = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  card = (await made('/payment-methods', { provider: 'stripe', kind: 'any', account_id: id, name: 'Card' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000, subscription_enabled: true })).id;
});

beforeEach(() => stripe.faults.stop());
afterAll(() => stripe.close());

/** After every test, all invariants hold, and the service's books are ours. */
afterEach(async () => {
  await work();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  const ours = await server.rows<{ ref: string; captured: string; refunded: string }>(
    'select provider_ref as ref, captured, refunded from payments where provider_ref is not null',
  );
  for (const { ref, captured, refunded } of ours) {
    const { captured: theirs, refunded: back } = stripe.books().get(ref)!;
    expect([ref, Number(captured), Number(refunded)]).toEqual([ref, theirs, back]);
  }
});

/** A subscription whose first date is due, and charged to a card that behaves so. */
async function subscribed(behavior: BehaviorName, fields: object = {}) {
  const buyer = await signUp(server, shop, store, `late${++buyers}@example.com`);
  await store.send('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }] }, buyer.headers);
  await store.send('PATCH', '/cart', ADDRESS, buyer.headers);
  const pay = { method_id: card, save_method: true, return_url: 'https://shop.example/paid' };
  const { payment } = (await store.send('POST', '/cart/pay', pay, buyer.headers)).body.data;
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await later(11_000);
  const status = async () => {
    await work();
    return (await read(`/payments/${payment.id}`)).status;
  };
  await expect.poll(status).toBe('paid');
  const [saved] = await read(`/customers/${buyer.id}/saved-payment-methods`);
  const [started] = await server.rows<{ id: number }>(
    "select id::int from payment_operations where payment_id = $1 and kind = 'start'",
    [payment.id],
  );
  const intent = stripe.intentOf({ tl_operation: String(started!.id) });
  const changeCard = (next: BehaviorName) => stripe.dashboard.changeMethod(intent.payment_method!, next);
  changeCard(behavior);
  const own = { customer_id: buyer.id, product_id: tea, frequency_id: MONTHLY, saved_method_id: saved.id };
  const { id } = await made('/subscriptions', { ...own, quantity: 2, ...ADDRESS, ...fields });
  await work();
  return { id, path: `/subscriptions/${id}`, changeCard };
}

/** A subscription whose charge somebody has claimed, and not made yet. */
async function charging(behavior: BehaviorName) {
  const tomorrow = new Date(clock.now().getTime() + DAY).toISOString().slice(0, 10);
  const subscription = await subscribed(behavior, { start_date: tomorrow });
  clock.advance(DAY);
  await runOnce('renewals');
  const { companyId, db } = { companyId: shop.company_id, db: server.app.db };
  const [taken] = await db.tenantTx(companyId, (tx) => takeOperations(tx, companyId, clock.now(), 1));
  return { ...subscription, taken: taken!, charge: () => server.app.calls.run(companyId, taken!, { isShown: false }) };
}
const failuresOf = async (id: number) =>
  server.rows<{ reason: string }>(
    `select payload ->> 'reason' as reason from outbox
     where topic = 'subscription_payment_failed' and payload ->> 'subscription_id' = $1 order by id`,
    [String(id)],
  );

/** Pays the cart of a failed charge by its link, while Stripe cannot be reached, until the reservation has ended. */
async function paidByLinkUnheard(id: number): Promise<void> {
  const [cart] = await cartsOf(id);
  const begun = await made(`/carts/${cart!.id}/pay`, { method_id: card });
  await stripe.buyer.confirm(begun.payment.client_secret, 'pm_card_visa');
  stripe.failNext('time_out_before', 500);
  for (let turn = 0; turn < 8; turn++) {
    await later(20 * MINUTE);
    await release();
  }
  expect(await cartsOf(id)).toMatchObject([{ status: 'expired' }]);
}

test('charges by staff of the cart of a date are attempts, and the customer is told of one that fails unheard', async () => {
  const { id, path } = await subscribed('declined');
  const [cart] = await cartsOf(id);
  const { saved_method_id } = await read(path);
  const charge = () => shop.commerce('POST', `/carts/${cart!.id}/pay`, { saved_method_id });
  stripe.failNext('time_out_before');
  const { status, payment } = (await charge()).body.data;
  expect(status).toBe('processing');
  await later(MINUTE);
  const told = "select id from outbox where topic = 'payment_failed' and payload ->> 'payment_id' = $1";
  expect(await server.rows(told, [String(payment.id)])).toHaveLength(1);
  expect(await failuresOf(id)).toHaveLength(1);
  for (let n = 0; n < 2; n++) expect((await charge()).status).toBe(422);
  expect((await charge()).status).toBe(429);
  await shop.commerce('POST', `${path}/cancel`);
});

test('a date that may have been paid by its link is not charged too', async () => {
  const { id, path, changeCard } = await subscribed('declined');
  changeCard('succeeds');
  await paidByLinkUnheard(id);
  await later(DAY);
  expect(await cartsOf(id)).toHaveLength(1);
  stripe.faults.stop();
  await later(2 * HOUR);
  await later(2 * HOUR);
  expect(await ordersOf(id)).toMatchObject([{ payment_status: 'paid' }]);
  expect((await paymentsOf(id)).filter(({ captured }) => Number(captured) > 0)).toHaveLength(1);
  expect(await read(path)).toMatchObject({ status: 'active', payment_attempts: 0 });
  await shop.commerce('POST', `${path}/cancel`);
});

test('late money for a date that was ordered meanwhile is given back', async () => {
  const { id, path } = await subscribed('declined');
  await paidByLinkUnheard(id);
  await shop.commerce('PATCH', path, { saved_method_id: null });
  await later(DAY);
  expect(await ordersOf(id)).toHaveLength(1);
  stripe.faults.stop();
  await later(2 * HOUR);
  await later(2 * HOUR);
  expect(await ordersOf(id)).toMatchObject([{ payment_status: 'none' }]);
  expect((await paymentsOf(id)).at(-1)).toMatchObject({ status: 'refunded' });
  await shop.commerce('POST', `${path}/cancel`);
});

test.each(['pause', 'cancel'] as const)(
  'a payment by link that ends after %s leaves nothing to pay',
  async (change) => {
    const { id, path } = await subscribed('declined');
    const [cart] = await cartsOf(id);
    await made(`/carts/${cart!.id}/pay`, { method_id: card });
    expect((await shop.commerce('POST', `${path}/${change}`)).status).toBe(200);
    expect(await cartsOf(id)).toMatchObject([{ status: 'paying' }]);
    await shop.commerce('POST', `/carts/${cart!.id}/reopen`);
    expect(await cartsOf(id)).toMatchObject([{ status: 'cancelled' }]);
    await shop.commerce('POST', `${path}/cancel`);
  },
);

test('a charge that fails after the subscription has moved on does not charge the next date early', async () => {
  const { id, path, changeCard } = await subscribed('processes');
  const [{ id: paymentId, status }] = (await server.rows<{ id: number; status: string }>(
    'select p.id::int, p.status from payments p join subscriptions s on s.company_id = p.company_id and s.charge_id = p.id where s.id = $1',
    [id],
  )) as [{ id: number; status: string }];
  expect(status).toBe('processing');
  await shop.commerce('POST', `${path}/pause`);
  await later(3 * DAY);
  await shop.commerce('POST', `${path}/resume`);
  const next = (await read(path)).next_billing_date;
  stripe.dashboard.settleProcessing((await read(`/payments/${paymentId}`)).provider_ref, 'failed');
  changeCard('succeeds');
  await later(2 * HOUR);
  await later(2 * HOUR);
  expect(await paymentsOf(id)).toMatchObject([{ status: 'failed' }]);
  expect(await ordersOf(id)).toEqual([]);
  expect(await read(path)).toMatchObject({ status: 'active', next_billing_date: next });
  clock.advance(Date.parse(next) - clock.now().getTime());
  await work();
  expect(await ordersOf(id)).toHaveLength(1);
  await shop.commerce('POST', `${path}/cancel`);
});

test('staff change how an order that waits for its payment is delivered, not whose it is or what is charged', async () => {
  const { id, path, changeCard } = await subscribed('declined');
  const [cart] = await cartsOf(id);
  const own = `/carts/${cart!.id}`;
  const [line] = (await read(own)).lines;
  const stranger = (await made('/customers', { email: `stranger${id}@example.com` })).id;
  const refused = [
    ['PATCH', own, { customer_id: stranger }, 'customer_id', 'not_allowed'],
    ['PATCH', own, { customer_id: null, email: 'stranger@example.com' }, 'customer_id', 'not_allowed'],
    ['POST', `${own}/lines`, { lines: [{ product_id: tea, qty: 1 }] }, 'lines', 'not_allowed'],
    ['PATCH', `${own}/lines/${line.id}`, { qty: 5 }, 'lines', 'not_allowed'],
    ['PATCH', `${own}/lines/${line.id}`, { price_override: 1_000, override_reason: 'Gold' }, 'lines', 'not_allowed'],
    ['DELETE', `${own}/lines/${line.id}`, undefined, 'lines', 'not_allowed'],
    // It is charged without anybody who could complete it.
    ['PATCH', own, { shipping_zip: null }, 'shipping_zip', 'required'],
  ] as const;
  for (const [method, at, body, field, code] of refused) {
    const { status, body: said } = await shop.commerce(method, at, body);
    expect([at, status, said.error?.details.fields]).toEqual([at, 422, [expect.objectContaining({ field, code })]]);
  }
  const moved = await shop.commerce('PATCH', own, { shipping_address: '2 Side St', note: 'Ring twice' });
  expect(moved.body.data).toMatchObject({ lines: [{ qty: 2, price: 10 }], shipping_address: '2 Side St', total: 20 });
  changeCard('succeeds');
  await later(DAY);
  const [order] = await ordersOf(id);
  expect(order).toMatchObject({ total: 20, payment_status: 'paid', shipping_address: '2 Side St' });
  expect(await read(`/orders/${order.id}/notes`)).toMatchObject([{ text: 'Ring twice' }]);
  await shop.commerce('POST', `${path}/cancel`);
});

test('staff take the money of an order that waits for its payment in another way, once', async () => {
  const cash = (await made('/payment-methods', { kind: 'cash', name: 'Cash', staff_only: true })).id;
  const transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  const { id, path, changeCard } = await subscribed('declined');
  const due = (await read(path)).next_billing_date;
  const [cart] = await cartsOf(id);
  expect(await made(`/carts/${cart!.id}/pay`, { method_id: transfer })).toMatchObject({ status: 'action_required' });
  changeCard('succeeds');
  await later(DAY);
  // While the transfer is awaited, nothing is charged, and what is paid stays what it is.
  expect(await paymentsOf(id)).toMatchObject([{ status: 'failed' }, { status: 'action_required' }]);
  for (const [method, at] of [
    ['POST', `${path}/skip`],
    ['PATCH', path],
  ] as const) {
    const { status, body } = await shop.commerce(method, at, { quantity: 3 });
    expect([status, body.error?.details.reason]).toEqual([422, 'payment_in_progress']);
  }
  await made(`/carts/${cart!.id}/reopen`);
  const { order } = await made(`/carts/${cart!.id}/pay`, { method_id: cash, expected_total: 20 });
  expect(order).toMatchObject({ subscription_id: id, payment_status: 'pending' });
  await later(DAY);
  expect(await ordersOf(id)).toMatchObject([{ id: order.id }]);
  const after = await read(path);
  expect([after.status, after.payment_attempts, after.next_billing_date > due]).toEqual(['active', 0, true]);
  await shop.commerce('POST', `${path}/cancel`);
});

test('the preview of a date whose charge failed counts the attempts', async () => {
  const { path } = await subscribed('declined');
  expect(await read(`${path}/upcoming`)).toMatchObject({ warnings: ['retried after 1 failed attempts'] });
  await shop.commerce('POST', `${path}/cancel`);
});

test('a customer whose renewal begins while they are erased is not erased before it has ended', async () => {
  const tomorrow = new Date(clock.now().getTime() + DAY).toISOString().slice(0, 10);
  const { id, path } = await subscribed('succeeds', { start_date: tomorrow });
  clock.advance(DAY);
  const { customer_id: customerId } = await read(path);
  const { db, shops } = server.app;
  const { erasing } = await db.tenantTx(shop.company_id, async (tx) => {
    const due = await takeDue(tx, shop.company_id, clock.now(), 10);
    const erasing = shop.commerce('DELETE', `/customers/${customerId}`);
    await expect.poll(() => server.lockWaits('transactionid', 'tuple')).toBe(1);
    await renew(tx, shops, shop.company_id, due, clock.now(), () => 'https://shop.example/pay');
    return { erasing };
  });
  const { status, body } = await erasing;
  expect([status, body.error?.details.reason]).toEqual([422, 'payment_in_progress']);
  await work();
  expect(await ordersOf(id)).toMatchObject([{ payment_status: 'paid' }]);
  expect((await shop.commerce('DELETE', `/customers/${customerId}`)).status).toBe(200);
});

test('a method that a service names after its customer was erased is not saved', async () => {
  const { path } = await subscribed('succeeds');
  const { customer_id } = await read(path);
  expect((await shop.commerce('DELETE', `/customers/${customer_id}`)).status).toBe(200);
  await work();
  const late = {
    customer_id,
    payment_id: 987_654,
    method_id: card,
    account_id: 1,
    provider: 'stripe' as const,
    sealed_token: 'c2VhbGVk',
    label: 'Visa',
    brand: 'visa',
    last4: '4242',
    expires_on: null,
  };
  await server.app.db.tenantTx(shop.company_id, (tx) => insertSavedMethods(tx, shop.company_id, [late], clock.now()));
  expect(await server.rows('select id from saved_payment_methods where payment_id = 987654')).toEqual([]);
});

test('the failure of a charge stays when its cancellation comes too late', async () => {
  const { id, path, taken, charge } = await charging('declined');
  const [cart] = await cartsOf(id);
  expect((await shop.commerce('POST', `/carts/${cart!.id}/reopen`)).status).toBe(422);
  await charge();
  clock.advance(5_000);
  await runOnce('payments');
  expect(await read(`/payments/${taken.payment_id}`)).toMatchObject({
    status: 'failed',
    failure: { code: 'card_declined' },
    operations: [
      { kind: 'charge', state: 'declined' },
      { kind: 'cancel', state: 'declined' },
    ],
  });
  await work();
  expect(await failuresOf(id)).toEqual([{ reason: 'card_declined' }]);
  await shop.commerce('POST', `${path}/cancel`);
});

test('a charge of a wrong amount that is held is not made again before the money was given back', async () => {
  await shop.commerce('PATCH', '/checkout-settings', { wrong_amount: 'hold' });
  const { id, path, taken, charge } = await charging('succeeds');
  // The outcome is lost on the way.
  stripe.failNext('cut_body');
  await charge();
  const { id: ref } = stripe.intentOf({ tl_operation: String(taken.id) });
  stripe.dashboard.changeAmount(ref, 1_500);
  await later(MINUTE);
  expect(await read(`/payments/${taken.payment_id}`)).toMatchObject({ captured: 20, attention: 'wrong_amount' });
  for (let day = 0; day < 9; day++) await later(DAY);
  expect(await paymentsOf(id)).toMatchObject([{ status: 'paid' }]);
  expect(await failuresOf(id)).toEqual([]);

  stripe.dashboard.refund(ref);
  await server.app.calls.refresh(shop.company_id, taken.payment_id);
  await later(HOUR);
  expect(await failuresOf(id)).toHaveLength(1);
  await later(DAY);
  expect(await paymentsOf(id)).toMatchObject([{ status: 'refunded' }, { status: 'paid' }]);
  expect(await ordersOf(id)).toMatchObject([{ payment_status: 'paid' }]);
  await shop.commerce('POST', `${path}/cancel`);
  await shop.commerce('PATCH', '/checkout-settings', { wrong_amount: 'refund' });
});
