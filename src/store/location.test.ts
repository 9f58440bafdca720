import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestStore, testStore } from './testing-store.ts';

/** What a store key with a `location_id` shows and sells. */
const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let berlin: number;
/** Keys of all locations, the main one and Berlin. */
let everywhere: TestStore;
let main: TestStore;
let there: TestStore;

const made = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
const stockAt = async (location_id: number, product_id: number, delta: number): Promise<void> => {
  const { status } = await shop.commerce('POST', '/inventory/adjustments', {
    lines: [{ product_id, location_id, delta }],
  });
  expect(status).toBe(201);
};
const shownBy = async (store: TestStore, path: string) => (await store.get(path)).body.data;

beforeAll(async () => {
  shop = await server.company();
  await shop.commerce('PATCH', '/checkout-settings', { show_stock: 'exact' });
  berlin = (await made('/locations', { name: 'Berlin' })).id;
  const [first] = await server.rows<{ id: number }>('select id::int from locations where company_id = $1 and main', [
    shop.company_id,
  ]);
  everywhere = await testStore(server, shop.company_id);
  main = await testStore(server, shop.company_id, [], first!.id);
  there = await testStore(server, shop.company_id, [], berlin);
});

afterEach(async () => {
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

test('its catalogue shows the stock of the location, of parents the sum of their active variants', async () => {
  const tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 7, slug: 'tea' })).id;
  await stockAt(berlin, tea, 2);
  const voucher = { name: 'Voucher', price: 5, track_stock: false, slug: 'voucher' };
  await made('/products', voucher);
  const shirt = await made('/products', {
    name: 'Shirt',
    slug: 'shirt',
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    variants: [
      { options: [{ name: 'Size', value: 'S' }], price: 20, stock_qty: 3 },
      { options: [{ name: 'Size', value: 'M' }], price: 20, stock_qty: 4 },
      { options: [{ name: 'Size', value: 'L' }], price: 20, stock_qty: 5 },
    ],
  });
  const [small, medium, large] = shirt.variants as { id: number }[];
  await stockAt(berlin, medium!.id, 1);
  await stockAt(berlin, large!.id, 9);
  await shop.commerce('PATCH', `/products/${large!.id}`, { archived: true });

  for (const [store, ofTea, ofShirt, ofVariants] of [
    [everywhere, 9, 8, [3, 5]],
    [main, 7, 7, [3, 4]],
    [there, 2, 1, [0, 1]],
  ] as const) {
    expect((await shownBy(store, '/products/tea')).stock_qty).toBe(ofTea);
    const parent = await shownBy(store, '/products/shirt');
    expect([parent.stock_qty, parent.variants.map((one: { stock_qty: number }) => one.stock_qty)]).toEqual([
      ofShirt,
      ofVariants,
    ]);
    const listed = (await shownBy(store, '/products')) as { slug: string; stock_qty: number }[];
    expect(Object.fromEntries(listed.map(({ slug, stock_qty }) => [slug, stock_qty]))).toEqual({
      tea: ofTea,
      shirt: ofShirt,
      voucher: 999_999,
    });
  }
  expect((await shownBy(there, `/products/${small!.id}`)).in_stock).toBe(false);
});

test('its carts and orders are taken from the location', async () => {
  const cup = (await made('/products', { name: 'Cup', price: 10, stock_qty: 7 })).id;
  await stockAt(berlin, cup, 2);
  const cash = (await made('/payment-methods', { kind: 'cash_on_delivery', name: 'Cash' })).id;
  const cart = (qty: number) =>
    there.ask('POST', '/cart', { lines: [{ product_id: cup, qty }], email: 'buyer@example.com', ...ADDRESS });
  const short = await cart(3);
  expect([short.status, short.body.error.details.items]).toMatchObject([422, [{ available: 2 }]]);
  const { token, id } = (await cart(2)).body.data;
  expect((await shop.commerce('GET', `/carts/${id}`)).body.data.location_id).toBe(berlin);
  const { order } = (await there.ask('POST', '/cart/pay', { method_id: cash }, token)).body.data;
  expect((await shop.commerce('GET', `/orders/${order.id}`)).body.data.location_id).toBe(berlin);
  const shown = await Promise.all(
    [everywhere, main, there].map(async (store) => (await shownBy(store, `/products/${cup}`)).stock_qty),
  );
  expect(shown).toEqual([7, 7, 0]);
});

test('a key whose location was closed shows and sells what is in stock anywhere', async () => {
  const bonn = (await made('/locations', { name: 'Bonn' })).id;
  const store = await testStore(server, shop.company_id, [], bonn);
  const pot = (await made('/products', { name: 'Pot', price: 10, stock_qty: 4 })).id;
  expect((await shownBy(store, `/products/${pot}`)).stock_qty).toBe(0);
  expect((await shop.commerce('PATCH', `/locations/${bonn}`, { active: false })).status).toBe(200);
  expect((await shownBy(store, `/products/${pot}`)).stock_qty).toBe(4);
  const { status, body } = await store.ask('POST', '/cart', { lines: [{ product_id: pot, qty: 4 }] });
  expect([status, body.data.problems]).toEqual([201, []]);
});
