import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { signUp, type TestStore, testStore } from '../../../store/testing-store.ts';
import { asking } from '../../../testing/asking.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../../carts/release.ts';
import { takeDue } from '../../payments/operations/queries.ts';
import { raiseExpiring } from '../../payments/saved/expiring.ts';
import { addTestAccount } from '../../payments/testing/account.ts';
import { startMollieDouble } from '../../payments/testing/mollie/double.ts';
import type { BehaviorName } from '../../payments/testing/stripe/cards.ts';
import { startStripeDouble } from '../../payments/testing/stripe/double.ts';

/** Renewals that are charged to saved payment methods, with the services' doubles and their official SDKs. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MONTHLY = 3;

let shop: TestCompany;
let store: TestStore;
let tea: number;
let card: number;
let hosted: number;
let account: number;
let buyers = 0;

const { made, read } = asking(() => shop);
const runOnce = (name: string) => server.app.workers.find((worker) => worker.name === name)!.runOnce();
/** Has the workers do all that is due. */
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
const stock = async () => (await read(`/products/${tea}`)).stock_qty;
const ordersOf = async (id: number) => read(`/subscriptions/${id}/orders?per_page=100`);
const today = () => clock.now().toISOString().slice(0, 10);
const daysLater = (date: string, days: number) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
const events = async (topic: string, subscription: number) =>
  (
    await server.rows<{ data: Record<string, unknown> }>(
      "select payload as data from outbox where topic = $1 and payload ->> 'subscription_id' = $2 order by id",
      [topic, String(subscription)],
    )
  ).map(({ data }) => data);
const cartsOf = async (id: number) =>
  server.rows<{ id: string; status: string; cycle_date: string }>(
    'select id, status, cycle_date::text from carts where subscription_id = $1 order by id',
    [id],
  );
const reasonOf = ({ status, body }: { status: number; body: { error?: { details: { reason?: string } } } }) => [
  status,
  body.error?.details.reason,
];

beforeAll(async () => {
  shop = await server.company({ currency: 'EUR' });
  store = await testStore(server, shop.company_id);
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  account = byStripe.id;
  const atStripe = { provider: 'stripe', kind: 'any', account_id: byStripe.id };
  card = (await made('/payment-methods', { ...atStripe, name: 'Card' })).id;
  const atMollie = { provider: 'mollie', kind: 'creditcard', account_id: byMollie.id };
  hosted = (await made('/payment-methods', { ...atMollie, name: 'Mollie' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000, subscription_enabled: true })).id;
});

beforeEach(() => stripe.faults.stop());
afterAll(async () => {
  await stripe.close();
  await mollie.close();
});

/** After every test, all invariants hold, and the services' books are ours. */
afterEach(async () => {
  await work();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  const ours = await server.rows<{ ref: string; captured: string; refunded: string }>(
    'select provider_ref as ref, captured, refunded from payments where provider_ref is not null',
  );
  const books = new Map<string, { captured: number; refunded: number }>([...stripe.books(), ...mollie.books()]);
  for (const { ref, captured, refunded } of ours) {
    const { captured: theirs, refunded: back } = books.get(ref)!;
    expect([ref, Number(captured), Number(refunded)]).toEqual([ref, theirs, back]);
  }
});

/** A customer who has paid a first order, and let the service keep the means of payment. */
async function savedBuyer(service: 'stripe' | 'mollie' = 'stripe', method = 'pm_card_visa') {
  const buyer = await signUp(server, shop, store, `buyer${++buyers}@example.com`);
  await store.send('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }] }, buyer.headers);
  await store.send('PATCH', '/cart', ADDRESS, buyer.headers);
  const pay = {
    method_id: service === 'stripe' ? card : hosted,
    save_method: true,
    return_url: 'https://shop.example/paid',
  };
  const { payment } = (await store.send('POST', '/cart/pay', pay, buyer.headers)).body.data;
  if (service === 'mollie') mollie.buyer.pay(payment.provider_ref);
  else if ((await stripe.buyer.confirm(payment.client_secret, method)) === 'requires_action') {
    stripe.buyer.completeChallenge(payment.provider_ref, 'passed');
  }
  await later(11_000);
  // A webhook may have begun to settle it.
  const status = async () => {
    await work();
    return (await read(`/payments/${payment.id}`)).status;
  };
  await expect.poll(status).toBe('paid');
  const [saved] = (await shop.commerce('GET', `/customers/${buyer.id}/saved-payment-methods`)).body.data;
  const [started] = await server.rows<{ id: number }>(
    "select id::int from payment_operations where payment_id = $1 and kind = 'start'",
    [payment.id],
  );
  const intent = service === 'stripe' ? stripe.intentOf({ tl_operation: String(started!.id) }) : null;
  return { ...buyer, saved, cardAtStripe: intent?.payment_method ?? '' };
}

/** What the saved card does from now on. */
function changeCard({ cardAtStripe }: { cardAtStripe: string }, behavior: BehaviorName): void {
  stripe.dashboard.changeMethod(cardAtStripe, behavior);
}

async function subscribe(buyer: { id: number; saved: { id: number } }, fields: object = {}) {
  const own = { customer_id: buyer.id, product_id: tea, frequency_id: MONTHLY, saved_method_id: buyer.saved.id };
  return made('/subscriptions', { ...own, quantity: 2, ...ADDRESS, ...fields });
}

/** Subscribes, and makes the charge without telling its outcome: whoever claims it has died. */
async function claimed(buyer: { id: number; saved: { id: number } }) {
  const subscription = await subscribe(buyer);
  await runOnce('renewals');
  const [taken] = await server.app.db.tenantTx(shop.company_id, (tx) => takeDue(tx, shop.company_id, clock.now(), 1));
  return { subscription, taken: taken! };
}

describe('saving a method', () => {
  test.each(['stripe', 'mollie'] as const)('at the checkout, with %s', async (service) => {
    const { id, saved, headers } = await savedBuyer(service);
    expect(saved).toMatchObject({ provider: service, last4: expect.stringMatching(/^\d{4}$/) });
    expect(JSON.stringify(saved)).not.toMatch(/cus_|cst_/);
    const own = (await store.get('/me/saved-payment-methods', headers)).body.data;
    expect(own).toEqual([saved]);
    expect(await read(`/customers/${id}/export`)).toMatchObject({ saved_payment_methods: [saved] });
    const [row] = await server.rows<{ n: number }>(
      'select count(*)::int as n from saved_payment_methods where customer_id = $1',
      [id],
    );
    expect(row).toEqual({ n: 1 });
  });

  test('needs a customer who is signed in', async () => {
    const { token } = (await store.ask('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }] })).body.data;
    await store.ask('PATCH', '/cart', { ...ADDRESS, email: 'guest@example.com' }, token);
    const refused = await store.ask('POST', '/cart/pay', { method_id: card, save_method: true }, token);
    expect([refused.status, refused.body.error.details.fields]).toMatchObject([422, [{ field: 'save_method' }]]);
  });

  test('needs the cart of the customer who is signed in', async () => {
    // Sign-ins of a network are limited by the minute.
    await later(60_000);
    const owner = await signUp(server, shop, store, `buyer${++buyers}@example.com`);
    const other = await signUp(server, shop, store, `buyer${++buyers}@example.com`);
    const lines = [{ product_id: tea, qty: 1 }];
    const { token } = (await store.send('POST', '/cart', { lines }, owner.headers)).body.data;
    await store.ask('PATCH', '/cart', ADDRESS, token);
    const pay = { method_id: card, save_method: true };
    const refused = await store.send('POST', '/cart/pay', pay, { ...other.headers, 'x-cart-token': token });
    expect([refused.status, refused.body.error?.details.fields]).toMatchObject([422, [{ field: 'save_method' }]]);
    const own = await store.send('POST', '/cart/pay', pay, { ...owner.headers, 'x-cart-token': token });
    expect([own.status, own.body.data.status]).toEqual([200, 'action_required']);
    await store.ask('POST', '/cart/reopen', {}, token);
    await later(60_000);
  });

  test.each(['stripe', 'mollie'] as const)(
    'is undone at %s too, even if the service cannot be reached',
    async (service) => {
      const { id, saved, headers } = await savedBuyer(service);
      const other = await savedBuyer();
      expect((await store.send('DELETE', `/me/saved-payment-methods/${saved.id}`, {}, other.headers)).status).toBe(404);
      (service === 'stripe' ? stripe : mollie).failNext('conflict_409', 1);
      expect((await store.send('DELETE', `/me/saved-payment-methods/${saved.id}`, {}, headers)).status).toBe(200);
      expect(await read(`/customers/${id}/saved-payment-methods`)).toEqual([]);
      await work();
      await later(10 * MINUTE);
      const rows = await server.rows('select sealed_token, label from saved_payment_methods where id = $1', [saved.id]);
      expect(rows).toEqual([{ sealed_token: null, label: '' }]);
      expect((await shop.commerce('DELETE', `/customers/${id}/saved-payment-methods/${saved.id}`)).status).toBe(404);
    },
  );

  test('is announced once, 30 days before it expires', async () => {
    const { id, saved } = await savedBuyer();
    const raise = raiseExpiring({ db: server.app.db, clock, wake: () => {} });
    const raised = () =>
      server.rows(
        "select payload ->> 'expires_on' as on from outbox where topic = 'payment_method_expiring' and payload ->> 'customer_id' = $1",
        [String(id)],
      );
    const last = Date.parse(saved.expires_on);
    clock.advance(last - 31 * DAY - clock.now().getTime());
    while ((await raise(null)).done > 0);
    expect(await raised()).toEqual([]);
    clock.advance(DAY);
    while ((await raise(null)).done > 0);
    while ((await raise(null)).done > 0);
    expect(await raised()).toEqual([{ on: saved.expires_on }]);
  });

  test('moves with a merge, and ends with an erasure', async () => {
    const [from, into] = [await savedBuyer(), await savedBuyer()];
    await made(`/customers/${into.id}/merge`, { from: from.id });
    expect(await read(`/customers/${into.id}/saved-payment-methods`)).toHaveLength(2);
    const erased = await shop.commerce('DELETE', `/customers/${into.id}`);
    expect(erased.status).toBe(200);
    await work();
    const rows = await server.rows(
      'select removed, sealed_token, last4 from saved_payment_methods where customer_id = $1',
      [into.id],
    );
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ removed: true, sealed_token: null, last4: null })));
  });
});

describe('a subscription with a saved method', () => {
  test.each(['stripe', 'mollie'] as const)('is charged each month of a year by %s, each date once', async (service) => {
    const buyer = await savedBuyer(service);
    const { id } = await subscribe(buyer);
    const before = await stock();
    for (let month = 0; month < 12; month++) {
      await work();
      const { next_billing_date: next } = await read(`/subscriptions/${id}`);
      clock.advance(Date.parse(next) - clock.now().getTime());
    }
    const orders = await ordersOf(id);
    expect(orders).toHaveLength(12);
    for (const order of orders) {
      expect(order).toMatchObject({ payment_status: 'paid', total: 20, balance: 0, origin: 'subscription' });
    }
    expect(await stock()).toBe(before - 24);
    expect(await events('subscription_renewed', id)).toHaveLength(12);
    expect(new Set((await cartsOf(id)).map(({ status }) => status))).toEqual(new Set(['placed']));
    await shop.commerce('POST', `/subscriptions/${id}/cancel`);
  });

  test('only names a method of its customer', async () => {
    const [one, other] = [await savedBuyer(), await savedBuyer()];
    const foreign = { customer_id: one.id, product_id: tea, frequency_id: MONTHLY, saved_method_id: other.saved.id };
    const refused = await shop.commerce('POST', '/subscriptions', { ...foreign, ...ADDRESS });
    expect(refused.body.error.details.fields).toMatchObject([{ field: 'saved_method_id', code: 'unknown' }]);
    const { id } = await subscribe(one, { start_date: daysLater(today(), 5) });
    const patched = await shop.commerce('PATCH', `/subscriptions/${id}`, { saved_method_id: other.saved.id });
    expect(patched.body.error.details.fields).toMatchObject([{ field: 'saved_method_id', code: 'unknown' }]);
    const cleared = await shop.commerce('PATCH', `/subscriptions/${id}`, { saved_method_id: null });
    expect(cleared.body.data).toMatchObject({ saved_method_id: null });
    await later(6 * DAY);
    // Without a method, its order is placed without a payment.
    expect(await ordersOf(id)).toMatchObject([{ payment_status: 'none' }]);
  });

  test.each([
    ['declined', 'card_declined'],
    ['insufficient_funds', 'insufficient_funds'],
    ['expired', 'expired_card'],
    ['challenges', 'authentication_required'],
  ] as const)('whose card is %s is past due, and tried again until it is paid', async (behavior, code) => {
    const buyer = await savedBuyer();
    changeCard(buyer, behavior);
    const [before, due] = [await stock(), today()];
    const { id } = await subscribe(buyer);
    await work();
    expect(await read(`/subscriptions/${id}`)).toMatchObject({
      status: 'past_due',
      payment_attempts: 1,
      next_billing_date: due,
    });
    expect(await stock()).toBe(before);
    const [event] = await events('subscription_payment_failed', id);
    expect(event).toMatchObject({ reason: code, attempt: 1, cycle_date: due, retry_on: daysLater(due, 1), amount: 20 });
    expect(event!.pay_url).toContain('/pay/');
    expect(await cartsOf(id)).toMatchObject([{ status: 'open', cycle_date: due }]);
    await later(DAY);
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ payment_attempts: 2 });
    changeCard(buyer, 'succeeds');
    await later(2 * DAY);
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'active', payment_attempts: 0 });
    expect(await ordersOf(id)).toMatchObject([{ payment_status: 'paid' }]);
    expect(await cartsOf(id)).toMatchObject([{ status: 'placed' }]);
    expect(await events('payment_failed', id)).toEqual([]);
  });

  test('is declined by Mollie and then paid', async () => {
    const buyer = await savedBuyer('mollie');
    mollie.dashboard.failNextCharge('insufficient_funds');
    const { id } = await subscribe(buyer);
    await work();
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'past_due', payment_attempts: 1 });
    await later(DAY);
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'active', payment_attempts: 0 });
  });

  test.each(['pause', 'skip', 'cancel'] as const)('after the last attempt: %s', async (then) => {
    await shop.commerce('PATCH', '/checkout-settings', { retry_days: [1, 2, 3, 4], after_retries: then });
    const buyer = await savedBuyer();
    changeCard(buyer, 'declined');
    const due = today();
    const { id } = await subscribe(buyer);
    for (let day = 0; day < 6; day++) {
      await work();
      clock.advance(DAY);
    }
    const failures = await events('subscription_payment_failed', id);
    expect(failures.map(({ attempt, retry_on }) => [attempt, retry_on])).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, daysLater(due, n)]),
      [5, null],
    ]);
    const ended = await read(`/subscriptions/${id}`);
    const [cart] = await cartsOf(id);
    if (then === 'pause') {
      expect([ended.status, ended.pause_reason, cart!.status]).toEqual(['paused', 'payment_failed', 'open']);
      // The shop's attempts do not count as the buyer's, who pays by the link after all: that is the order of the date, and the subscription goes on.
      const begun = await made(`/carts/${cart!.id}/pay`, { method_id: card });
      await stripe.buyer.confirm(begun.payment.client_secret, 'pm_card_visa');
      await made(`/carts/${cart!.id}/confirm`);
      const paid = await read(`/subscriptions/${id}`);
      expect([paid.status, paid.pause_reason, paid.next_billing_date > due]).toEqual(['active', null, true]);
      expect(await ordersOf(id)).toHaveLength(1);
    } else {
      expect([ended.status, cart!.status]).toEqual([then === 'skip' ? 'active' : 'cancelled', 'cancelled']);
      expect(await ordersOf(id)).toEqual([]);
    }
    await shop.commerce('POST', `/subscriptions/${id}/cancel`);
    await shop.commerce('PATCH', '/checkout-settings', { retry_days: [1, 3, 5, 7], after_retries: 'pause' });
  });

  test('while it is charged: skip and PATCH are refused, pause and cancel accepted, and its order is placed', async () => {
    for (const change of ['pause', 'cancel'] as const) {
      const { subscription, taken } = await claimed(await savedBuyer());
      const path = `/subscriptions/${subscription.id}`;
      expect(reasonOf(await shop.commerce('POST', `${path}/skip`))).toEqual([422, 'payment_in_progress']);
      expect(reasonOf(await shop.commerce('PATCH', path, { quantity: 3 }))).toEqual([422, 'payment_in_progress']);
      expect((await shop.commerce('POST', `${path}/${change}`)).status).toBe(200);
      await server.app.calls.run(shop.company_id, taken, { isShown: false });
      expect(await ordersOf(subscription.id)).toMatchObject([{ payment_status: 'paid' }]);
      const status = change === 'pause' ? 'paused' : 'cancelled';
      const now = await read(path);
      expect([now.status, now.next_billing_date === today()]).toEqual([status, false]);
      const cycles = await server.rows('select outcome from subscription_cycles where subscription_id = $1', [
        subscription.id,
      ]);
      expect(cycles).toEqual([{ outcome: 'ordered' }]);
    }
  });

  test('that is paused while a charge fails is not told, and its cart is cancelled', async () => {
    const buyer = await savedBuyer();
    changeCard(buyer, 'declined');
    const { subscription, taken } = await claimed(buyer);
    await shop.commerce('POST', `/subscriptions/${subscription.id}/pause`);
    await server.app.calls.run(shop.company_id, taken, { isShown: false });
    await work();
    expect(await cartsOf(subscription.id)).toMatchObject([{ status: 'cancelled' }]);
    expect(await events('subscription_payment_failed', subscription.id)).toEqual([]);
    changeCard(buyer, 'succeeds');
    await shop.commerce('POST', `/subscriptions/${subscription.id}/resume`);
    await work();
    expect(await ordersOf(subscription.id)).toHaveLength(1);
  });

  test.each(['skip', 'pause', 'cancel', 'PATCH'] as const)('between attempts: %s cancels the cart', async (change) => {
    const buyer = await savedBuyer();
    changeCard(buyer, 'declined');
    const { id } = await subscribe(buyer);
    await work();
    const path = `/subscriptions/${id}`;
    if (change === 'PATCH') await shop.commerce('PATCH', path, { quantity: 3 });
    else await shop.commerce('POST', `${path}/${change}`);
    expect(await cartsOf(id)).toMatchObject([{ status: 'cancelled' }]);
    changeCard(buyer, 'succeeds');
    await later(DAY);
    const orders = await ordersOf(id);
    if (change === 'PATCH') expect(orders).toMatchObject([{ total: 30, payment_status: 'paid' }]);
    else expect(orders).toEqual([]);
    await shop.commerce('POST', `${path}/cancel`);
  });

  test('is charged once if whoever charged it dies before settling', async () => {
    const { subscription, taken } = await claimed(await savedBuyer());
    stripe.failNext('cut_body');
    // The outcome is lost on the way.
    await server.app.calls.run(shop.company_id, taken, { isShown: false });
    expect(await ordersOf(subscription.id)).toEqual([]);
    await later(MINUTE);
    expect(await ordersOf(subscription.id)).toMatchObject([{ payment_status: 'paid' }]);
    const again = await claimed(await savedBuyer());
    // Nobody calls: the lease ends.
    await later(2 * MINUTE);
    expect(await ordersOf(again.subscription.id)).toMatchObject([{ payment_status: 'paid' }]);
  });

  test('whose charge stays unknown until its reservation has ended gets its order when the money is found', async () => {
    const { subscription } = await claimed(await savedBuyer());
    stripe.failNext('time_out_before', 30);
    for (let turn = 0; turn < 8; turn++) {
      await later(20 * MINUTE);
      await release();
    }
    expect(await ordersOf(subscription.id)).toEqual([]);
    expect(await cartsOf(subscription.id)).toMatchObject([{ status: 'expired' }]);
    stripe.faults.stop();
    await later(2 * 60 * MINUTE);
    await later(2 * 60 * MINUTE);
    expect(await ordersOf(subscription.id)).toHaveLength(1);
    expect(await read(`/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' });
  });

  test('without stock is not charged: it is retried daily, then skipped', async () => {
    const rare = (await made('/products', { name: 'Rare', price: 5, stock_qty: 1, subscription_enabled: true })).id;
    const buyer = await savedBuyer();
    const { id } = await subscribe(buyer, { product_id: rare });
    await work();
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'past_due', payment_attempts: 0 });
    for (let day = 0; day < 3; day++) await later(DAY);
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'active' });
    expect(await events('subscription_skipped', id)).toHaveLength(1);
    const carts = await cartsOf(id);
    expect(carts.map(({ status }) => status)).toEqual(['cancelled']);
    expect(await server.rows('select id from payments where cart_id = $1', [carts[0]!.id])).toEqual([]);
    await shop.commerce('POST', `/subscriptions/${id}/cancel`);
  });

  test('is not charged through an account that is inactive, as of one in test mode once the shop is live', async () => {
    const { id } = await subscribe(await savedBuyer());
    const set = (active: boolean) => {
      const by = { companyId: shop.company_id, actor: 'test', requestId: 'test', now: clock.now(), idempotency: null };
      return server.app.paymentAccounts.updateAccount(by, account, { active });
    };
    await set(false);
    await work();
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'past_due', payment_attempts: 1 });
    expect(await events('subscription_payment_failed', id)).toMatchObject([{ pay_url: expect.any(String) }]);
    await set(true);
    await later(DAY);
    expect(await ordersOf(id)).toMatchObject([{ payment_status: 'paid' }]);
  });

  test('whose method was removed is not charged, and the customer gets a link to pay', async () => {
    const buyer = await savedBuyer();
    const { id } = await subscribe(buyer, { start_date: daysLater(today(), 1) });
    await shop.commerce('DELETE', `/customers/${buyer.id}/saved-payment-methods/${buyer.saved.id}`);
    await later(DAY);
    expect(await events('subscription_payment_failed', id)).toMatchObject([{ reason: 'method_unavailable' }]);
    expect(await read(`/subscriptions/${id}`)).toMatchObject({ status: 'past_due' });
    // Another means of payment is charged at the next attempt.
    await shop.commerce('PATCH', `/subscriptions/${id}`, { saved_method_id: null });
    await later(DAY);
    expect(await ordersOf(id)).toMatchObject([{ payment_status: 'none' }]);
  });
});
