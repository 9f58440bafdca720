import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestStore, testStore } from '../../store/testing-store.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Cards that are tried one after the other, in the browser: Stripe takes them without the program. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: null } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };

let shop: TestCompany;
let store: TestStore;
let card: number;
let door: number;
let tea: number;
let guests = 0;

const { made, read } = asking(() => shop);
const newCart = () =>
  made('/carts', {
    email: `guest${++guests}@example.com`,
    lines: [{ product_id: tea, qty: 3 }],
    ...ADDRESS,
  });
const work = async () => {
  await stripe.webhooks.idle();
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  while ((await payments.runOnce()) > 0);
};
interface Begun {
  id: number;
  client_secret: string;
}
const tryCards = async ({ client_secret }: Begun, count: number) => {
  for (let n = 0; n < count; n++) await stripe.buyer.confirm(client_secret, 'pm_card_chargeDeclined');
  await work();
};
const statusOf = async ({ id }: Begun) => (await read(`/payments/${id}`)).status;

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id);
  const account = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  stripe.registerWebhook(account.webhook_url);
  card = (await made('/payment-methods', { provider: 'stripe', kind: 'any', account_id: account.id, name: 'Card' })).id;
  door = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});
afterEach(async () => expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]));
afterAll(() => stripe.close());

test('the third declined card ends the payment of a cart; then buyers wait, and after five cards none is taken', async () => {
  const cart = await newCart();
  const pay = () => shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: card });
  const begin = async (): Promise<Begun> => (await pay()).body.data.payment;
  const refusal = async () => {
    const { status, body } = await pay();
    const { reason, retry_after } = body.error!.details;
    return [status, reason, retry_after];
  };
  const first = await begin();
  await tryCards(first, 2);
  expect([await statusOf(first), (await read(`/carts/${cart.id}`)).status]).toEqual(['action_required', 'paying']);
  await tryCards(first, 1);
  expect([await statusOf(first), (await read(`/carts/${cart.id}`)).status]).toEqual(['cancelled', 'open']);
  await expect(stripe.buyer.confirm(first.client_secret, 'pm_card_visa')).rejects.toThrow('refused');

  expect(await refusal()).toEqual([429, 'rate_limited', 60]);
  clock.advance(60_000);
  const second = await begin();
  await tryCards(second, 1);
  expect(await statusOf(second)).toBe('cancelled');
  expect(await refusal()).toEqual([429, 'rate_limited', 120]);
  clock.advance(120_000);
  await tryCards(await begin(), 1);
  clock.advance(86_400_000);
  expect(await refusal()).toEqual([422, 'payment_method_unavailable', undefined]);
});

test('two declined cards and then one that pays place the order', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  await tryCards(payment, 2);
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  await work();
  expect(await statusOf(payment)).toBe('paid');
  expect((await read(`/carts/${cart.id}`)).status).toBe('placed');
});

test('a card that waits for 3-D Secure after three that were declined does not keep the payment', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  for (let n = 0; n < 3; n++) await stripe.buyer.confirm(payment.client_secret, 'pm_card_chargeDeclined');
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_authenticationRequired');
  await work();
  expect(await statusOf(payment)).toBe('cancelled');
});

test('the pause begins when the payment ends, whatever is heard of it later', async () => {
  const cart = await newCart();
  const { payment } = await made(`/carts/${cart.id}/pay`, { method_id: card });
  await tryCards(payment, 3);
  clock.advance(50_000);
  await server.rows('update payments set fetch_at = $1 where id = $2', [clock.now(), payment.id]);
  await work();
  const { body } = await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id: card });
  expect(body.error!.details.retry_after).toBeLessThanOrEqual(10);
});

test('the payment of an order ends likewise', async () => {
  const { id } = await newCart();
  await made(`/carts/${id}/pay`, { method_id: door });
  const own = { 'x-order-token': (await made(`/carts/${id}/confirm`)).order_token };
  const pay = () => store.send('POST', '/order/pay', { method_id: card }, own);
  const payment: Begun = (await pay()).body.data.payment;
  await tryCards(payment, 3);
  // What a request has not run, the worker does later.
  clock.advance(3_000);
  await work();
  expect(await statusOf(payment)).toBe('cancelled');
  const { status, body } = await pay();
  expect([status, body.error!.details.reason]).toEqual([429, 'rate_limited']);
});
