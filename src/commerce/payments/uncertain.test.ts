import { afterAll, beforeAll, expect, test } from 'vitest';
import { uncertainPayments } from '../../doctor/checks.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Operations whose outcome a service does not say for long. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: null } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const HOUR = 3_600_000;

let shop: TestCompany;
let card: number;
let tea: number;

const { made, read } = asking(() => shop);
/** Has the worker do what is due by then. */
const after = async (ms: number) => {
  clock.advance(ms);
  await stripe.webhooks.idle();
  for (let passes = 0; passes < 4; passes++) {
    await server.app.workers.find(({ name }) => name === 'payments')!.runOnce();
  }
};
const uncertain = async (): Promise<number[]> =>
  (await read('/payments?attention=uncertain')).map(({ id }: { id: number }) => id);

/** A paid order whose refund is refused by Stripe for now, for more than a day. */
async function uncertainRefund() {
  const cart = await made('/carts', { email: 'ada@example.com', lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  const { order } = await made(`/carts/${cart.id}/confirm`);
  await after(0);
  stripe.failNext('rate_limit_429', 1_000);
  await made(`/orders/${order.id}/refunds`, { amount: 10 });
  for (let hours = 0; hours < 26; hours++) await after(HOUR);
  stripe.faults.stop();
  return { order, payment };
}

beforeAll(async () => {
  shop = await server.company();
  const account = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  stripe.registerWebhook(account.webhook_url);
  const method = { kind: 'any', name: 'Card', provider: 'stripe', account_id: account.id };
  card = (await made('/payment-methods', method)).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1_000 })).id;
});
afterAll(() => stripe.close());

test('a refund whose outcome is unknown for a day is told to operators, until it is known', async () => {
  const details = async () => (await server.request('GET', '/health/ready')).body.details ?? [];
  expect(await details()).toEqual([]);
  expect((await uncertainPayments(server.app.db)).examples).toEqual([]);
  const { payment } = await uncertainRefund();
  expect(await uncertain()).toEqual([payment.id]);
  expect(await uncertainPayments(server.app.db)).toMatchObject({
    id: 'payments.uncertain',
    ok: false,
    examples: [{ company_id: shop.company_id, subject: 'payments with an unknown outcome: 1' }],
    fix: expect.stringContaining('Money to look at'),
  });
  await expect.poll(details, { timeout: 15_000, interval: 500 }).toEqual([{ attention: 'uncertain', payments: 1 }]);

  await after(HOUR);
  await after(HOUR);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ refunded: 10, attention: null });
  expect((await uncertainPayments(server.app.db)).examples).toEqual([]);
});

test('it stays under the money to look at while other things are heard of its payment', async () => {
  const { payment } = await uncertainRefund();
  expect(await uncertain()).toEqual([payment.id]);
  stripe.dashboard.refund(payment.provider_ref, 500);
  await after(1_000);
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ refunded: 5, refund_pending: 10 });
  expect(await uncertain()).toEqual([payment.id]);
  const dispute = stripe.dashboard.openDispute(payment.provider_ref, { amount: 500 });
  await after(1_000);
  expect((await read(`/payments/${payment.id}`)).attention).toBe('dispute');
  stripe.dashboard.closeDispute(dispute.id, 'won');
  await after(1_000);
  expect(await uncertain()).toEqual([payment.id]);

  // Stripe gives nothing back of what was disputed: the outcome is known by then.
  await after(HOUR);
  await after(HOUR);
  expect((await read(`/payments/${payment.id}`)).operations.at(-1)).toMatchObject({
    kind: 'refund',
    state: 'declined',
  });
  expect(await read(`/payments/${payment.id}`)).toMatchObject({ refunded: 5, refund_pending: 0, attention: null });
});

test('a capture or cancellation that is repeated with its key shows the payment as it is by then', async () => {
  const { id: account } = (await server.rows<{ id: number }>('select id::int from payment_accounts'))[0]!;
  const fields = { kind: 'any', name: 'Later', provider: 'stripe', account_id: account, capture: 'by_hand' };
  const { id: later } = await made('/payment-methods', fields);
  for (const [action, status, known] of [
    ['capture', 'paid', { captured: 30 }],
    ['cancel', 'cancelled', { captured: 0 }],
  ] as const) {
    const cart = await made('/carts', { email: 'ada@example.com', lines: [{ product_id: tea, qty: 3 }], ...ADDRESS });
    const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: later });
    await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
    await made(`/carts/${cart.id}/confirm`);
    await after(0);
    const ask = (key: string, body: object = {}) =>
      shop.commerce('POST', `/payments/${payment.id}/${action}`, body, { 'idempotency-key': key });
    stripe.failNext('rate_limit_429', 1);
    const first = await ask(action);
    expect([first.status, first.body.data.operations.at(-1)]).toMatchObject([200, { state: 'uncertain' }]);
    await after(HOUR);
    const again = await ask(action);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body.data).toMatchObject({ status, ...known, operations: [{}, { kind: action, state: 'done' }] });
    // What was refused stays refused.
    const refused = await ask(`${action} once more`);
    expect([refused.status, (await ask(`${action} once more`)).body]).toEqual([422, refused.body]);
  }
});
