import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../db/sql.ts';
import { checkInvariants } from '../../../invariants.ts';
import { signUp, type TestStore, testStore } from '../../../store/testing-store.ts';
import { asking } from '../../../testing/asking.ts';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../../carts/release.ts';
import { addTestAccount } from '../testing/account.ts';
import { startMollieDouble } from '../testing/mollie/double.ts';
import type { BehaviorName } from '../testing/stripe/cards.ts';
import { startStripeDouble } from '../testing/stripe/double.ts';

/** Carts and orders that are paid with saved methods: by customers who are signed in, and by staff without them. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const urls = { stripe: stripe.url, mollie: mollie.url };
const server = testServer({ described: true, clock, config: { paymentUrls: urls } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const BACK = 'https://shop.example/paid';
const MINUTE = 60_000;

type Buyer = Awaited<ReturnType<typeof savedBuyer>>;
let shop: TestCompany;
let store: TestStore;
let tea: number;
let card: number;
let debit: number;
let hosted: number;
let ideal: number;
let transfer: number;
let buyers = 0;

const { made, read } = asking(() => shop);
const runOnce = (name: string) => server.app.workers.find((worker) => worker.name === name)!.runOnce();
const work = async () => {
  while ((await runOnce('payments')) > 0);
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
const refusal = ({ status, body }: TestResponse) => {
  const { reason, fields, code } = body.error?.details ?? {};
  return [status, fields?.map((one: { field: string; code: string }) => `${one.field} ${one.code}`) ?? reason, code];
};
/** The events that tell somebody of a failed payment. */
const told = async (payment: number) =>
  (
    await server.rows<{ topic: string }>(
      "select topic from outbox where topic like '%payment_failed' and payload ->> 'payment_id' = $1",
      [String(payment)],
    )
  ).map(({ topic }) => topic);

beforeAll(async () => {
  shop = await server.company({ currency: 'EUR' });
  store = await testStore(server, shop.company_id);
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  const atMollie = { provider: 'mollie', account_id: byMollie.id };
  card = (await made('/payment-methods', { provider: 'stripe', kind: 'any', account_id: byStripe.id, name: 'Card' }))
    .id;
  const atOnce = { provider: 'stripe', kind: 'any', account_id: byStripe.id, places: 'at_once' };
  debit = (await made('/payment-methods', { ...atOnce, name: 'Debit' })).id;
  hosted = (await made('/payment-methods', { ...atMollie, kind: 'creditcard', name: 'Mollie' })).id;
  ideal = (await made('/payment-methods', { ...atMollie, kind: 'ideal', name: 'iDEAL' })).id;
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', places: 'at_once' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});

// A network may pay 10 times an hour.
beforeEach(() => {
  stripe.faults.stop();
  clock.advance(61 * MINUTE);
});
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

/** After every test, all invariants hold, and the services' books are ours. */
afterEach(async () => {
  await Promise.all([stripe.webhooks.idle(), mollie.webhooks.idle()]);
  await work();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  const ours = await server.rows<{ ref: string; captured: string }>(
    'select provider_ref as ref, captured from payments where provider_ref is not null',
  );
  const books = new Map<string, { captured: number }>([...stripe.books(), ...mollie.books()]);
  for (const { ref, captured } of ours) expect([ref, Number(captured)]).toEqual([ref, books.get(ref)!.captured]);
});

/** A customer with an order that was paid by a card, or a bank, which the service keeps. */
async function savedBuyer(method = card) {
  const buyer = await signUp(server, shop, store, `saved${++buyers}@example.com`);
  await fill(buyer);
  const pay = { method_id: method, save_method: true, return_url: BACK };
  const { payment } = (await store.send('POST', '/cart/pay', pay, buyer.headers)).body.data;
  if (method === card) await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  else mollie.buyer.pay(payment.provider_ref);
  await later(11_000);
  const status = async () => {
    await work();
    return (await read(`/payments/${payment.id}`)).status;
  };
  await expect.poll(status).toBe('paid');
  const [saved] = (await store.get('/me/saved-payment-methods', buyer.headers)).body.data;
  const atStripe = method === card ? stripe.intentById(payment.provider_ref).payment_method : null;
  return { ...buyer, saved: saved.id as number, behaves: (next: BehaviorName) => change(atStripe!, next) };
}
const change = (method: string, next: BehaviorName): void => stripe.dashboard.changeMethod(method, next);

/** A new cart of the customer with two units, ready to be paid. */
async function fill({ headers }: { headers: { authorization: string } }): Promise<number> {
  const cart = (await store.send('POST', '/cart', { lines: [{ product_id: tea, qty: 2 }] }, headers)).body.data;
  await store.send('PATCH', '/cart', ADDRESS, { ...headers, 'x-cart-token': cart.token });
  return cart.id;
}
const pay = ({ headers, saved }: Buyer, fields: object = {}) =>
  store.send('POST', '/cart/pay', { saved_method_id: saved, return_url: BACK, ...fields }, headers);
const state = async (id: number) => {
  const { payment_status, balance } = await read(`/orders/${id}`);
  return [payment_status, balance];
};
/** The cart is known by its payment: by the customer alone, only an open one is. */
const confirm = (cart: number) => shop.commerce('POST', `/carts/${cart}/confirm`);

describe('a customer who is signed in', () => {
  test('pays the cart with a saved card at once', async () => {
    const buyer = await savedBuyer();
    const [, before] = [await fill(buyer), await stock()];
    const paid = await pay(buyer, { method_id: card, expected_total: 20 });
    expect(paid.body.data).toMatchObject({
      status: 'placed',
      order: { total: 20, payment_status: 'paid', balance: 0 },
      payment: { method_id: card, status: 'paid', client_secret: null },
    });
    expect(await stock()).toBe(before - 2);
    expect(await read(`/payments/${paid.body.data.payment.id}`)).toMatchObject({
      operations: [{ kind: 'start', state: 'done' }],
    });
    // It is not saved a second time.
    expect((await store.get('/me/saved-payment-methods', buyer.headers)).body.data).toHaveLength(1);
  });

  test.each(['passed', 'failed', 'abandoned'] as const)('is asked for 3-D Secure, which is %s', async (outcome) => {
    const buyer = await savedBuyer();
    buyer.behaves('challenges');
    const [cart, before] = [await fill(buyer), await stock()];
    const { status, payment } = (await pay(buyer)).body.data;
    expect([status, payment.publishable_key]).toEqual(['action_required', stripe.publishableKey]);
    expect(payment.client_secret).toBe(stripe.intentById(payment.provider_ref).client_secret);
    expect(await stock()).toBe(before - 2);
    if (outcome === 'abandoned') {
      for (let turn = 0; turn < 3; turn++) {
        await later(31 * MINUTE);
        await release();
      }
      expect(await read(`/carts/${cart}`)).toMatchObject({ status: 'open' });
      expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled', captured: 0 });
      expect([await stock(), await told(payment.id)]).toEqual([before, []]);
      // The customer comes back.
      buyer.behaves('succeeds');
      expect((await pay(buyer)).body.data.status).toBe('placed');
      return;
    }
    stripe.buyer.completeChallenge(payment.provider_ref, outcome);
    const confirmed = (await confirm(cart)).body.data;
    if (outcome === 'failed') {
      expect(confirmed).toMatchObject({
        status: 'action_required',
        payment: { failure: { code: 'authentication_required' }, client_secret: payment.client_secret },
      });
      expect([await stock(), await told(payment.id)]).toEqual([before - 2, []]);
      // Another card, for the same payment.
      await stripe.buyer.confirm(payment.client_secret, 'pm_card_mastercard');
      expect((await confirm(cart)).body.data.status).toBe('placed');
    } else expect(confirmed).toMatchObject({ status: 'placed', order: { payment_status: 'paid' } });
    expect(await told(payment.id)).toEqual([]);
  });

  test('is told at once that the card is declined, and pays with another means', async () => {
    const buyer = await savedBuyer();
    buyer.behaves('insufficient_funds');
    const [cart, before] = [await fill(buyer), await stock()];
    expect(refusal(await pay(buyer))).toEqual([422, 'payment_declined', 'insufficient_funds']);
    const { status } = await read(`/carts/${cart}`);
    expect([status, await stock()]).toEqual(['open', before]);
    const [declined] = await server.rows<{ id: number }>('select id::int from payments where cart_id = $1', [cart]);
    expect(await told(declined!.id)).toEqual([]);
    const next = await store.send('POST', '/cart/pay', { method_id: card }, buyer.headers);
    expect(next.body.data.status).toBe('action_required');
    await made(`/carts/${cart}/reopen`);
  });

  test('confirms the card on the page of Mollie, and returns', async () => {
    const buyer = await savedBuyer(hosted);
    const cart = await fill(buyer);
    const { status, payment } = (await pay(buyer)).body.data;
    expect([status, payment.client_secret]).toEqual(['action_required', null]);
    expect(payment.redirect_url).toContain('/checkout/');
    expect(mollie.paymentOf({ payment: payment.id })).toMatchObject({ sequenceType: 'oneoff', redirectUrl: BACK });
    mollie.buyer.pay(payment.provider_ref);
    expect((await confirm(cart)).body.data).toMatchObject({ status: 'placed', order: { payment_status: 'paid' } });

    // 3-D Secure fails there, and the customer does not return: the link to pay goes to them, as after any payment.
    const lost = await fill(buyer);
    const failing = (await pay(buyer)).body.data.payment;
    mollie.buyer.fail(failing.provider_ref, 'authentication_failed');
    await later(11_000);
    expect(await read(`/carts/${lost}`)).toMatchObject({ status: 'open' });
    expect(await told(failing.id)).toEqual(['payment_failed']);
  });

  test('pays from a saved bank account, which takes days', async () => {
    const buyer = await savedBuyer(ideal);
    const cart = await fill(buyer);
    const { status, payment } = (await pay(buyer)).body.data;
    expect([status, payment.redirect_url]).toEqual(['processing', null]);
    mollie.buyer.pay(payment.provider_ref);
    expect((await confirm(cart)).body.data).toMatchObject({ status: 'placed' });
  });

  test('uses only own methods, and no other means while one is under way', async () => {
    const [one, other] = [await savedBuyer(), await savedBuyer(hosted)];
    const cart = await fill(one);
    expect(refusal(await pay(one, { saved_method_id: other.saved }))).toEqual([
      422,
      ['saved_method_id unknown'],
      undefined,
    ]);
    expect(refusal(await pay(one, { saved_method_id: 999_999 }))).toEqual([
      422,
      ['saved_method_id unknown'],
      undefined,
    ]);
    expect(refusal(await pay(one, { method_id: hosted }))).toEqual([422, ['method_id not_allowed'], undefined]);
    expect(refusal(await pay(one, { save_method: true }))).toEqual([422, ['save_method not_allowed'], undefined]);
    const { token } = (await store.ask('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }] })).body.data;
    await store.ask('PATCH', '/cart', { ...ADDRESS, email: 'guest@example.com' }, token);
    for (const headers of [{}, one.headers]) {
      const asked = { ...headers, 'x-cart-token': token };
      const refused = await store.send('POST', '/cart/pay', { saved_method_id: one.saved }, asked);
      expect(refusal(refused)).toEqual([422, ['saved_method_id not_allowed'], undefined]);
    }

    one.behaves('challenges');
    const begun = (await pay(one)).body.data;
    const repeat = (fields: object) => shop.commerce('POST', `/carts/${cart}/pay`, fields);
    expect((await repeat({ saved_method_id: one.saved })).body.data).toMatchObject(begun);
    expect((await repeat({ saved_method_id: one.saved, method_id: card })).body.data).toMatchObject(begun);
    expect(refusal(await repeat({ method_id: card }))).toEqual([422, 'payment_in_progress', undefined]);
    expect(refusal(await repeat({ saved_method_id: other.saved }))).toEqual([422, 'payment_in_progress', undefined]);
    await made(`/carts/${cart}/reopen`);
    const plain = (await repeat({ method_id: card })).body.data;
    expect(refusal(await repeat({ saved_method_id: one.saved }))).toEqual([422, 'payment_in_progress', undefined]);
    expect((await repeat({ method_id: card })).body.data).toEqual(plain);
    await made(`/carts/${cart}/reopen`);
  });

  test('pays once if the outcome is lost on the way, and nothing with what was removed meanwhile', async () => {
    const buyer = await savedBuyer();
    await fill(buyer);
    stripe.failNext('cut_body');
    const begun = (await pay(buyer)).body.data;
    expect(begun.status).toBe('processing');
    await later(MINUTE);
    expect(await read(`/payments/${begun.payment.id}`)).toMatchObject({ status: 'paid', order_id: expect.any(Number) });

    const cart = await fill(buyer);
    stripe.failNext('time_out_before');
    const { payment } = (await pay(buyer)).body.data;
    await store.send('DELETE', `/me/saved-payment-methods/${buyer.saved}`, {}, buyer.headers);
    await later(MINUTE);
    const failed = { status: 'failed', failure: { code: 'method_unavailable' } };
    expect(await read(`/payments/${payment.id}`)).toMatchObject(failed);
    expect(await read(`/carts/${cart}`)).toMatchObject({ status: 'open' });
    expect(await told(payment.id)).toEqual(['payment_failed']);
    expect(refusal(await pay(buyer))).toEqual([422, ['saved_method_id unknown'], undefined]);
  });
});

describe('a customer who is erased or merged meanwhile', () => {
  /** Begins `settle` while somebody holds the customer, and lets go once it waits for them. */
  async function whileHeld<T>(id: number, settle: () => Promise<T>, erases: boolean): Promise<T> {
    const companyId = shop.company_id;
    let settled: Promise<T> | undefined;
    await server.app.db.tenantTx(companyId, async (tx) => {
      await tx.query(sql`select from customers where company_id = ${companyId} and id = ${id} for update`);
      settled = settle();
      await expect.poll(() => server.lockWaits()).toBe(1);
      if (!erases) return;
      await tx.query(sql`
        update customers set email = null, first_name = '', last_name = '', search = '', erased_at = now()
        where company_id = ${companyId} and id = ${id}`);
    });
    return settled!;
  }
  const begun = async (method: number, means: string) => {
    const buyer = await signUp(server, shop, store, `leaving${++buyers}@example.com`);
    const cart = await fill(buyer);
    const asked = { method_id: method, save_method: true, return_url: BACK };
    const { payment } = (await store.send('POST', '/cart/pay', asked, buyer.headers)).body.data;
    await stripe.buyer.confirm(payment.client_secret, means);
    return { buyer, cart, payment };
  };
  const kept = (id: number) => server.rows('select id from saved_payment_methods where customer_id = $1', [id]);

  test('leaves nothing with money that comes for an order', async () => {
    const { buyer, cart, payment } = await begun(debit, 'pm_usBankAccount_processing');
    const { order } = (await confirm(cart)).body.data;
    expect(await state(order.id)).toEqual(['pending', 20]);
    stripe.dashboard.settleProcessing(payment.provider_ref, 'succeeded');
    await whileHeld(buyer.id, () => server.app.calls.refresh(shop.company_id, payment.id), true);
    expect([await state(order.id), await kept(buyer.id)]).toEqual([['paid', 0], []]);
    const [paid] = await server.rows<{ email: string | null }>(
      "select payload ->> 'email' as email from outbox where topic = 'order_paid' and payload ->> 'order_id' = $1",
      [String(order.id)],
    );
    expect(paid).toEqual({ email: null });
  });

  test('stays until the order that a payment places is there, with what its service keeps', async () => {
    const { buyer, cart } = await begun(card, 'pm_card_visa');
    const placed = await whileHeld(buyer.id, () => confirm(cart), false);
    expect(placed.body.data).toMatchObject({ status: 'placed', order: { payment_status: 'paid' } });
    expect(await kept(buyer.id)).toHaveLength(1);
  });
});

describe('staff', () => {
  /** A cart of the customer that staff made. */
  const cartOf = async ({ id }: { id: number }) =>
    (await made('/carts', { customer_id: id, lines: [{ product_id: tea, qty: 1 }], ...ADDRESS })).id;
  const charge = (cart: number, saved: number) =>
    shop.commerce('POST', `/carts/${cart}/pay`, { saved_method_id: saved });

  test.each(['stripe', 'mollie'] as const)('charge a saved method at %s without the customer', async (service) => {
    const buyer = await savedBuyer(service === 'stripe' ? card : hosted);
    const { body } = await charge(await cartOf(buyer), buyer.saved);
    expect(body.data).toMatchObject({ status: 'placed', order: { payment_status: 'paid', total: 10 } });
    const { operations } = await read(`/payments/${body.data.payment.id}`);
    expect(operations).toMatchObject([{ kind: 'charge', state: 'done' }]);
  });

  test('are told that the bank asks for the customer, who pays by the link', async () => {
    const buyer = await savedBuyer();
    buyer.behaves('challenges');
    const cart = await cartOf(buyer);
    expect(refusal(await charge(cart, buyer.saved))).toEqual([422, 'payment_declined', 'authentication_required']);
    expect(await read(`/carts/${cart}`)).toMatchObject({ status: 'open' });
    expect((await made(`/carts/${cart}/pay-link`)).url).toContain('/pay/');
    // Each is an attempt, as those of buyers are: after three, the pause begins.
    for (let n = 0; n < 2; n++) expect((await charge(cart, buyer.saved)).status).toBe(422);
    expect((await charge(cart, buyer.saved)).status).toBe(429);
  });

  test('charge only methods of the cart’s customer', async () => {
    const [one, other] = [await savedBuyer(), await savedBuyer()];
    const unknown = [422, ['saved_method_id unknown'], undefined];
    expect(refusal(await charge(await cartOf(one), other.saved))).toEqual(unknown);
    const guest = await made('/carts', { email: 'x@example.com', lines: [{ product_id: tea, qty: 1 }], ...ADDRESS });
    expect(refusal(await charge(guest.id, one.saved))).toEqual(unknown);
  });

  test('learn of a charge that fails unheard as of any payment, because it is no renewal', async () => {
    const buyer = await savedBuyer();
    const cart = await cartOf(buyer);
    stripe.failNext('time_out_before');
    const { status, payment } = (await charge(cart, buyer.saved)).body.data;
    expect(status).toBe('processing');
    buyer.behaves('declined');
    await later(MINUTE);
    expect(await read(`/payments/${payment.id}`)).toMatchObject({
      status: 'failed',
      failure: { code: 'card_declined' },
    });
    expect([(await read(`/carts/${cart}`)).status, await told(payment.id)]).toEqual(['open', ['payment_failed']]);
  });
});

describe('an order', () => {
  /** An order of the customer whose money is owed. */
  async function owing(buyer: Buyer) {
    await fill(buyer);
    const { order, order_token: token } = (
      await store.send('POST', '/cart/pay', { method_id: transfer }, buyer.headers)
    ).body.data;
    const send = (headers: Record<string, string>, fields: object = {}) =>
      store.send(
        'POST',
        '/order/pay',
        { saved_method_id: buyer.saved, return_url: BACK, ...fields },
        {
          ...headers,
          'x-order-token': token,
        },
      );
    return { id: order.id as number, send };
  }

  test.each(['passed', 'failed'] as const)('is paid with a saved card, 3-D Secure is %s', async (outcome) => {
    const buyer = await savedBuyer();
    buyer.behaves('challenges');
    const { id, send } = await owing(buyer);
    const { payment } = (await send(buyer.headers)).body.data;
    expect(payment).toMatchObject({ status: 'action_required', amount: 20, method_id: card });
    expect((await send(buyer.headers)).body.data.payment).toEqual(payment);
    expect(refusal(await send(buyer.headers, { saved_method_id: null, method_id: card }))).toEqual([
      422,
      'payment_in_progress',
      undefined,
    ]);
    stripe.buyer.completeChallenge(payment.provider_ref, outcome);
    await server.app.calls.refresh(shop.company_id, payment.id);
    expect(await state(id)).toEqual(outcome === 'passed' ? ['paid', 0] : ['pending', 20]);
    expect(await told(payment.id)).toEqual([]);
    if (outcome === 'passed') return;
    await made(`/payments/${payment.id}/cancel`);
    buyer.behaves('declined');
    expect(refusal(await send(buyer.headers))).toEqual([422, 'payment_declined', 'card_declined']);
    buyer.behaves('succeeds');
    expect((await send(buyer.headers)).body.data).toMatchObject({ order: { payment_status: 'paid' } });
  });

  test('is paid with a saved method only by its customer, signed in; Mollie leads back to where the customer was', async () => {
    const [buyer, other] = [await savedBuyer(hosted), await savedBuyer()];
    const { id, send } = await owing(buyer);
    const notOwn = [422, ['saved_method_id not_allowed'], undefined];
    expect(refusal(await send({}))).toEqual(notOwn);
    expect(refusal(await send(other.headers))).toEqual(notOwn);
    expect(refusal(await send(other.headers, { saved_method_id: other.saved }))).toEqual(notOwn);
    const unknown = [422, ['saved_method_id unknown'], undefined];
    expect(refusal(await send(buyer.headers, { saved_method_id: other.saved }))).toEqual(unknown);
    expect((await send({ authorization: 'Bearer tl_nobody' })).status).toBe(401);
    const without = await send(buyer.headers, { saved_method_id: null });
    expect(refusal(without)).toEqual([422, ['method_id required'], undefined]);
    expect(await state(id)).toEqual(['pending', 20]);
    const { payment } = (await send(buyer.headers)).body.data;
    expect(mollie.paymentOf({ payment: payment.id })).toMatchObject({ redirectUrl: BACK, sequenceType: 'oneoff' });
    mollie.buyer.pay(payment.provider_ref);
    await server.app.calls.refresh(shop.company_id, payment.id);
    expect(await state(id)).toEqual(['paid', 0]);
  });
});
