import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ described: true });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
let shop: TestCompany;
let tea: number;
let mug: number;
let customer_id: number;

const made = async (path: string, body: object) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const calculate = (body: object) => shop.commerce('POST', '/orders/calculate', body);

beforeAll(async () => {
  shop = await server.company();
  await shop.commerce('PATCH', '/settings/loyalty', {
    enabled: true,
    points_per_dollar: 1,
    point_value: 0.01,
    min_redeem_points: 1,
  });
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 20, categories: ['tea'] })).id;
  mug = (await made('/products', { name: 'Mug', price: 7.5, stock_qty: 20 })).id;
  customer_id = (await made('/customers', { email: 'ada@example.com' })).id;
  await made(`/customers/${customer_id}/loyalty/adjust`, { points: 300 });
  await made('/tax-rules', { name: 'MVA', country: 'NO', rate: 0.25, applies_to_shipping: true });
  const zone = (await made('/shipping-zones', { name: 'Nordics', countries: ['NO', 'SE'] })).id;
  await made('/shipping-methods', { zone_id: zone, name: 'Post', type: 'free_over', cost: 9, free_over: 100 });
  await made('/shipping-methods', { zone_id: zone, name: 'Courier', type: 'flat', cost: 19, position: 2 });
  await made('/promo-codes', {
    code: 'TEA20',
    type: 'percent',
    value: 20,
    scope: 'categories',
    category_slugs: ['tea'],
  });
  await made('/promo-codes', { code: 'FIRST', type: 'fixed', value: 5, first_order_only: true });
});

describe('POST /orders/calculate', () => {
  test('equals the total of the order that follows, and takes no stock', async () => {
    const items = [
      { product_id: tea, qty: 2 },
      { product_id: mug, qty: 1 },
      { product_id: tea, qty: 1 },
    ];
    const order = { customer_id, items, ...ADDRESS, promo_code: 'tea20', redeem_points: 250 };
    const counted = ['orders', 'order_items', 'stock_movements', 'loyalty_ledger', 'outbox', 'orders_id_seq'];
    const state = async () =>
      Promise.all([
        ...counted.slice(0, -1).map((table) => server.rows(`select count(*) from ${table}`)),
        server.rows('select last_value from orders_id_seq'),
        server.rows('select stock_qty from product_stock order by product_id'),
        server.rows('select used_count from promo_codes order by id'),
      ]);
    const before = await state();
    const { status, body } = await calculate(order);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await state()).toEqual(before);
    expect(body.data).toMatchObject({
      subtotal: 37.5,
      promo_discount: 6,
      points_discount: 2.5,
      discount: 8.5,
      points_redeemed: 250,
      shipping: 9,
      tax: 9.51,
      total: 47.51,
      points_earned: 29,
      shipping_country: 'NO',
      currency: 'USD',
      shipping_methods: [
        { name: 'Post', cost: 9 },
        { name: 'Courier', cost: 19 },
      ],
    });
    const placed = await made('/orders', order);
    for (const [key, value] of Object.entries(placed)) {
      const same = key === 'shipping_method' ? body.data.shipping_method.name : body.data[key];
      // The lines of an order have more fields.
      if (same !== undefined) expect([key, value]).toMatchObject([key, same]);
    }
  });

  test('needs neither a customer nor a street, and such a customer has never ordered and has no points', async () => {
    const items = [{ product_id: mug, qty: 2 }];
    const { body } = await calculate({ items, shipping_country: 'SE' });
    expect(body.data).toMatchObject({ subtotal: 15, tax: 0, shipping: 9, total: 24, shipping_country: 'SE' });
    const first = await calculate({ items, shipping_country: 'NO', promo_code: 'FIRST' });
    expect(first.body.data).toMatchObject({ promo_discount: 5, total: (15 - 5 + 9) * 1.25 });
    const points = await calculate({ items, shipping_country: 'NO', redeem_points: 900 });
    expect(points.body.error.details.reason).toBe('insufficient_points');
  });

  test.each([
    [
      'too little stock',
      () => ({ items: [{ product_id: tea, qty: 999 }], shipping_country: 'NO' }),
      'insufficient_stock',
    ],
    [
      'a shipping method that is not offered',
      () => ({ items: [{ product_id: tea, qty: 1 }], shipping_country: 'NO', shipping_method_id: 999 }),
      'shipping_unavailable',
    ],
    ['an unknown code', () => ({ items: [{ product_id: tea, qty: 1 }], promo_code: 'NONE' }), 'promo_not_found'],
    [
      'an unknown customer',
      () => ({ customer_id: 999_999, items: [{ product_id: tea, qty: 1 }] }),
      'validation_failed',
    ],
    ['customer 0', () => ({ customer_id: 0, items: [{ product_id: tea, qty: 1 }] }), 'validation_failed'],
  ])('refuses %s as placing the order would', async (_what, body: () => object, code) => {
    const asked = await calculate(body());
    const placed = await shop.commerce('POST', '/orders', { customer_id, ...ADDRESS, ...body() });
    expect(asked.status).toBeGreaterThanOrEqual(400);
    expect(asked.body.error.details.reason).toBe(code);
    const told = ({ status, body: { error } }: typeof asked) => {
      const { request_id: _, ...details } = error.details;
      return [status, { ...error, details }];
    };
    expect(told(asked)).toEqual(told(placed));
  });
});
