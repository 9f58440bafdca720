import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { testStore } from '../../store/testing-store.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../carts/release.ts';
import { addTestAccount } from './testing/account.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Carts and orders that are paid by cards, with Stripe's double and the official SDK. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const config = { paymentUrls: { stripe: stripe.url, mollie: null }, trustedProxies: ['127.0.0.1'] };
const server = testServer({ described: true, clock, config });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const MINUTE = 60_000;

let shop: TestCompany;
let card: number;
let later: number;
let tea: number;
let guests = 0;

const caller = () => ({
  companyId: shop.company_id,
  actor: 'test',
  requestId: 'test',
  now: clock.now(),
  idempotency: null,
});
const { made, read } = asking(() => shop);
const newCart = async (fields: object = {}) => {
  const email = `guest${++guests}@example.com`;
  return made('/carts', { email, lines: [{ product_id: tea, qty: 3 }], ...ADDRESS, ...fields });
};
const post = (path: string, body: object = {}) => shop.commerce('POST', path, body);
const pay = (id: number, method = card) => post(`/carts/${id}/pay`, { method_id: method });
const confirm = (id: number) => post(`/carts/${id}/confirm`);
const stock = async () => (await read(`/products/${tea}`)).stock_qty;
const reasonOf = ({ status, body }: { status: number; body: { error?: { details: { reason?: string } } } }) => [
  status,
  body.error?.details.reason,
];
const money = async (id: number) => {
  const { payment_status, paid, refunded, balance } = await read(`/orders/${id}`);
  return [payment_status, paid, refunded, balance];
};
const worker = async () => {
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  while ((await payments.runOnce()) > 0);
};
/** Moves the clock, and has the workers do what is due by then. */
const after = async (ms: number) => {
  clock.advance(ms);
  await worker();
};
const topics = async (type: string) =>
  (
    await server.rows<{ data: Record<string, unknown> }>(
      'select payload as data from outbox where topic = $1 order by id',
      [type],
    )
  ).map(({ data }) => data);

/** Ends reservations that are overdue. */
const release = async () => {
  const { db, log } = server.app;
  const end = releaseOverdueCarts({ db, clock, log });
  while ((await end(null)).done > 0);
};

/** A cart that has been paid by a card. */
async function paidOrder(method = card) {
  const cart = await newCart();
  const { payment } = (await pay(cart.id, method)).body.data;
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const { order } = (await confirm(cart.id)).body.data;
  return { cart, payment, order, ref: payment.provider_ref as string };
}

beforeAll(async () => {
  shop = await server.company();
  const account = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  stripe.registerWebhook(account.webhook_url);
  const fields = { provider: 'stripe', kind: 'any', account_id: account.id };
  card = (await made('/payment-methods', { ...fields, name: 'Card' })).id;
  later = (await made('/payment-methods', { ...fields, name: 'Card on delivery', capture: 'by_hand' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});

beforeEach(() => stripe.faults.stop());
afterAll(() => stripe.close());

/** After every test, all invariants hold, and Stripe's books are ours. */
afterEach(async () => {
  await stripe.webhooks.idle();
  await worker();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
  const ours = await server.rows<{ ref: string; captured: string; refunded: string; disputed: string }>(
    'select provider_ref as ref, captured, refunded, disputed from payments where provider_ref is not null',
  );
  for (const { ref, captured, refunded, disputed } of ours) {
    const line = stripe.books().get(ref)!;
    expect([ref, Number(captured), Number(refunded), Number(disputed)]).toEqual([
      ref,
      line.captured,
      line.refunded,
      line.disputed,
    ]);
  }
});

test('a cart is reserved, paid in the browser and placed as an order', async () => {
  const [cart, before] = [await newCart(), await stock()];
  const begun = await pay(cart.id);
  expect(begun.body.data).toMatchObject({ status: 'action_required', order: null });
  const { payment } = begun.body.data;
  expect(payment).toMatchObject({
    provider: 'stripe',
    mode: 'test',
    status: 'action_required',
    amount: 30,
    captured: 0,
  });
  expect(payment.client_secret).toMatch(/^pi_\w+_secret_/);
  expect(payment.publishable_key).toBe(stripe.publishableKey);
  expect(await stock()).toBe(before - 3);
  expect((await pay(cart.id)).body.data).toEqual(begun.body.data);

  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const placed = (await confirm(cart.id)).body.data;
  expect(placed).toMatchObject({
    status: 'placed',
    order: { total: 30, payment_status: 'paid', paid: 30, balance: 0 },
  });
  expect(placed.payment).toMatchObject({
    status: 'paid',
    captured: 30,
    order_id: placed.order.id,
    client_secret: null,
  });
  expect(await stock()).toBe(before - 3);
  expect((await topics('order_paid')).at(-1)).toMatchObject({ order_id: String(placed.order.id) });
  const { entries } = await read(`/orders/${placed.order.id}/ledger`);
  expect(entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).toEqual([
    ['order', 30],
    ['capture', 30],
  ]);
  const { operations } = await read(`/payments/${payment.id}`);
  expect(operations).toMatchObject([{ kind: 'start', state: 'done', attempts: 1 }]);
});

test('a webhook alone places the order, and further ones change nothing', async () => {
  const cart = await newCart();
  const { payment } = (await pay(cart.id)).body.data;
  stripe.failNext('duplicated');
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await stripe.webhooks.idle();
  await worker();
  const { order_id, status } = await read(`/carts/${cart.id}`);
  expect([status, await money(order_id)]).toEqual(['placed', ['paid', 30, 0, 0]]);
  expect(stripe.webhooks.sent.filter(({ forged }) => !forged).every((one) => one.status === 200)).toBe(true);
});

test('a forged webhook is refused, and an unknown address does not exist', async () => {
  const cart = await newCart();
  const { payment } = (await pay(cart.id)).body.data;
  stripe.failNext('forged');
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await stripe.webhooks.idle();
  expect(stripe.webhooks.sent.find(({ forged }) => forged)).toMatchObject({ status: 400 });
  const unknown = await server.request('POST', `/payments/webhooks/${'x'.repeat(43)}`, { raw: '{}' });
  expect(unknown.status).toBe(404);
});

test('without any webhook, a payment is fetched and its order placed', async () => {
  const cart = await newCart();
  const { payment } = (await pay(cart.id)).body.data;
  stripe.failNext('lost', 10);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await after(11_000);
  expect((await read(`/carts/${cart.id}`)).status).toBe('placed');
});

test('3-D Secure: passed, failed and abandoned', async () => {
  const ids = await Promise.all([newCart(), newCart(), newCart()].map(async (cart) => (await cart).id));
  const [passed, failed, abandoned] = ids as [number, number, number];
  const payments = [];
  for (const id of ids) payments.push((await pay(id)).body.data.payment);
  for (const { client_secret } of payments) {
    expect(await stripe.buyer.confirm(client_secret, 'pm_card_authenticationRequired')).toBe('requires_action');
  }
  stripe.buyer.completeChallenge(payments[0].provider_ref, 'passed');
  stripe.buyer.completeChallenge(payments[1].provider_ref, 'failed');
  expect((await confirm(passed)).body.data.status).toBe('placed');
  const again = (await confirm(failed)).body.data;
  expect(again).toMatchObject({ status: 'action_required', payment: { status: 'action_required' } });
  expect(again.payment.failure).not.toBeNull();
  // The buyer tries another card for the same payment.
  await stripe.buyer.confirm(again.payment.client_secret, 'pm_card_visa');
  expect((await confirm(failed)).body.data.status).toBe('placed');

  const before = await stock();
  clock.advance(31 * MINUTE);
  await release();
  await after(4_000);
  expect(await read(`/carts/${abandoned}`)).toMatchObject({ status: 'open', payment: null });
  expect(await stock()).toBe(before + 3);
  expect(await read(`/payments/${payments[2].id}`)).toMatchObject({ status: 'cancelled' });
});

test('reopening a cart cancels its payment first; money that came before places the order', async () => {
  const [first, second] = [await newCart(), await newCart()];
  await pay(first.id);
  expect((await post(`/carts/${first.id}/reopen`)).body.data).toMatchObject({ status: 'open', payment: null });
  const { payment } = (await pay(second.id)).body.data;
  stripe.dashboard.succeedBeforeCancel(payment.provider_ref);
  const late = (await post(`/carts/${second.id}/reopen`)).body.data;
  expect(late).toMatchObject({ status: 'placed', order: { payment_status: 'paid' } });
});

test('an unknown outcome is looked up, and the buyer is never charged twice', async () => {
  for (const fault of [
    'time_out_before',
    'time_out_after',
    'error_500',
    'conflict_409',
    'rate_limit_429',
    'cut_body',
  ] as const) {
    const cart = await newCart();
    stripe.failNext(fault);
    expect([fault, (await pay(cart.id)).body.data.status]).toEqual([fault, 'processing']);
    for (let tries = 0; tries < 6; tries++) await after(10 * MINUTE);
    const { status, payment } = (await pay(cart.id)).body.data;
    expect([fault, status]).toEqual([fault, 'action_required']);
    await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
    expect([fault, (await confirm(cart.id)).body.data.status]).toEqual([fault, 'placed']);
  }
});

test('a request to pay an order that is repeated, or begins nothing, is no attempt of the e-mail address', async () => {
  const store = await testStore(server, shop.company_id);
  const door = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door' })).id;
  const placed = async () => {
    const { id } = await newCart({ email: 'once@example.com' });
    await pay(id, door);
    return (await confirm(id)).body.data;
  };
  const [first, second] = [await placed(), await placed()];
  let visitors = 0;
  const payOrder = (token: string, key: string, method_id = card) => {
    const own = { 'x-order-token': token, 'x-forwarded-for': `198.51.100.${++visitors}`, 'idempotency-key': key };
    return store.send('POST', '/order/pay', { method_id }, own);
  };
  const begun = await payOrder(first.order_token, 'one');
  expect((await payOrder(first.order_token, 'one')).body.data.payment).toMatchObject({
    id: begun.body.data.payment.id,
  });
  await stripe.buyer.confirm(begun.body.data.payment.client_secret, 'pm_card_visa');
  await after(11_000);
  expect((await money(first.order.id))[0]).toBe('paid');
  for (let i = 0; i < 8; i++) {
    expect(reasonOf(await payOrder(first.order_token, 'one'))).toEqual([422, 'nothing_to_pay']);
  }
  expect(reasonOf(await payOrder(second.order_token, 'none', 999_999))).toEqual([422, 'payment_method_unavailable']);
  expect((await payOrder(second.order_token, 'two')).status).toBe(200);
  await post(`/payments/${(await read(`/orders/${second.order.id}/payments`))[0].id}/cancel`);
});

test('a refund is sent by Stripe, and is in the ledger once Stripe says so', async () => {
  const { order } = await paidOrder();
  const line = order.items[0].id;
  const refund = await post(`/orders/${order.id}/refunds`, {
    lines: [{ line_id: line, qty: 1, restock: true }],
    reason: 'Torn',
  });
  expect(refund.body.data).toMatchObject({ amount: 10, to: 'original', status: 'pending' });
  expect(await money(order.id)).toEqual(['paid', 30, 0, -10]);
  expect(reasonOf(await post(`/orders/${order.id}/refunds`, { amount: 21 }))).toEqual([422, 'amount_too_large']);
  await worker();
  expect(await money(order.id)).toEqual(['partially_refunded', 30, 10, 0]);
  expect((await read(`/orders/${order.id}/refunds`))[0]).toMatchObject({ status: 'done' });
  expect((await topics('order_refunded')).at(-1)).toMatchObject({ amount: 10, reason: 'Torn' });
});

test('a refund that fails later, and one made at Stripe, are in the ledger', async () => {
  const { order } = await paidOrder();
  await post(`/orders/${order.id}/refunds`, { amount: 30 });
  await worker();
  expect(await money(order.id)).toEqual(['refunded', 30, 30, 0]);
  const [entry] = await server.rows<{ cause: string }>(
    "select cause from order_ledger where order_id = $1 and kind = 'refund'",
    [order.id],
  );
  stripe.dashboard.settleRefund(entry!.cause.split(' ').at(-1)!, 'failed');
  await stripe.webhooks.idle();
  await worker();
  expect(await money(order.id)).toEqual(['paid', 30, 0, -30]);
  expect((await read(`/orders/${order.id}/refunds`))[0]).toMatchObject({ status: 'failed' });
  const other = await paidOrder();
  const made = stripe.dashboard.refund(other.ref, 500);
  await stripe.webhooks.idle();
  await worker();
  expect(await money(other.order.id)).toEqual(['partially_refunded', 30, 5, 5]);
  stripe.dashboard.settleRefund(made.id, 'failed');
  await stripe.webhooks.idle();
  await worker();
  expect(await money(other.order.id)).toEqual(['paid', 30, 0, 0]);
});

test('a refund that Stripe declines has failed, and what was given back there counts', async () => {
  const { order, ref } = await paidOrder();
  await post(`/orders/${order.id}/refunds`, { amount: 30 });
  stripe.failNext('lost', 5);
  stripe.dashboard.refund(ref);
  await worker();
  expect((await read(`/orders/${order.id}/refunds`))[0]).toMatchObject({ amount: 30, status: 'failed' });
  expect(await money(order.id)).toEqual(['refunded', 30, 30, 0]);
});

test('a dispute that is lost or won is in the ledger, and is looked at while it is open', async () => {
  const { order, ref, payment } = await paidOrder();
  const dispute = stripe.dashboard.openDispute(ref);
  await stripe.webhooks.idle();
  await worker();
  expect(await money(order.id)).toEqual(['refunded', 30, 30, 30]);
  const due = new Date(dispute.evidence_details.due_by! * 1_000).toISOString();
  const open = { disputed: 30, attention: 'dispute', dispute_due_by: due };
  expect(await read(`/payments/${payment.id}`)).toMatchObject(open);
  expect((await topics('payment_disputed')).at(-1)).toMatchObject({ order_id: String(order.id), amount: 30 });
  stripe.dashboard.closeDispute(dispute.id, 'won');
  await stripe.webhooks.idle();
  await worker();
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ disputed: 0, attention: null, dispute_due_by: null });
});

test('what is authorized is captured by hand, in parts, or cancelled', async () => {
  const { order, payment } = await paidOrder(later);
  expect(await money(order.id)).toEqual(['authorized', 0, 0, 30]);
  expect(reasonOf(await post(`/payments/${payment.id}/capture`, { amount: 31 }))).toEqual([422, 'amount_too_large']);
  const captured = (await post(`/payments/${payment.id}/capture`)).body.data;
  expect(captured).toMatchObject({ status: 'paid', captured: 30 });
  expect(await money(order.id)).toEqual(['paid', 30, 0, 0]);
  const other = await paidOrder(later);
  expect((await post(`/payments/${other.payment.id}/cancel`)).body.data).toMatchObject({ status: 'cancelled' });
  expect(await money(other.order.id)).toEqual(['failed', 0, 0, 30]);
});

test('payments are listed by service, by what is to be looked at, and by when their authorization ends', async () => {
  const ids = async (query: string) =>
    (await read(`/payments?per_page=100&${query}`)).map(({ id }: { id: number }) => id);
  const [disputed, authorized] = [await paidOrder(), await paidOrder(later)];
  stripe.dashboard.openDispute(disputed.ref);
  await stripe.webhooks.idle();
  await worker();
  expect(await ids('attention=dispute')).toEqual([disputed.payment.id]);
  expect(await ids('attention=any')).toContain(disputed.payment.id);
  expect(await ids('attention=uncertain')).toEqual([]);
  expect(await ids('provider=stripe')).toEqual(expect.arrayContaining([disputed.payment.id, authorized.payment.id]));
  expect(await ids('provider=mollie')).toEqual([]);
  const { authorized_until: end } = await read(`/payments/${authorized.payment.id}`);
  expect(await ids(`ends_before=${end}`)).not.toContain(authorized.payment.id);
  const afterwards = new Date(new Date(end).getTime() + 1_000).toISOString();
  expect(await ids(`ends_before=${afterwards}`)).toContain(authorized.payment.id);
  expect(await ids(`ends_before=${afterwards}`)).not.toContain(disputed.payment.id);
  for (const wrong of ['attention=all', 'provider=paypal', 'ends_before=soon']) {
    expect([wrong, (await shop.commerce('GET', `/payments?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test('cancelling an order voids what is authorized and gives back what was captured', async () => {
  const [paid, authorized] = [await paidOrder(), await paidOrder(later)];
  for (const { order } of [paid, authorized]) {
    const response = await shop.commerce('PATCH', `/orders/${order.id}/status`, { status: 'cancelled' });
    expect(response.status).toBe(200);
  }
  await after(4_000);
  expect(await money(paid.order.id)).toEqual(['refunded', 30, 30, 0]);
  expect(await money(authorized.order.id)).toEqual(['failed', 0, 0, 0]);
  expect(await read(`/payments/${authorized.payment.id}`)).toMatchObject({ status: 'cancelled' });
});

test('money that comes after the reservation has ended gets its order, or is given back', async () => {
  const [gets, back] = [await newCart(), await newCart()];
  const payments = [];
  for (const { id } of [gets, back]) payments.push((await pay(id)).body.data.payment);
  // Stripe cannot be asked for so long that the goods are sold to others.
  stripe.revokeKey();
  for (let n = 0; n < 4; n++) {
    clock.advance(31 * MINUTE);
    await release();
  }
  expect((await read(`/carts/${gets.id}`)).status).toBe('expired');
  const key = stripe.replaceKey();
  const [account] = (await server.app.paymentAccounts.listAccounts(shop.company_id)).payment_accounts;
  await server.app.paymentAccounts.updateAccount(caller(), account!.id, { secret_key: key });
  for (const { client_secret } of payments) await stripe.buyer.confirm(client_secret, 'pm_card_visa');
  await server.rows("update carts set status = 'cancelled', frozen = null where id = $1", [back.id]);
  for (let n = 0; n < 3; n++) await after(61 * MINUTE);
  expect((await read(`/carts/${gets.id}`)).status).toBe('placed');
  expect(await read(`/payments/${payments[1].id}`)).toMatchObject({ status: 'refunded', captured: 30, refunded: 30 });
  expect((await topics('payment_returned')).at(-1)).toMatchObject({ payment_id: String(payments[1].id) });
});

test('payments of carts that have expired are cancelled, also after the program has not run for hours', async () => {
  const [left, processed] = [await newCart(), await newCart()];
  const { payment } = (await pay(left.id)).body.data;
  const { payment: debit } = (await pay(processed.id)).body.data;
  await stripe.buyer.confirm(debit.client_secret, 'pm_usBankAccount_processing');
  clock.advance(3 * 60 * MINUTE);
  await release();
  await after(4_000);
  expect((await read(`/carts/${left.id}`)).status).toBe('expired');
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ status: 'cancelled' });
  // It could not be cancelled while the bank processed it.
  stripe.dashboard.settleProcessing(debit.provider_ref, 'failed');
  for (let n = 0; n < 2; n++) await after(61 * MINUTE);
  expect(await read(`/payments/${debit.id}`)).toMatchObject({ status: 'cancelled' });
  expect(stripe.intentById(debit.provider_ref).status).toBe('canceled');
});

test('a payment of another amount never counts as paid: it is given back', async () => {
  const cart = await newCart();
  const { payment } = (await pay(cart.id)).body.data;
  stripe.dashboard.changeAmount(payment.provider_ref, 2_000);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await confirm(cart.id);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ captured: 20, refunded: 0, attention: 'wrong_amount' });
  await after(5_000);
  expect((await read(`/carts/${cart.id}`)).status).toBe('open');
  expect(await read(`/payments/${payment.id}`)).toMatchObject({
    captured: 20,
    refunded: 20,
    attention: null,
  });
});
