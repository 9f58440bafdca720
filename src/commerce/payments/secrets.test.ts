import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportCompany } from '../../exports/export.ts';
import { testStore } from '../../store/testing-store.ts';
import { asking } from '../../testing/asking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** No card data is kept, whatever requests have, and no secret of payments is where it does not belong. */
const clock = createTestClock();
const [stripe, mollie] = await Promise.all([startStripeDouble({ clock }), startMollieDouble({ clock })]);
const config = { paymentUrls: { stripe: stripe.url, mollie: mollie.url }, logLevel: 'trace' as const };
const server = testServer({ clock, config });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const CARD_NUMBER = '4000056655665556';
const CARD = {
  card: { number: CARD_NUMBER, exp_month: 8, exp_year: 2040, cvc: '987' },
  card_number: CARD_NUMBER,
  'payment_method_data[card][number]': CARD_NUMBER,
};
const logged: string[] = [];

let shop: TestCompany;
let card: number;
let hosted: number;
let tea: number;
let webhook: string;

const { made } = asking(() => shop);
const worker = async (): Promise<void> => {
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  while ((await payments.runOnce()) > 0);
};

beforeAll(async () => {
  const { logTo } = server;
  const { write } = logTo;
  logTo.write = (line) => {
    logged.push(line);
    return write.call(logTo, line);
  };
  shop = await server.company();
  const cards = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const pages = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  webhook = new URL(cards.webhook_url).pathname;
  card = (await made('/payment-methods', { provider: 'stripe', kind: 'any', account_id: cards.id, name: 'Card' })).id;
  const atMollie = { provider: 'mollie', kind: 'any', account_id: pages.id };
  hosted = (await made('/payment-methods', { ...atMollie, name: 'iDEAL' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1_000 })).id;
});
afterAll(() => Promise.all([stripe.close(), mollie.close()]));

const newCart = (email: string) => made('/carts', { email, lines: [{ product_id: tea, qty: 1 }], ...ADDRESS });

/** Where in the database a text stands: tables. */
async function placesOf(text: string): Promise<string[]> {
  const tables = await server.rows<{ name: string }>(
    "select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const found = await server.rows(`select 1 from ${name} t where position($1 in t::text) > 0 limit 1`, [text]);
    if (found.length > 0) places.push(name);
  }
  return places;
}

async function exported(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-secrets-'));
  const { masterKey } = server.app;
  await exportCompany(server.connection, shop.company_id, { folder, masterKey, now: clock.now() });
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  rmSync(folder, { recursive: true });
  return text.join('');
}

test('card data that a page sends by mistake is kept nowhere', async () => {
  const store = await testStore(server, shop.company_id);
  const { token } = (await store.ask('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }], ...CARD })).body.data;
  await store.ask('PATCH', '/cart', { email: 'pan@example.com', ...ADDRESS, ...CARD }, token);
  const paid = await store.ask('POST', `/cart/pay?number=${CARD_NUMBER}`, { method_id: card, ...CARD }, token);
  expect([paid.status, JSON.stringify(paid.body).includes(CARD_NUMBER)]).toEqual([200, false]);
  expect(paid.headers.get('x-ignored-fields')).toContain('card');
  const headers = { 'x-store-key': store.key, 'x-cart-token': token, 'idempotency-key': 'card' };
  const broken = `{"method_id": ${card}, "card": "${CARD_NUMBER}" x`;
  expect((await server.request('POST', '/store/v1/cart/pay', { headers, raw: broken })).status).toBe(400);
  const wrong = { method_id: CARD_NUMBER };
  expect((await server.request('POST', '/store/v1/cart/pay', { headers, body: wrong })).status).toBe(422);
  const cart = await newCart('pan2@example.com');
  await made(`/carts/${cart.id}/pay`, { method_id: hosted, ...CARD });
  const { pathname } = new URL((await made(`/carts/${cart.id}/pay-link`)).url);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const fields = new URLSearchParams({ method: String(card), expected: '10', cardnumber: CARD_NUMBER, cvc: '987' });
  for (const path of [pathname, `${pathname}/begin`]) {
    const { body } = await server.request('POST', path, { headers: form, raw: fields.toString() });
    expect(JSON.stringify(body)).not.toContain(CARD_NUMBER);
  }
  await server.request('POST', `${webhook}?card=${CARD_NUMBER}`, { body: CARD });
  await worker();
  clock.advance(5_000);
  expect(await placesOf('pan@example.com')).toContain('carts');
  expect(await placesOf(CARD_NUMBER)).toEqual([]);
  expect(logged.join('')).not.toContain(CARD_NUMBER);
});

test('secrets of payments stand in no log, export, stored response or event, also when services fail', async () => {
  const [first, second] = [await newCart('one@example.com'), await newCart('two@example.com')];
  const byCard = await shop.commerce('POST', `/carts/${first.id}/pay`, { method_id: card }, { 'idempotency-key': 'a' });
  const byPage = await shop.commerce(
    'POST',
    `/carts/${second.id}/pay`,
    { method_id: hosted },
    { 'idempotency-key': 'b' },
  );
  const { client_secret } = byCard.body.data.payment;
  const { redirect_url } = byPage.body.data.payment;
  const link = new URL((await made(`/carts/${first.id}/pay-link`)).url).pathname;
  await server.request('GET', `${link}?payment_intent_client_secret=${client_secret}`);
  for (const service of [stripe, mollie]) {
    for (const fault of ['time_out_before', 'error_500', 'rate_limit_429', 'cut_body'] as const) {
      service.failNext(fault, 1);
      for (const { id } of [first, second]) await shop.commerce('POST', `/carts/${id}/confirm`);
    }
  }
  const { secretKey, webhookSecrets } = stripe.account();
  stripe.revokeKey();
  await shop.commerce('POST', `/carts/${first.id}/confirm`);
  await shop.commerce('POST', `/carts/${first.id}/reopen`);
  await worker();
  const secrets = {
    secretKey,
    webhookSecret: webhookSecrets[0]!,
    mollieKey: mollie.account().secretKey,
    client_secret,
    redirect_url,
  };
  const [log, archive] = [logged.join(''), await exported()];
  expect(archive).toContain('one@example.com');
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, typeof secret, await placesOf(secret)]).toEqual([name, 'string', []]);
    expect([name, log.includes(secret), archive.includes(secret)]).toEqual([name, false, false]);
  }
  // Whoever has these can pay, or send webhooks.
  for (const path of [link, webhook]) {
    const token = path.slice(path.lastIndexOf('/') + 1);
    expect([path, log.includes(token), archive.includes(token)]).toEqual([path, false, false]);
  }
  expect(log).toContain('a payment service is unavailable');
});
