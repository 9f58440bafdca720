import { beforeAll, expect, test } from 'vitest';
import { testServer } from '../../../testing/harness.ts';
import { type ShopWithLocations, shopWithLocations } from '../testing-shop.ts';

const server = testServer({ described: true });
let at: ShopWithLocations;
let ids: { tea: number; stored: number; low: number; card: number; small: number };

beforeAll(async () => {
  at = await shopWithLocations(server);
  const parent = await at.make('/products', {
    name: 'Shirt',
    options: [{ name: 'Size', values: ['S'] }],
    variants: [{ price: 5, stock_qty: 9, sku: 'SHIRT-S', options: [{ name: 'Size', value: 'S' }] }],
  });
  await at.make('/products', { name: 'Gone', price: 1, stock_qty: 4, status: 'archived' });
  ids = {
    tea: await at.product({ main: 5, store: 2, quarantine: 1 }),
    stored: await at.product({ store: 3 }),
    low: (
      await at.make('/products', { name: 'Low mug', price: 1, stock_qty: 2, low_stock_at: 2, barcode: '4006381333931' })
    ).id,
    card: (await at.make('/products', { name: 'Gift card', price: 1, track_stock: false, low_stock_at: 2 })).id,
    small: parent.variants[0].id,
  };
});

const list = async (query = '') => (await at.shop.commerce('GET', `/inventory${query}`)).body;
const idsOf = async (query: string): Promise<number[]> =>
  (await list(query)).data.map((one: { product_id: number }) => one.product_id);

test('the list is filtered by product', async () => {
  expect(await idsOf(`?product_id=${ids.tea}`)).toEqual([ids.tea]);
  expect(await idsOf('?product_id=999999')).toEqual([]);
});

test('the list has each sellable product with its stock by location', async () => {
  const { data, meta } = await list();
  expect(data.map((one: { product_id: number }) => one.product_id)).toEqual(
    [ids.card, ids.low, ids.stored, ids.tea, ids.small].toSorted((a, b) => b - a),
  );
  expect(meta.pagination.total).toBe(5);
  const levels = (main: number, store: number, quarantine: number) => [
    { location_id: at.main, available: main, reserved: 0 },
    { location_id: at.store, available: store, reserved: 0 },
    { location_id: at.quarantine, available: quarantine, reserved: 0 },
  ];
  expect(data.find((one: { product_id: number }) => one.product_id === ids.tea)).toEqual({
    product_id: ids.tea,
    name: 'Tea',
    sku: null,
    barcode: null,
    stock_qty: 7,
    in_stock: true,
    reserved: 0,
    low_stock_at: null,
    levels: levels(5, 2, 1),
  });
  expect(data.find((one: { product_id: number }) => one.product_id === ids.small)).toMatchObject({
    name: 'Shirt – S',
    sku: 'SHIRT-S',
    stock_qty: 9,
    levels: levels(9, 0, 0),
  });
  expect(data.find((one: { product_id: number }) => one.product_id === ids.card)).toMatchObject({
    stock_qty: 999_999,
    in_stock: true,
    levels: levels(0, 0, 0),
  });
});

test('it is filtered by location, by text and by low stock', async () => {
  expect(await idsOf(`?location_id=${at.store}`)).toEqual([ids.stored, ids.tea]);
  expect(await idsOf(`?location_id=${at.quarantine}`)).toEqual([ids.tea]);
  expect(await idsOf(`?location_id=${at.main}`)).toEqual([ids.low, ids.tea, ids.small].toSorted((a, b) => b - a));
  expect(await idsOf('?location_id=999999')).toEqual([]);
  expect(await idsOf('?search=shirt')).toEqual([ids.small]);
  expect(await idsOf('?search=shirt-s')).toEqual([ids.small]);
  expect(await idsOf('?search=4006381333931')).toEqual([ids.low]);
  expect(await idsOf('?search=mu')).toEqual([ids.low]);
  expect(await idsOf('?low=true')).toEqual([ids.low]);
  expect(await idsOf(`?low=false&location_id=${at.store}&search=tea`)).toEqual([ids.stored, ids.tea]);
  expect((await list('?per_page=2&page=2')).data).toHaveLength(2);
});

test('running out are products at their limit and those that last at most 14 days as they sell', async () => {
  const sold = await at.product({ main: 20, store: 0 });
  const slow = await at.product({ main: 300, store: 0 });
  const customer = await at.make('/customers', { email: 'ada@example.com' });
  await at.make('/orders', {
    customer_id: customer.id,
    items: [
      { product_id: sold, qty: 14 },
      { product_id: slow, qty: 14 },
    ],
    shipping_address: '1 Quay',
    shipping_city: 'Ghent',
    shipping_zip: '9000',
    shipping_country: 'BE',
  });
  expect(await idsOf('?running_out=true')).toEqual([sold, ids.low].toSorted((a, b) => b - a));
  const others = await idsOf('?running_out=false');
  expect(others).toContain(slow);
  expect([others.includes(sold), others.includes(ids.low)]).toEqual([false, false]);
});
