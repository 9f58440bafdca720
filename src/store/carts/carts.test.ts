import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { mailedCode, signUp, type TestStore, testStore } from '../testing-store.ts';

const server = testServer({ described: true, config: { trustedProxies: ['127.0.0.1'] } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let store: TestStore;
let tea: number;
let transfer: number;
let cash: number;
let till: number;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const lines = (qty: number) => [{ product_id: tea, qty }];
/** A new cart that is ready to be paid; returns its token. */
async function ready(fields: object = {}): Promise<string> {
  const { status, body } = await store.ask('POST', '/cart', {
    lines: lines(2),
    email: 'guest@example.com',
    ...ADDRESS,
    ...fields,
  });
  expect(status).toBe(201);
  return body.data.token;
}

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id);
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1000 })).id;
  transfer = (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id;
  cash = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'Cash' })).id;
  till = (await made('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true })).id;
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

test('a guest fills a cart, pays at the door and reads the order', async () => {
  const begun = await store.ask('POST', '/cart');
  const { token, ...empty } = begun.body.data;
  expect([begun.status, token]).toEqual([201, expect.stringMatching(/^tl_cart_[\w-]{43}$/)]);
  expect(empty).toMatchObject({ status: 'open', lines: [], total: 0 });
  for (const hidden of ['customer_id', 'metadata', 'location_id', 'origin']) expect(empty).not.toHaveProperty(hidden);
  const ask = (method: string, path: string, body?: object) => store.ask(method, path, body, token);
  const added = (await ask('POST', '/cart/lines', { lines: lines(2) })).body.data;
  expect(added.lines).toMatchObject([{ product_id: tea, qty: 2, price: 10 }]);
  expect(added.lines[0]).not.toHaveProperty('override_reason');
  const line = added.lines[0].id;
  expect((await ask('PATCH', `/cart/lines/${line}`, { qty: 3 })).body.data.total).toBe(30);
  expect((await ask('PATCH', '/cart', { email: 'Guest@Example.com', ...ADDRESS })).body.data).toMatchObject({
    email: 'guest@example.com',
    estimated: false,
  });
  expect((await ask('GET', '/cart')).body.data.total).toBe(30);
  const paid = (await ask('POST', '/cart/pay', { method_id: cash, expected_total: 30 })).body.data;
  expect(paid).toMatchObject({ status: 'placed', order: { total: 30, guest: true }, payment: { label: 'Cash' } });
  expect(paid.order).not.toHaveProperty('customer_id');
  const [row] = await server.rows('select origin from orders where id = $1', [paid.order.id]);
  expect(row).toEqual({ origin: 'store' });
  const read = await store.get('/order', { 'x-order-token': paid.order_token });
  expect(read.body.data).toMatchObject({ id: paid.order.id, total: 30, payments: [{ label: 'Cash' }] });
  expect((await ask('GET', '/cart')).body.data).toMatchObject({ status: 'placed', order_id: paid.order.id });
});

test('a reserved cart shows its payment, and is open again after it was cancelled', async () => {
  const token = await ready();
  const paid = (await store.ask('POST', '/cart/pay', { method_id: transfer }, token)).body.data;
  expect(paid).toMatchObject({ status: 'action_required', order: null, payment: { reference: expect.any(String) } });
  expect((await store.ask('POST', '/cart/confirm', undefined, token)).body.data).toEqual(paid);
  expect((await store.ask('POST', '/cart/reopen', undefined, token)).body.data.status).toBe('open');
  const staff = await store.ask('POST', '/cart/pay', { method_id: till }, token);
  expect([staff.status, staff.body.error.details.reason]).toEqual([422, 'payment_method_unavailable']);
  expect((await store.ask('DELETE', '/cart/lines/1', undefined, token)).body.data.lines).toEqual([]);
});

test('a cart belongs to its token, in its shop', async () => {
  const token = await ready();
  const elsewhere = await testStore(server, (await server.company({ name: 'Another' })).company_id);
  for (const [from, sent] of [
    [store, undefined],
    [store, 'tl_cart_x'],
    [store, `tl_cart_${'A'.repeat(43)}`],
    [elsewhere, token],
  ] as const) {
    for (const [method, path] of [
      ['GET', '/cart'],
      ['PATCH', '/cart'],
      ['POST', '/cart/pay'],
    ] as const) {
      const { status } = await from.ask(method, path, method === 'GET' ? undefined : {}, sent);
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  }
  const { order_token } = (await store.ask('POST', '/cart/pay', { method_id: cash }, token)).body.data;
  for (const [from, sent] of [
    [store, ''],
    [store, order_token.replace(/.$/, 'x')],
    [elsewhere, order_token],
  ] as const) {
    expect((await from.get('/order', { 'x-order-token': sent })).status).toBe(404);
  }
  const [row] = await server.rows<{ n: string }>('select count(*) as n from carts where token_hash is null', []);
  expect(Number(row!.n)).toBe(0);
});

test('shoppers set neither prices nor buyers', async () => {
  const customer = (await made('/customers', { email: 'known@example.com' })).id;
  const given = { product_id: tea, qty: 1, price_override: 1, override_reason: 'Friends' };
  const fields = { customer_id: customer, location_id: 1, metadata: { a: 1 }, email: 'known@example.com' };
  const { headers, body } = await store.ask('POST', '/cart', { lines: [given], ...fields });
  expect(body.data.total).toBe(10);
  expect(headers.get('x-ignored-fields')).toContain('customer_id');
  const [row] = await server.rows('select customer_id, location_id, metadata from carts where id = $1', [body.data.id]);
  expect(row).toEqual({ customer_id: null, location_id: null, metadata: {} });
});

test('an Idempotency-Key is that of the token', async () => {
  const [one, two] = [await ready(), await ready()];
  const add = (token: string) =>
    server.request('POST', '/store/v1/cart/lines', {
      headers: { 'x-store-key': store.key, 'x-cart-token': token, 'idempotency-key': 'again' },
      body: { lines: lines(1) },
    });
  expect((await add(one)).body.data.total).toBe(30);
  const again = await add(one);
  expect([again.headers.get('idempotent-replayed'), again.body.data.total]).toEqual(['true', 30]);
  expect((await store.ask('GET', '/cart', undefined, one)).body.data.total).toBe(30);
  expect((await add(two)).headers.get('idempotent-replayed')).toBeNull();
});

test('a lack of stock tells no more than the shop shows', async () => {
  const few = (await made('/products', { name: 'Few', price: 10, stock_qty: 4 })).id;
  const many = (await made('/products', { name: 'Many', price: 10, stock_qty: 40 })).id;
  const available = async () => {
    const wanted = [few, many].map((product_id) => ({ product_id, qty: 50 }));
    const { status, body } = await store.ask('POST', '/cart', { lines: wanted });
    expect(status).toBe(422);
    return body.error.details.items.map((item: { available: number }) => item.available);
  };
  expect(await available()).toEqual([4, null]);
  await shop.commerce('PATCH', '/checkout-settings', { show_stock: 'exact' });
  expect(await available()).toEqual([4, 40]);
  await shop.commerce('PATCH', '/checkout-settings', { show_stock: 'none' });
  expect(await available()).toEqual([null, null]);
});

test('a network, and a cart, pay 10 times an hour', async () => {
  const [one, two] = [await ready(), await ready()];
  let visitors = 0;
  const pay = (token: string, address = `198.51.100.${++visitors}`) => {
    const headers = { 'x-store-key': store.key, 'x-cart-token': token, 'x-forwarded-for': address };
    return server.request('POST', '/store/v1/cart/pay', { headers, body: { method_id: till } });
  };
  for (let i = 0; i < 10; i++) expect((await pay(one)).status).toBe(422);
  const refused = await pay(one);
  expect([refused.status, refused.body.error.details.reason]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await store.get('/cart', { 'x-cart-token': one })).status).toBe(200);
  for (let i = 0; i < 9; i++) expect((await pay(two, '198.51.100.1')).status).toBe(422);
  expect((await pay(await ready(), '198.51.100.1')).status).toBe(429);
  server.clock.advance(3_600_000);
  expect((await pay(one)).status).toBe(422);
});

test('a guest who signs in keeps the cart, and one who has a cart has both in one', async () => {
  const mug = (await made('/products', { name: 'Mug', price: 5, stock_qty: 100 })).id;
  const email = 'member@example.com';
  const { headers, id } = await signUp(server, shop, store, email);
  const login = async (cart: string) => {
    server.clock.advance(61_000);
    await store.send('POST', '/customers/code', { email });
    const code = await mailedCode(server, shop, email);
    return store.send('POST', '/customers/login', { email, code }, { 'x-cart-token': cart });
  };
  const own = async () => (await store.get('/cart', headers)).body.data;
  expect((await store.get('/cart', headers)).status).toBe(404);

  const first = await ready({ lines: lines(2), email: null });
  expect((await login(first)).status).toBe(200);
  expect(await own()).toMatchObject({ lines: [{ product_id: tea, qty: 2 }] });
  const [row] = await server.rows<{ id: number }>('select id::int from carts where customer_id = $1', [id]);
  expect((await store.ask('GET', '/cart', undefined, first)).body.data.id).toBe(row!.id);

  const second = await ready({ lines: [...lines(5), { product_id: mug, qty: 1 }], email: null });
  expect((await login(second)).status).toBe(200);
  const merged = await own();
  expect(merged.id).toBe(row!.id);
  expect(merged.lines).toMatchObject([
    { product_id: tea, qty: 5 },
    { product_id: mug, qty: 1 },
  ]);
  const guest = await store.get('/cart', { 'x-cart-token': second, ...headers });
  expect(guest.body.data.id).toBe(row!.id);
  expect((await store.ask('GET', '/cart', undefined, second)).status).toBe(404);

  await shop.commerce('PATCH', '/checkout-settings', { cart_merge: 'add' });
  const third = await ready({ lines: lines(3), email: null });
  await login(third);
  expect((await own()).lines[0]).toMatchObject({ product_id: tea, qty: 8 });

  // A cart that is being paid, and one of somebody else, stay as they are.
  const paying = await ready({ email: 'other@example.com' });
  await store.ask('POST', '/cart/pay', { method_id: transfer }, paying);
  await login(paying);
  expect((await own()).lines[0]).toMatchObject({ qty: 8 });
  await store.ask('POST', '/cart/reopen', undefined, paying);
  const started = await server.rows(
    "select 1 from outbox where topic = 'checkout_started' and payload ->> 'cart_id' = $1",
    [String(row!.id)],
  );
  expect(started).toHaveLength(1);
});

test('a customer who is signed in begins a cart of their own, and no other token opens it', async () => {
  const { headers, id } = await signUp(server, shop, store, 'own@example.com');
  const once = { ...headers, 'idempotency-key': 'begin' };
  const begun = await store.send('POST', '/cart', { lines: lines(1), ...ADDRESS }, once);
  expect(begun.status).toBe(201);
  expect((await store.send('POST', '/cart', { lines: lines(1), ...ADDRESS }, once)).body).toEqual(begun.body);
  const [stored] = await server.rows<{ body: string }>("select body from idempotency_keys where key = 'begin'");
  expect(stored!.body).toMatch(/^sealed:/);
  const paid = await store.send('POST', '/cart/pay', { method_id: cash }, headers);
  const [row] = await server.rows('select customer_id::int, guest from orders where id = $1', [
    paid.body.data.order.id,
  ]);
  expect(row).toEqual({ customer_id: id, guest: false });
  const wrong = await store.get('/cart', { authorization: `Bearer tl_cust_${'A'.repeat(43)}` });
  expect([wrong.status, wrong.body.error.details.reason]).toEqual([401, 'missing_session']);
});

test('the link of an abandoned cart fills a new one, without the person', async () => {
  const gone = (await made('/products', { name: 'Gone', price: 5, stock_qty: 100 })).id;
  await made('/promo-codes', { code: 'LINK', type: 'percent', value: 10, scope: 'order' });
  const token = await ready({ lines: [...lines(4), { product_id: gone, qty: 1 }], promo_code: 'LINK' });
  const { id } = (await store.ask('GET', '/cart', undefined, token)).body.data;
  await shop.commerce('PATCH', `/products/${gone}`, { archived: true });
  await shop.commerce('PATCH', '/checkout-settings', { store_url: 'https://shop.example.com' });
  const { recover_url: url } = (await shop.commerce('GET', `/carts/${id}`)).body.data;
  const link = new URL(url).searchParams.get('recover');
  const recovered = await store.ask('POST', '/cart/recover', { token: link });
  expect(recovered.status).toBe(201);
  expect(recovered.body.data).toMatchObject({ promo_code: 'LINK', email: null, shipping_address: '' });
  expect(recovered.body.data.lines).toMatchObject([{ product_id: tea, qty: 4 }]);
  expect((await store.ask('GET', '/cart', undefined, recovered.body.data.token)).body.data.total).toBe(36);
  for (const wrong of ['x', `${link!.slice(0, -1)}x`]) {
    expect((await store.ask('POST', '/cart/recover', { token: wrong })).status).toBe(404);
  }
});

test('shoppers see and set custom fields that the store shows', async () => {
  await made('/custom-fields', { on: 'order', key: 'gift', name: 'Gift', type: 'text', visible: 'store' });
  await made('/custom-fields', { on: 'order', key: 'margin', name: 'Margin', type: 'text', visible: 'staff' });
  const token = await ready({ custom: { gift: 'yes' } });
  const { id, custom } = (await store.ask('GET', '/cart', undefined, token)).body.data;
  expect(custom).toEqual({ gift: 'yes' });
  await shop.commerce('PATCH', `/carts/${id}`, { custom: { margin: 'low' } });
  expect((await store.ask('GET', '/cart', undefined, token)).body.data.custom).toEqual({ gift: 'yes' });
  const refused = await store.ask('PATCH', '/cart', { custom: { margin: 'high' } }, token);
  expect(refused.body.error.details.fields).toMatchObject([{ field: 'custom.margin', code: 'unknown' }]);
});
