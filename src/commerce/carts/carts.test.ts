import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let tea: number;
let mug: number;
let shirt: { id: number; variants: { id: number }[] };
let ada: number;
let post: number;

const made = async (path: string, body: object) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const stockOf = async (id: number) => (await shop.commerce('GET', `/products/${id}`)).body.data.stock_qty;
const cartOf = (body: object = {}) => made('/carts', body);
const place = (id: number) => shop.commerce('POST', `/carts/${id}/place`);

beforeAll(async () => {
  shop = await server.company();
  await shop.commerce('PATCH', '/settings/loyalty', { enabled: true, points_per_dollar: 1, min_redeem_points: 1 });
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 1000, sku: 'TEA' })).id;
  mug = (await made('/products', { name: 'Mug', price: 7.5, stock_qty: 1000 })).id;
  shirt = await made('/products', {
    name: 'Shirt',
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: ['S', 'M'].map((size) => ({ options: [{ name: 'Size', value: size }], price: 20, stock_qty: 5 })),
  });
  ada = (await made('/customers', { email: 'ada@example.com', first_name: 'Ada' })).id;
  await made(`/customers/${ada}/loyalty/adjust`, { points: 500 });
  await made('/tax-rules', { name: 'MVA', country: 'NO', rate: 0.25 });
  const zone = (await made('/shipping-zones', { name: 'Nordics', countries: ['NO'] })).id;
  post = (await made('/shipping-methods', { zone_id: zone, name: 'Post', type: 'flat', cost: 9 })).id;
  await made('/promo-codes', { code: 'TEN', type: 'percent', value: 10, scope: 'order' });
});

/** After every test, all invariants hold. */
afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

describe('a cart', () => {
  test('begins empty, and is filled and changed while it is open', async () => {
    const empty = await cartOf();
    expect(empty).toMatchObject({ status: 'open', origin: 'api', customer_id: null, lines: [], total: 0, revision: 1 });
    expect(empty).toMatchObject({ estimated: true, problems: [], order_id: null, currency: 'USD' });
    const lines = [
      { product_id: tea, qty: 2 },
      { product_id: mug, qty: 1 },
      { product_id: tea, qty: 1 },
    ];
    const filled = await shop.commerce('POST', `/carts/${empty.id}/lines`, { lines });
    expect(filled.status).toBe(200);
    expect(filled.body.data).toMatchObject({ subtotal: 37.5, revision: 2 });
    expect(filled.body.data.lines).toMatchObject([
      { id: 1, product_id: tea, name: 'Tea', sku: 'TEA', qty: 3, price: 10, added_price: 10, subtotal: 30 },
      { id: 2, product_id: mug, qty: 1, subtotal: 7.5 },
    ]);
    const fewer = await shop.commerce('PATCH', `/carts/${empty.id}/lines/1`, { qty: 1 });
    expect(fewer.body.data).toMatchObject({ subtotal: 17.5 });
    const less = await shop.commerce('DELETE', `/carts/${empty.id}/lines/2`);
    expect(less.body.data.lines).toMatchObject([{ id: 1, qty: 1 }]);
    const again = await shop.commerce('POST', `/carts/${empty.id}/lines`, { lines: [{ product_id: mug, qty: 1 }] });
    expect(again.body.data.lines.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    const path = `/carts/${empty.id}`;
    const set = await shop.commerce('PATCH', path, { email: ' Bob@Example.com ', ...ADDRESS, promo_code: 'ten' });
    expect(set.body.data).toMatchObject({
      email: 'bob@example.com',
      estimated: false,
      shipping_method: { name: 'Post' },
    });
    expect(set.body.data).toMatchObject({ subtotal: 17.5, discount: 1.75, shipping: 9, tax: 3.94, total: 28.69 });
    expect(set.body.data.shipping_methods).toMatchObject([{ name: 'Post', cost: 9 }]);
    const cleared = await shop.commerce('PATCH', path, { email: null, promo_code: null, shipping_zip: null });
    expect(cleared.body.data).toMatchObject({ email: null, promo_code: null, discount: 0, estimated: true });
    expect((await shop.commerce('GET', path)).body.data).toEqual(cleared.body.data);
    expect((await shop.commerce('GET', '/carts')).body.data[0]).toEqual(cleared.body.data);
  });

  test('shows variants and their pictures, and refuses a parent with its variants', async () => {
    const images = [{ url: 'https://img.example/shirt.png' }];
    await shop.commerce('PATCH', `/products/${shirt.id}`, { images });
    const cart = await cartOf({ lines: [{ product_id: shirt.variants[1]!.id, qty: 1 }] });
    expect(cart.lines).toMatchObject([
      {
        name: 'Shirt – M',
        title: 'M',
        parent_id: shirt.id,
        options: [{ name: 'Size', value: 'M' }],
        image: images[0]!.url,
      },
    ]);
    const lines = [
      { product_id: tea, qty: 1 },
      { product_id: shirt.id, qty: 1 },
    ];
    const refused = await shop.commerce('POST', '/carts', { lines });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject({ reason: 'variant_required', index: 1, product_id: shirt.id });
  });

  test('refuses unknown and archived products, more than can be sold, and wrong fields', async () => {
    const gone = (await made('/products', { name: 'Gone', price: 1, stock_qty: 3 })).id;
    await shop.commerce('PATCH', `/products/${gone}`, { archived: true });
    const wrong = await shop.commerce('POST', '/carts', {
      customer_id: 999_999,
      email: 'nobody',
      shipping_country: 'Atlantis',
      shipping_method_id: 999_999,
      location_id: 999_999,
      custom: { unknown: 1 },
      lines: [
        { product_id: 999_999, qty: 1 },
        { product_id: gone, qty: 1 },
        { product_id: tea, qty: 9_999, price_override: 1.234 },
        { product_id: tea, qty: 1 },
      ],
    });
    expect(wrong.status).toBe(422);
    const fields = wrong.body.error.details.fields.map(({ field, code }: Record<string, string>) => `${field} ${code}`);
    expect(fields.toSorted()).toEqual([
      'custom.unknown unknown',
      'customer_id unknown',
      'email wrong_format',
      'lines.0.product_id unknown',
      'lines.1.product_id archived',
      'lines.2.price_override too_many_decimals',
      'lines.3.qty out_of_range',
      'location_id unknown',
      'shipping_country unknown',
      'shipping_method_id unknown',
    ]);
    const cart = await cartOf({ lines: [{ product_id: tea, qty: 600 }] });
    const short = await shop.commerce('POST', `/carts/${cart.id}/lines`, { lines: [{ product_id: tea, qty: 600 }] });
    expect(short.body.error.details).toMatchObject({
      reason: 'insufficient_stock',
      items: [{ index: 0, product_id: tea, requested: 1200, available: 1000 }],
    });
    const more = await shop.commerce('PATCH', `/carts/${cart.id}/lines/1`, { qty: 1001 });
    expect(more.body.error.details).toMatchObject({ reason: 'insufficient_stock', items: [{ requested: 1001 }] });
    expect((await shop.commerce('PATCH', `/carts/${cart.id}/lines/7`, { qty: 1 })).status).toBe(404);
    expect((await shop.commerce('PATCH', '/carts/999999', {})).status).toBe(404);
    const many = Array.from({ length: 201 }, () => ({ product_id: tea, qty: 1 }));
    expect((await shop.commerce('POST', '/carts', { lines: many })).status).toBe(422);
  });

  test('that no longer fits says why, and can still be read and changed', async () => {
    const rare = (await made('/products', { name: 'Rare', price: 5, stock_qty: 2 })).id;
    const old = (await made('/products', { name: 'Old', price: 5, stock_qty: 2 })).id;
    const lines = [
      { product_id: rare, qty: 2 },
      { product_id: old, qty: 1 },
      { product_id: tea, qty: 1 },
    ];
    const abroad = { ...ADDRESS, shipping_country: 'FR', shipping_method_id: post };
    const cart = await cartOf({ lines, promo_code: 'NONE', redeem_points: 500, ...abroad });
    await shop.commerce('PATCH', `/products/${rare}`, { stock_qty: 1, price: 6 });
    await shop.commerce('PATCH', `/products/${old}`, { archived: true });
    const read = (await shop.commerce('GET', `/carts/${cart.id}`)).body.data;
    expect(read.problems).toEqual([
      { code: 'out_of_stock', line_id: 1 },
      { code: 'price_changed', line_id: 1 },
      { code: 'not_sold', line_id: 2 },
      { code: 'promo_not_found', line_id: null },
      { code: 'insufficient_points', line_id: null },
      { code: 'shipping_unavailable', line_id: null },
    ]);
    expect(read).toMatchObject({ subtotal: 22, discount: 0, shipping: 0, total: 22 });
    expect(read.lines[1]).toMatchObject({ name: 'Old', subtotal: 0 });
    const changed = await shop.commerce('PATCH', `/carts/${cart.id}`, {
      promo_code: null,
      redeem_points: 0,
      ...ADDRESS,
    });
    expect(changed.body.data.problems.map(({ code }: { code: string }) => code)).toEqual([
      'out_of_stock',
      'price_changed',
      'not_sold',
    ]);
  });

  test('whose sum is too large can be read, listed and cancelled', async () => {
    const lines = [{ product_id: tea, qty: 900, price_override: 1_000_000_000_000 }];
    const cart = await cartOf({ lines });
    expect(cart.problems).toContainEqual({ code: 'too_large', line_id: null });
    expect(cart).toMatchObject({ total: 0, lines: [{ subtotal: 0 }] });
    expect((await shop.commerce('GET', '/carts')).status).toBe(200);
    expect((await shop.commerce('DELETE', `/carts/${cart.id}`)).body.data.status).toBe('cancelled');
  });

  test('is changed only at the revision of If-Match', async () => {
    const cart = await cartOf();
    const change = (revision: number) =>
      shop.commerce('PATCH', `/carts/${cart.id}`, { note: 'Gift' }, { 'If-Match': `"${revision}"` });
    expect((await change(7)).status).toBe(422);
    expect((await change(1)).body.data).toMatchObject({ revision: 2, note: 'Gift' });
  });

  test('is listed by status, origin, customer and e-mail address', async () => {
    const own = await cartOf({ customer_id: ada });
    const guests = await cartOf({ email: 'listed@example.com' });
    await shop.commerce('DELETE', `/carts/${guests.id}`);
    const ids = async (query: string) =>
      (await shop.commerce('GET', `/carts?${query}`)).body.data.map(({ id }: { id: number }) => id);
    expect(await ids(`customer_id=${ada}&status=open`)).toEqual([own.id]);
    expect(await ids('email=LISTED@example.com')).toEqual([guests.id]);
    expect(await ids('status=cancelled&origin=api&email=listed@example.com')).toEqual([guests.id]);
    expect(await ids('origin=staff')).toEqual([]);
  });

  test('is abandoned when it is open with lines and an address, and was not changed for the time of the settings', async () => {
    const fresh = await server.company();
    const make = async (body: object): Promise<number> => (await fresh.commerce('POST', '/carts', body)).body.data.id;
    const product_id = (await fresh.commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 9 })).body.data
      .id;
    const customer = { email: 'ada@example.com', first_name: 'Ada' };
    const customer_id = (await fresh.commerce('POST', '/customers', customer)).body.data.id;
    const lines = [{ product_id, qty: 1 }];
    const guests = await make({ lines, email: 'bob@example.com' });
    const theirs = await make({ lines, customer_id });
    const changed = await make({ lines, email: 'cy@example.com' });
    const cancelled = await make({ lines, email: 'dee@example.com' });
    const others = [await make({ lines }), await make({ email: 'eve@example.com' }), changed, cancelled];
    await fresh.commerce('DELETE', `/carts/${cancelled}`);
    const list = async (query: string) => {
      const { data, meta } = (await fresh.commerce('GET', `/carts?${query}`)).body;
      expect(meta.pagination.total).toBe(data.length);
      return data.map(({ id }: { id: number }) => id);
    };
    server.clock.advance(59 * 60_000);
    expect(await list('abandoned=true')).toEqual([]);
    await fresh.commerce('PATCH', `/carts/${changed}`, { note: 'Gift' });
    server.clock.advance(60_000);
    expect(await list('abandoned=true')).toEqual([theirs, guests]);
    expect(await list('abandoned=true&email=bob@example.com')).toEqual([guests]);
    expect(await list('abandoned=false')).toEqual(others.toReversed().sort((a, b) => b - a));
    await fresh.commerce('PATCH', '/checkout-settings', { abandoned_after_minutes: 61 });
    expect(await list('abandoned=true')).toEqual([]);
  });

  test('changes of its lines honour If-Match with its revision', async () => {
    const cart = await cartOf({ lines: [{ product_id: tea, qty: 1 }] });
    const change = (revision: number) =>
      shop.commerce('PATCH', `/carts/${cart.id}/lines/1`, { qty: 2 }, { 'If-Match': `"${revision}"` });
    expect((await change(7)).status).toBe(422);
    expect((await change(1)).body.data).toMatchObject({ revision: 2, lines: [{ qty: 2 }] });
  });
});

describe('an order from a cart', () => {
  test('has its lines, price, custom text and note, and is placed once', async () => {
    const before = await stockOf(tea);
    const cart = await cartOf({
      customer_id: ada,
      lines: [{ product_id: tea, qty: 3 }],
      promo_code: 'TEN',
      redeem_points: 100,
      metadata: { table: 4 },
      note: 'Ring twice',
      billing: { address: '2 Side St', city: 'Oslo', zip: '0151', company: 'Ada & Co' },
      ...ADDRESS,
    });
    const placed = await place(cart.id);
    expect(placed.status).toBe(200);
    const order = placed.body.data;
    expect(order).toMatchObject({ customer_id: ada, cart_id: cart.id, origin: 'api', guest: false, status: 'pending' });
    expect(order).toMatchObject({ metadata: { table: 4 }, promo_code: 'TEN', points_redeemed: 100 });
    expect(order.billing).toEqual({
      first_name: '',
      last_name: '',
      company: 'Ada & Co',
      address: '2 Side St',
      city: 'Oslo',
      state: '',
      zip: '0151',
      country: 'US',
    });
    for (const field of ['subtotal', 'discount', 'shipping', 'tax', 'total', 'tax_lines']) {
      expect(order[field]).toEqual(cart[field]);
    }
    expect(await stockOf(tea)).toBe(before - 3);
    expect((await place(cart.id)).body.data).toEqual(order);
    expect(await stockOf(tea)).toBe(before - 3);
    const notes = (await shop.commerce('GET', `/orders/${order.id}/notes`)).body.data;
    expect(notes).toMatchObject([{ text: 'Ring twice' }]);
    await shop.commerce('PATCH', `/products/${tea}`, { price: 99 });
    const kept = (await shop.commerce('GET', `/carts/${cart.id}`)).body.data;
    await shop.commerce('PATCH', `/products/${tea}`, { price: 10 });
    expect(kept).toMatchObject({ status: 'placed', order_id: order.id, total: cart.total, problems: [] });
    expect(kept.lines).toMatchObject([{ name: 'Tea', price: 10, subtotal: 30, discount: cart.lines[0].discount }]);
    for (const [method, path] of [
      ['PATCH', `/carts/${cart.id}`],
      ['DELETE', `/carts/${cart.id}`],
      ['DELETE', `/carts/${cart.id}/lines/1`],
    ] as const) {
      const refused = await shop.commerce(method, path, method === 'PATCH' ? {} : undefined);
      expect([refused.status, refused.body.error.details]).toMatchObject([
        422,
        { reason: 'cart_not_open', status: 'placed' },
      ]);
    }
  });

  test('needs lines, a buyer and an address', async () => {
    const refused = await place((await cartOf()).id);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject({
      reason: 'cart_not_ready',
      missing: ['lines', 'email', 'shipping_address', 'shipping_city', 'shipping_zip'],
    });
    const cancelled = await cartOf();
    await shop.commerce('DELETE', `/carts/${cancelled.id}`);
    expect((await place(cancelled.id)).body.error.details).toMatchObject({
      reason: 'cart_not_open',
      status: 'cancelled',
    });
    expect((await place(999_999)).status).toBe(404);
  });

  test('by a guest goes to the customer with the e-mail address, who is created without an event', async () => {
    const lines = [{ product_id: mug, qty: 1 }];
    const buyer = { email: 'new.guest@example.com', first_name: 'New', last_name: 'Guest', phone: '+4722225555' };
    const order = (await place((await cartOf({ ...buyer, lines, ...ADDRESS })).id)).body.data;
    expect(order.guest).toBe(true);
    const customer = (await shop.commerce('GET', `/customers/${order.customer_id}`)).body.data;
    expect(customer).toMatchObject({ ...buyer, shipping_city: 'Oslo', accepts_marketing: false });
    const again = (await place((await cartOf({ email: 'NEW.guest@example.com', lines, ...ADDRESS })).id)).body.data;
    expect(again).toMatchObject({ customer_id: order.customer_id, guest: true });
    const known = (await place((await cartOf({ email: 'ada@example.com', first_name: 'X', lines, ...ADDRESS })).id))
      .body;
    expect(known.data).toMatchObject({ customer_id: ada, guest: true });
    expect((await shop.commerce('GET', `/customers/${ada}`)).body.data.first_name).toBe('Ada');
    const topics = await server.rows<{ topic: string; payload: object }>(
      "select topic, payload from outbox where company_id = $1 and payload ->> 'customer_id' = $2 order by id",
      [shop.company_id, String(order.customer_id)],
    );
    expect(topics.map(({ topic }) => topic)).toEqual(['order_placed', 'order_placed']);
    expect(topics[0]!.payload).toMatchObject({ cart_id: String(order.cart_id) });
  });

  test('that fails leaves no customer of its guest, and the cart open', async () => {
    const scarce = (await made('/products', { name: 'Scarce', price: 5, stock_qty: 1 })).id;
    const cart = await cartOf({ email: 'unlucky@example.com', lines: [{ product_id: scarce, qty: 1 }], ...ADDRESS });
    await shop.commerce('PATCH', `/products/${scarce}`, { stock_qty: 0 });
    expect((await place(cart.id)).body.error.details.reason).toBe('insufficient_stock');
    expect((await shop.commerce('GET', '/customers?email=unlucky@example.com')).body.data).toEqual([]);
    expect((await shop.commerce('GET', `/carts/${cart.id}`)).body.data.status).toBe('open');
  });

  test('spends no points of the customer whose e-mail address a guest gives', async () => {
    const lines = [{ product_id: tea, qty: 1 }];
    const cart = await cartOf({ email: 'ada@example.com', redeem_points: 100, lines, ...ADDRESS });
    expect(cart.problems).toEqual([{ code: 'insufficient_points', line_id: null }]);
    expect((await place(cart.id)).body.error.details).toMatchObject({ reason: 'insufficient_points', available: 0 });
  });

  test('leaves out custom fields that were deleted since', async () => {
    const gift = await made('/custom-fields', { on: 'order', key: 'gift', name: 'Gift', type: 'text' });
    await made('/custom-fields', { on: 'order', key: 'table', name: 'Table', type: 'integer' });
    const custom = { gift: 'Roses', table: 4 };
    const lines = [{ product_id: tea, qty: 1 }];
    const cart = await cartOf({ customer_id: ada, lines, custom, ...ADDRESS });
    expect(cart.custom).toEqual(custom);
    await shop.commerce('DELETE', `/custom-fields/${gift.id}?force=true`);
    expect((await shop.commerce('GET', `/carts/${cart.id}`)).body.data.custom).toEqual({ table: 4 });
    const changed = await shop.commerce('PATCH', `/carts/${cart.id}`, { custom: { table: 5 } });
    expect(changed.body.data.custom).toEqual({ table: 5 });
    expect((await place(cart.id)).body.data.custom).toEqual({ table: 5 });
  });

  test('stores no response for an Idempotency-Key: the state of the cart decides', async () => {
    const few = (await made('/products', { name: 'Few', price: 5, stock_qty: 1 })).id;
    const cart = await cartOf({ customer_id: ada, lines: [{ product_id: few, qty: 1 }], ...ADDRESS });
    const withKey = () => shop.commerce('POST', `/carts/${cart.id}/place`, undefined, { 'Idempotency-Key': 'place 1' });
    await shop.commerce('PATCH', `/products/${few}`, { stock_qty: 0 });
    expect((await withKey()).status).toBe(422);
    await shop.commerce('PATCH', `/products/${few}`, { stock_qty: 1 });
    expect((await withKey()).status).toBe(200);
    expect((await withKey()).body.data.cart_id).toBe(cart.id);
  });

  test('by staff may have prices of their own', async () => {
    const person = await testPerson(server, { [shop.company_id]: 'fulfilment' });
    const send = (method: string, path: string, body?: object) =>
      person.ask(method, `/${shop.company_id}${path}`, body);
    const lines = [{ product_id: tea, qty: 2, price_override: 8, override_reason: 'Dented' }];
    const cart = (await send('POST', '/carts', { customer_id: ada, lines, ...ADDRESS })).body.data;
    expect(cart).toMatchObject({ origin: 'staff', subtotal: 16, problems: [] });
    expect(cart.lines).toMatchObject([{ price: 8, price_override: 8, override_reason: 'Dented' }]);
    await send('PATCH', `/carts/${cart.id}`, { note: 'By telephone' });
    const order = (await send('POST', `/carts/${cart.id}/place`)).body.data;
    const [note] = (await send('GET', `/orders/${order.id}/notes`)).body.data;
    expect(note).toMatchObject({ text: 'By telephone', actor_name: expect.any(String) });
    expect(order).toMatchObject({ origin: 'staff', subtotal: 16, items: [{ price: 8, qty: 2 }] });
    expect((await send('POST', `/carts/${cart.id}/place`)).body.data.id).toBe(order.id);
    const plain = (await send('POST', '/carts', { lines })).body.data;
    const path = `/carts/${plain.id}/lines/1`;
    expect((await send('PATCH', path, { price_override: null })).body.data.lines).toMatchObject([
      { price: 10, price_override: null, override_reason: null },
    ]);
  });

  test('is placed once by ten requests at the same time, in two carts of one guest', async () => {
    const lines = [{ product_id: mug, qty: 1 }];
    const guest = { email: 'tabs@example.com', lines, ...ADDRESS };
    const carts = [await cartOf(guest), await cartOf(guest)];
    const before = await stockOf(mug);
    const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => place(carts[i % 2]!.id)));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(2);
    expect(new Set(responses.map(({ body }) => body.data.customer_id)).size).toBe(1);
    expect(await stockOf(mug)).toBe(before - 2);
  });

  test('is of the cart as it is when it is placed, while it changes', async () => {
    const cart = await cartOf({ email: 'busy@example.com', lines: [{ product_id: mug, qty: 1 }], ...ADDRESS });
    const changes = [1, 2, 3, 4, 5].map((qty) => shop.commerce('PATCH', `/carts/${cart.id}/lines/1`, { qty }));
    const [placed, ...changed] = await Promise.all([place(cart.id), ...changes]);
    expect(placed!.status).toBe(200);
    const refusals = changed.filter(({ status }) => status !== 200).map(({ body }) => body.error.details.reason);
    expect(refusals).toEqual(refusals.map(() => 'cart_not_open'));
    const read = (await shop.commerce('GET', `/carts/${cart.id}`)).body.data;
    expect(read.lines[0].qty).toBe(placed!.body.data.items[0].qty);
  });
});
