import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { newestMail } from '../../store/testing-store.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ described: true, config: { trustedProxies: ['127.0.0.1'] } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let transfer: number;
let cash: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const newProduct = async (fields: object = {}): Promise<number> =>
  (await made('/products', { name: 'Tea <green>', price: 10, stock_qty: 10, ...fields })).id;
/** A cart of 2 units that is ready to be paid. */
async function ready(fields: object = {}): Promise<{ id: number; product: number }> {
  const product = await newProduct();
  const lines = [{ product_id: product, qty: 2 }];
  return { id: (await made('/carts', { lines, email: 'buyer@example.com', ...ADDRESS, ...fields })).id, product };
}
const linkOf = (id: number, body?: object) => shop.commerce('POST', `/carts/${id}/pay-link`, body);
const pathOf = async (id: number): Promise<string> => new URL((await linkOf(id)).body.data.url).pathname;

let visitors = 0;
/** Requests of one buyer, from a network of their own. */
function buyer(language = 'en') {
  const headers = { 'x-forwarded-for': `198.51.100.${++visitors}`, 'accept-language': language };
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  return {
    open: (path: string) => server.request('GET', path, { headers }),
    send: (path: string, fields: Record<string, string>) =>
      server.request('POST', path, { headers: form, raw: new URLSearchParams(fields).toString() }),
  };
}

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill & Co' });
  const iban = { kind: 'bank_transfer', name: 'Transfer', instructions: 'IBAN 1' };
  transfer = (await made('/payment-methods', iban)).id;
  cash = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door', max_total: 500 })).id;
  await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true });
  await made('/payment-methods', { kind: 'other', name: 'Large sums', min_total: 100 });
  await made('/payment-methods', { kind: 'other', name: 'Not any more', active: false });
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

describe('a pay link', () => {
  test('leads for 30 days to a page of this server', async () => {
    const { id } = await ready();
    const { status, body } = await linkOf(id);
    expect(status).toBe(200);
    expect(body.data.url).toMatch(new RegExp(`^${server.origin}/pay/[\\w-]{55}$`));
    const days = (Date.parse(body.data.expires_at) - server.clock.now().getTime()) / 86_400_000;
    expect(days).toBeCloseTo(30, 4);
  });

  test('is made of no cart that cannot be paid', async () => {
    const { id } = await ready({ shipping_city: null });
    const lacking = await linkOf(id);
    expect([lacking.status, lacking.body.error.details]).toMatchObject([422, { missing: ['shipping_city'] }]);
    await shop.commerce('DELETE', `/carts/${id}`);
    expect((await linkOf(id)).body.error.details).toMatchObject({ reason: 'cart_not_open', status: 'cancelled' });
    expect((await linkOf(999_999_999)).status).toBe(404);
  });

  test('is refused where taxes go by states, until the address has one: the buyer cannot add it', async () => {
    const rule = await made('/tax-rules', { name: 'CA', country: 'US', state: 'CA', rate: 0.08 });
    const { id } = await ready({ shipping_country: 'US', shipping_zip: '97205' });
    const refused = await linkOf(id);
    const fields = [{ field: 'shipping_state', code: 'required', message: expect.any(String) }];
    expect([refused.status, refused.body.error?.details]).toMatchObject([422, { fields }]);
    await shop.commerce('PATCH', `/carts/${id}`, { shipping_state: 'OR' });
    expect((await linkOf(id)).status).toBe(200);
    await shop.commerce('DELETE', `/tax-rules/${rule.id}`);
  });

  test('is mailed to a guest, and to a customer in their language', async () => {
    const guest = (await ready({ email: 'guest@example.com' })).id;
    expect((await linkOf(guest, { send: true })).status).toBe(200);
    const mail = await newestMail(server, shop, 'guest@example.com');
    expect(mail).toMatchObject({ subject: 'Pay for your order at Fernhill & Co' });
    expect(mail!.text).toContain('$20.00');
    const path = /\/pay\/[\w-]{55}/.exec(mail!.text)![0];
    expect((await buyer().open(path)).body).toContain('$20.00');
    const stored = await server.rows('select to_jsonb(l) from ledger l where recipient = $1', ['guest@example.com']);
    expect(JSON.stringify(stored)).not.toContain(path.slice(5));

    const customer = (await made('/customers', { email: 'anna@example.com' })).id;
    await shop.marketing('POST', '/contacts', { email: 'anna@example.com', properties: { language: 'de' } });
    await linkOf((await ready({ customer_id: customer, email: null })).id, { send: true });
    const german = await newestMail(server, shop, 'anna@example.com');
    expect(german!.subject).toBe('Ihre Bestellung bei Fernhill & Co bezahlen');
    expect(german!.text).toContain('20,00\u00a0$');
  });
});

describe('its page', () => {
  test('shows what is paid and the methods for buyers, in their language, without scripts', async () => {
    await shop.marketing('PATCH', '/brand-kit', { logo_url: 'https://cdn.example.com/logo.png' });
    const path = await pathOf((await ready()).id);
    const { status, headers, body } = await buyer().open(path);
    expect(status).toBe(200);
    for (const text of ['Fernhill &#38; Co', 'Tea &#60;green&#62;', '$20.00', 'Transfer', 'At the door']) {
      expect(body).toContain(text);
    }
    for (const text of ['Till', 'Large sums', 'Not any more', '<script', 'buyer@example.com']) {
      expect(body).not.toContain(text);
    }
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('img-src https://cdn.example.com');
    expect([headers.get('cache-control'), headers.get('referrer-policy'), headers.get('set-cookie')]).toEqual([
      'no-store',
      'no-referrer',
      null,
    ]);
    const german = (await buyer('de').open(path)).body;
    expect(german).toContain('lang="de"');
    expect(german).toContain('Zahlungspflichtig bestellen');
    await shop.marketing('PATCH', '/brand-kit', { logo_url: null });
  });

  test('places the order, and tells its number from then on', async () => {
    const { id } = await ready();
    const [path, { open, send }] = [await pathOf(id), buyer()];
    const paid = await send(path, { method: String(cash), expected: '20' });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, path]);
    const { order_id } = (await shop.commerce('GET', `/carts/${id}`)).body.data;
    expect((await open(path)).body).toContain(`Your order number is ${order_id}.`);
    expect((await send(path, { method: String(transfer), expected: '20' })).status).toBe(303);
    server.clock.advance(31 * 86_400_000);
    expect((await open(path)).body).toContain(`Your order number is ${order_id}.`);
    expect((await linkOf(id)).body.error.details).toMatchObject({ reason: 'cart_not_open', status: 'placed' });
  });

  test('no longer says how to pay once the money is there, or the order is cancelled', async () => {
    const [one, other] = [(await ready()).id, (await ready()).id];
    const [path, cancelled, { open, send }] = [await pathOf(one), await pathOf(other), buyer()];
    await send(path, { method: String(transfer), expected: '20' });
    const { payment } = (await shop.commerce('GET', `/carts/${one}`)).body.data;
    const payments = [{ method_id: transfer, amount: 15 }];
    const { id } = (await shop.commerce('POST', `/carts/${one}/place`, { payments })).body.data;
    expect((await open(path)).body).toContain('Amount: $5.00');
    await shop.commerce('POST', `/orders/${id}/payments`, { method_id: transfer, amount: 5 });
    const paid = (await open(path)).body;
    expect(paid).toContain('Your order number');
    for (const text of ['IBAN 1', payment.reference, 'Please pay']) expect(paid).not.toContain(text);

    await send(cancelled, { method: String(cash), expected: '20' });
    const { order_id } = (await shop.commerce('GET', `/carts/${other}`)).body.data;
    expect((await open(cancelled)).body).toContain('At the door');
    await shop.commerce('PATCH', `/orders/${order_id}/status`, { status: 'cancelled' });
    const closed = await open(cancelled);
    expect([closed.status, closed.body.includes('can no longer be paid')]).toEqual([410, true]);
  });

  test('says how to transfer the money, and lets the buyer choose another method until it has arrived', async () => {
    const { id } = await ready();
    const [path, { open, send }] = [await pathOf(id), buyer()];
    await send(path, { method: String(transfer), expected: '20' });
    const { payment } = (await shop.commerce('GET', `/carts/${id}`)).body.data;
    const { body } = await open(path);
    for (const text of ['IBAN 1', payment.reference, '$20.00']) expect(body).toContain(text);
    expect(await pathOf(id)).toMatch(/^\/pay\//);
    const other = await send(path, { method: String(cash), expected: '20' });
    expect([other.status, other.body.includes('IBAN 1')]).toEqual([422, true]);
    await send(path, { do: 'reopen' });
    expect((await open(path)).body).toContain('At the door');
    expect((await shop.commerce('GET', `/carts/${id}`)).body.data.status).toBe('open');
  });

  test('asks again when the total has changed', async () => {
    const { id, product } = await ready();
    const [path, { send }] = [await pathOf(id), buyer()];
    await shop.commerce('PATCH', `/products/${product}`, { price: 12 });
    const refused = await send(path, { method: String(cash), expected: '20' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('The total has changed to $24.00.');
    expect((await send(path, { method: String(cash), expected: '24' })).status).toBe(303);
  });

  test('names what cannot be delivered any more, and takes no payment', async () => {
    const { id, product } = await ready();
    const [path, { open, send }] = [await pathOf(id), buyer()];
    await shop.commerce('PATCH', `/products/${product}`, { stock_qty: 1 });
    const refused = await send(path, { method: String(cash), expected: '20' });
    expect([refused.status, refused.body.includes('Not available in this quantity')]).toEqual([422, true]);
    const { body } = await open(path);
    expect(body).toContain('Some products are no longer available in this quantity.');
    expect(body).not.toContain('<form');
  });

  test('refuses methods that are not offered, and what is no form of it', async () => {
    const [path, { send }] = [await pathOf((await ready()).id), buyer()];
    for (const method of ['', '0', 'x', '999999999']) {
      const refused = await send(path, { method, expected: '20' });
      expect([method, refused.status]).toEqual([method, 422]);
      expect(refused.body).toContain('This payment method is not available.');
    }
    expect((await send(path, { method: String(cash), expected: 'x' })).status).toBe(400);
  });

  test('needs no method where nothing is to be paid', async () => {
    await made('/promo-codes', { code: 'FREE', type: 'percent', value: 100, scope: 'order' });
    const [path, { open, send }] = [await pathOf((await ready({ promo_code: 'FREE' })).id), buyer()];
    expect((await open(path)).body).toContain('There is nothing to pay.');
    expect((await send(path, { expected: '0' })).status).toBe(303);
    expect((await open(path)).body).toContain('Your order number');
  });

  test('tells plainly that the link has expired, or the cart is cancelled', async () => {
    const { id } = await ready();
    const [path, { open, send }] = [await pathOf(id), buyer()];
    server.clock.advance(30 * 86_400_000 + 1_000);
    const [read, sent] = [await open(path), await send(path, { method: String(cash), expected: '20' })];
    for (const { status, body } of [read, sent]) {
      expect([status, body.includes('This link has expired.')]).toEqual([410, true]);
    }
    const fresh = await pathOf(id);
    await shop.commerce('DELETE', `/carts/${id}`);
    const closed = await open(fresh);
    expect([closed.status, closed.body.includes('can no longer be paid')]).toEqual([410, true]);
  });

  test('is found by a token of this server alone', async () => {
    const path = await pathOf((await ready()).id);
    for (const wrong of [`${path.slice(0, -1)}x`, '/pay/x', path.replace('/pay/', '/u/')]) {
      expect((await buyer().open(wrong)).status).toBe(404);
    }
  });

  test('lets a network, and a cart, pay 10 times an hour', async () => {
    const path = await pathOf((await ready()).id);
    const wrong = { method: '999999999', expected: '20' };
    const one = buyer();
    for (let i = 0; i < 10; i++) expect((await one.send(path, wrong)).status).toBe(422);
    const refused = await one.send(path, wrong);
    expect([refused.status, refused.body.includes('Too many attempts')]).toEqual([429, true]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await buyer().send(path, wrong)).status).toBe(429);
    expect((await one.open(path)).status).toBe(200);
    const another = await pathOf((await ready()).id);
    expect((await one.send(another, wrong)).status).toBe(429);
    expect((await buyer().send(another, wrong)).status).toBe(422);
    server.clock.advance(3_600_000);
    expect((await one.send(path, wrong)).status).toBe(422);
  });
});
