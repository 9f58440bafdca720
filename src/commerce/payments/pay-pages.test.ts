import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import type { Shop } from '../shop.ts';
import { elementsSetup, redirectTargets, stripeScript, stripeSources } from './pay-elements.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Pages of pay links with methods of services, without a browser. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const mollie = await startMollieDouble({ clock });
const server = testServer({
  described: true,
  clock,
  config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url }, trustedProxies: ['127.0.0.1'] },
});
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };

let shop: TestCompany;
let card: number;
let hosted: number;
let visitors = 0;
let networks = 0;

const { made, read } = asking(() => shop);

/** A cart of 20 dollars of a product of its own, the path of its pay link, and requests of one buyer. */
async function ready(email = `guest${++visitors}@example.com`) {
  const product = (await made('/products', { name: 'Tea', price: 10, stock_qty: 5 })).id as number;
  const lines = [{ product_id: product, qty: 2 }];
  const { id } = await made('/carts', { lines, email, ...ADDRESS });
  const path = new URL((await made(`/carts/${id}/pay-link`)).url).pathname;
  const headers = { 'x-forwarded-for': `198.51.100.${++networks}`, 'accept-language': 'en' };
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  const post = (to: string) => (fields: Record<string, string | number>) => {
    const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
    return server.request('POST', to, { headers: form, raw: new URLSearchParams(texts).toString() });
  };
  const open = (search = '') => server.request('GET', path + search, { headers });
  return { id: id as number, product, path, open, send: post(path), begin: post(`${path}/begin`) };
}

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  const cards = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const pages = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  card = (await made('/payment-methods', { provider: 'stripe', kind: 'any', account_id: cards.id, name: 'Card' })).id;
  hosted = (await made('/payment-methods', { provider: 'mollie', kind: 'any', account_id: pages.id, name: 'iDEAL' }))
    .id;
});
beforeEach(() => stripe.faults.stop());
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

test('a card that is chosen begins a payment, once, and the secret goes to the script alone', async () => {
  const { id, open, begin } = await ready();
  const { body } = await open();
  expect(body).toContain(`<script src="${stripe.url}/v3/" defer></script><script src="/pay/pay.js" defer></script>`);
  expect(body).not.toContain('sk_test');
  const begun = await begin({ method: card, expected: 20 });
  expect([begun.status, begun.headers.get('cache-control'), Object.keys(begun.body)]).toEqual([
    200,
    'no-store',
    ['client_secret'],
  ]);
  expect((await begin({ method: card, expected: 20 })).body).toEqual(begun.body);
  const waiting = (await open()).body;
  expect(waiting).toContain('Your payment is not complete yet. Payment method: Card.');
  expect(waiting).not.toContain(begun.body.client_secret);
  await stripe.buyer.confirm(begun.body.client_secret, 'pm_card_visa');
  expect((await open()).body).toContain('Thank you. Your order number is');
  expect((await read(`/carts/${id}`)).status).toBe('placed');
});

test('the script is told to let the page say what prevents the order', async () => {
  const { product, begin, send } = await ready();
  const changed = await begin({ method: card, expected: 19 });
  expect([changed.status, changed.body]).toEqual([422, { next: 'send' }]);
  expect((await send({ method: card, expected: 19 })).body).toContain('The total has changed to $20.00.');
  await shop.commerce('PATCH', `/products/${product}`, { stock_qty: 1 });
  expect((await begin({ method: card, expected: 20 })).body).toEqual({ next: 'send' });
  const unknown = await begin({ method: 999_999, expected: 20 });
  expect([unknown.status, unknown.body.message]).toEqual([422, expect.stringContaining('not available')]);
});

test('a service that does not reply is waited for, and its payment can be replaced', async () => {
  const { id, open, begin, send } = await ready();
  stripe.failNext('time_out_before', 3);
  expect((await begin({ method: card, expected: 20 })).body).toEqual({ next: 'reload' });
  const { status, body } = await open();
  expect([status, body.includes('Your payment is being processed.'), body.includes('Check again')]).toEqual([
    200,
    true,
    true,
  ]);
  stripe.faults.stop();
  clock.advance(6_000);
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  while ((await payments.runOnce()) > 0);
  expect((await open()).body).toContain('Your payment is not complete yet.');
  const replaced = await send({ method: hosted, expected: 20 });
  expect([replaced.status, replaced.headers.get('location')]).toEqual([303, expect.stringContaining('/checkout/')]);
  expect((await read(`/carts/${id}`)).payment.provider).toBe('mollie');
  expect([...stripe.books().values()].at(-1)).toMatchObject({ status: 'canceled', captured: 0 });
});

test('what a service adds to the address is taken away', async () => {
  const { path, open } = await ready();
  const back = await open('?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=failed');
  expect([back.status, back.headers.get('location')]).toEqual([303, path]);
});

test('a network begins 10 payments an hour, also by the script', async () => {
  const { begin } = await ready();
  for (let i = 0; i < 10; i++) expect((await begin({ method: card, expected: 19 })).status).toBe(422);
  const refused = await begin({ method: card, expected: 20 });
  expect([refused.status, refused.body]).toEqual([429, { message: 'Please try again later.' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
});

test('a link that has ended, and one of another server, begin nothing', async () => {
  const { path, begin } = await ready();
  const forged = await server.request('POST', `${path.slice(0, -1)}x/begin`, { raw: '' });
  expect(forged.status).toBe(404);
  clock.advance(31 * 86_400_000);
  expect((await begin({ method: card, expected: 20 })).body).toEqual({ next: 'reload' });
});

test('where no card can be paid, the page has no script and its usual policy', async () => {
  const other = shop;
  shop = await server.company({ name: 'Cash only' });
  await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door' });
  const { headers, body } = await (await ready()).open();
  shop = other;
  expect(body).not.toContain('<script');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('the policy names the services by their own addresses, unless stand-ins are set', () => {
  const none = { stripe: null, mollie: null };
  expect(stripeScript(none)).toBe('https://js.stripe.com/v3/');
  expect(stripeSources(none)).toEqual([
    "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
    'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    "connect-src 'self' https://api.stripe.com",
  ]);
  expect(redirectTargets(none)).toBe('https:');
});

test('Elements get the amount in the units of Stripe, and what the payment will be', async () => {
  const own = await server.app.shops.get(shop.company_id);
  const method = own.paymentMethods.find(({ id }) => id === card)!;
  const setup = (more: Partial<Shop>, total: number, kind: 'cart' | 'order' = 'cart', over: object = {}) =>
    elementsSetup(Object.assign({}, method, over), { shop: Object.assign({}, own, more), total, kind })?.options ??
    null;
  expect(setup({}, 20.5)).toEqual({ mode: 'payment', amount: 2_050, currency: 'usd', captureMethod: 'automatic' });
  expect(setup({ currency: 'JPY', exponent: 0 }, 500)).toMatchObject({ amount: 500, currency: 'jpy' });
  expect(setup({ currency: 'KWD', exponent: 3 }, 1.23)).toMatchObject({ amount: 1_230 });
  expect(setup({ currency: 'KWD', exponent: 3 }, 1.234)).toBeNull();
  const later = { capture: 'on_shipped', kind: 'card' };
  expect(setup({}, 1, 'cart', later)).toMatchObject({ captureMethod: 'manual', allowedPaymentMethodTypes: ['card'] });
  expect(setup({}, 1, 'order', later)).toMatchObject({ captureMethod: 'automatic' });
  expect(setup({ paymentAccounts: [] }, 1)).toBeNull();
});

test('an e-mail address may be used for ten payments by services an hour, for carts and orders together', async () => {
  const email = 'Tested@example.com';
  for (let n = 0; n < 9; n++) {
    const { id, begin } = await ready(email);
    expect((await begin({ method: card, expected: 20 })).status).toBe(200);
    if (n === 0) await shop.commerce('POST', `/carts/${id}/reopen`);
  }
  const customer_id = (await made('/customers', { email: 'tested@example.com', first_name: 'T', last_name: 'T' })).id;
  const orderPath = async () => {
    const product_id = (await made('/products', { name: 'Tea', price: 10, stock_qty: 5 })).id;
    const { id } = await made('/orders', { customer_id, items: [{ product_id, qty: 1 }], ...ADDRESS });
    return new URL((await made(`/orders/${id}/pay-link`)).url).pathname;
  };
  const payOrder = async () => {
    const headers = {
      'x-forwarded-for': `198.51.100.${++networks}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    return server.request('POST', `${await orderPath()}/begin`, { headers, raw: `method=${card}&expected=10` });
  };
  expect((await payOrder()).status).toBe(200);
  expect((await payOrder()).status).toBe(429);
  const { begin, send, path } = await ready(email);
  expect((await begin({ method: card, expected: 20 })).status).toBe(429);
  const page = await send({ method: hosted, expected: 20 });
  expect(page.status).toBe(429);
  expect(page.body).toContain(`href="${path}"`);
  const other = await ready();
  expect((await other.begin({ method: card, expected: 20 })).status).toBe(200);
  clock.advance(3_600_000);
  expect((await begin({ method: card, expected: 20 })).status).toBe(200);
});

test('a link that has expired shows a payment that is waited for, but nothing to press', async () => {
  const { open, begin } = await ready();
  await begin({ method: card, expected: 20 });
  expect((await open()).body).toContain('<button');
  clock.advance(100 * 24 * 3_600_000);
  const page = await open();
  expect(page.body).toContain('Your payment is not complete yet.');
  expect(page.body).not.toContain('<button');
  expect(page.body).not.toContain('<form');
});
