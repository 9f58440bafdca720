import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import type { PaymentAccount } from './accounts/contract.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Webhooks as services, and strangers, may send them. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const server = testServer({
  described: true,
  clock,
  config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url }, trustedProxies: ['127.0.0.1'] },
});
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const KIB = 1_024;

let shop: TestCompany;
let cards: PaymentAccount;
let pages: PaymentAccount;
let secret: string;
let networks = 0;

const caller = () => ({
  companyId: shop.company_id,
  actor: 'test',
  requestId: 'test',
  now: clock.now(),
  idempotency: null,
});
const { made } = asking(() => shop);
/** Sends a webhook from a network of its own, since failures of one are counted. */
const send = async (url: string, raw: string, headers: Record<string, string> = {}) => {
  const from = `198.51.100.${++networks}`;
  const path = new URL(url).pathname;
  return server.request('POST', path, { raw, headers: { 'x-forwarded-for': from, ...headers } });
};
const signed = (payload: string): Record<string, string> => {
  const timestamp = Math.floor(clock.now().getTime() / 1_000);
  return { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) };
};
const stored = async () => {
  const [row] = await server.rows<{ n: string }>('select count(*) as n from payment_webhook_events');
  return Number(row!.n);
};
const payments = () => server.app.workers.find(({ name }) => name === 'payments')!;

beforeAll(async () => {
  shop = await server.company();
  const account = stripe.account();
  secret = account.webhookSecrets[0]!;
  cards = await addTestAccount(server.app, shop.company_id, 'stripe', account);
  pages = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
});
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

test.each([
  ['JSON', { 'content-type': 'application/json; charset=utf-8' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['something unknown', { 'content-type': 'x/y' }],
  ['no type at all', {}],
])('a genuine webhook is accepted, whatever its type is: %s', async (_name, headers) => {
  const raw = JSON.stringify({
    id: `evt_${networks}`,
    object: 'event',
    type: 'customer.created',
    data: { object: {} },
  });
  const { status, body } = await send(cards.webhook_url, raw, { ...headers, ...signed(raw) });
  expect([status, body]).toEqual([200, { received: true }]);
});

test.each([
  ['an empty body', ''],
  ['null', 'null'],
  ['an array', '[]'],
  ['an object without a type', '{"id":"evt_1"}'],
  [
    'an event without an id',
    '{"type":"payment_intent.succeeded","data":{"object":{"object":"payment_intent","id":"pi_1"}}}',
  ],
  ['no JSON', 'id=tr_1'],
])('what no event can be is refused, even if it is signed: %s', async (_name, raw) => {
  const before = await stored();
  const { status, body } = await send(cards.webhook_url, raw, signed(raw));
  expect([status, body]).toEqual([400, { received: false, error: 'The webhook is not genuine' }]);
  expect(await stored()).toBe(before);
});

test.each([
  ['no data', '{"id":"evt_a","type":"payment_intent.succeeded"}'],
  ['no object', '{"id":"evt_b","type":"payment_intent.succeeded","data":{"object":null}}'],
  ['an object of another kind', '{"id":"evt_c","type":"charge.updated","data":{"object":{"payment_intent":null}}}'],
])('a signed event is stored, though it is about no payment: it has %s', async (_name, raw) => {
  const before = await stored();
  expect((await send(cards.webhook_url, raw, signed(raw))).status).toBe(200);
  expect(await stored()).toBe(before + 1);
});

test('a body of more than 256 KiB is refused, and one of 256 KiB is read', async () => {
  const before = await stored();
  const limit = `id=tr_big&x=${'x'.repeat(256 * KIB - 12)}`;
  expect((await send(pages.webhook_url, `${limit}x`)).status).toBe(413);
  expect(await stored()).toBe(before);
  expect((await send(pages.webhook_url, limit)).status).toBe(200);
  expect((await send(pages.webhook_url, `id=${'tr_1'.repeat(100)}`)).status).toBe(400);
});

test('an unknown address does not exist, for each method', async () => {
  for (const token of ['x'.repeat(43), 'x', '%00', "'or'1", 'é'.repeat(20)]) {
    const { status } = await send(`${server.origin}/payments/webhooks/${encodeURIComponent(token)}`, 'id=tr_1');
    expect([token, status]).toEqual([token, 404]);
  }
  expect((await server.request('GET', new URL(pages.webhook_url).pathname)).status).toBe(404);
});

test('payments of an account that was deactivated meanwhile are settled', async () => {
  const tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 5 })).id;
  const fields = { provider: 'stripe', kind: 'any', account_id: cards.id, name: 'Card' };
  const { id: method_id } = await made('/payment-methods', fields);
  const lines = [{ product_id: tea, qty: 2 }];
  const { id } = await made('/carts', { email: 'guest@example.com', lines, ...ADDRESS });
  const { payment } = await made(`/carts/${id}/pay`, { method_id });
  await server.app.paymentAccounts.updateAccount(caller(), cards.id, { active: false });
  await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');

  const object = { object: 'payment_intent', id: payment.provider_ref };
  const raw = JSON.stringify({
    id: 'evt_inactive',
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object },
  });
  const sent = await Promise.all(Array.from({ length: 10 }, () => send(cards.webhook_url, raw, signed(raw))));
  expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const events = await server.rows("select ref from payment_webhook_events where dedupe_key = 'evt_inactive'");
  expect(events).toHaveLength(1);
  while ((await payments().runOnce()) > 0);
  expect((await shop.commerce('GET', `/carts/${id}`)).body.data.status).toBe('placed');
});

test('webhooks that are not genuine limit those of their account alone, and unknown tokens keep no known account waiting', async () => {
  const from = { 'x-forwarded-for': '203.0.113.7' };
  const path = (url: string) => new URL(url).pathname;
  const other = await server.company();
  const account = stripe.account();
  const theirs = await addTestAccount(server.app, other.company_id, 'stripe', account);
  const raw = JSON.stringify({ id: 'evt_shared', object: 'event', type: 'customer.created', data: { object: {} } });
  const genuine = (url: string, webhookSecret: string) => {
    const timestamp = Math.floor(clock.now().getTime() / 1_000);
    const header = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret: webhookSecret, timestamp });
    return server.request('POST', path(url), { raw, headers: { ...from, 'stripe-signature': header } });
  };
  const forge = async (url: string) => (await server.request('POST', path(url), { raw, headers: from })).status;
  const statuses = new Set<number>();
  for (let i = 0; i < 60; i++) statuses.add(await forge(cards.webhook_url));
  expect([...statuses]).toEqual([400, 429]);
  expect(await forge(theirs.webhook_url)).toBe(400);
  expect((await genuine(theirs.webhook_url, account.webhookSecrets[0]!)).status).toBe(200);
  expect((await genuine(cards.webhook_url, secret)).status).toBe(200);

  const unknown = new Set<number>();
  for (let i = 0; i < 60; i++) unknown.add(await forge(`${server.origin}/payments/webhooks/${'y'.repeat(40)}`));
  expect([...unknown]).toEqual([404, 429]);
  expect((await genuine(theirs.webhook_url, account.webhookSecrets[0]!)).status).toBe(200);
});
