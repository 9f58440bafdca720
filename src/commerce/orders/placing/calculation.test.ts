import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';

/** The effects of promo codes, taxes, shipping and points, and what a cancellation reverts, as seen through the API. */

const server = testServer();
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Fresno', shipping_state: 'CA', shipping_zip: '93650' };

interface Stage {
  shop: TestCompany;
  tea: number;
  mug: number;
  buyer: number;
}

async function stage(): Promise<Stage> {
  const shop = await server.company();
  const id = async (path: string, body: object) => Number((await shop.commerce('POST', path, body)).body.data!.id);
  return {
    shop,
    tea: await id('/products', { name: 'Tea', price: 10, stock_qty: 100, categories: ['tea'] }),
    mug: await id('/products', { name: 'Mug', price: 7.5, stock_qty: 100, categories: ['mugs'] }),
    buyer: await id('/customers', { email: 'buyer@example.com', first_name: 'Ada' }),
  };
}

/** Three teas and two mugs: 45.00, unless `more` says otherwise. */
function basket({ tea, mug, buyer }: Stage, more: object = {}): object {
  const items = [
    { product_id: tea, qty: 3 },
    { product_id: mug, qty: 2 },
  ];
  return { customer_id: buyer, items, ...ADDRESS, ...more };
}

const place = (on: Stage, more: object = {}) => on.shop.commerce('POST', '/orders', basket(on, more));
const move = async ({ shop }: Stage, id: number, status: string) =>
  (await shop.commerce('PATCH', `/orders/${id}/status`, { status })).status;
const adjust = ({ shop, buyer }: Stage, points: number) =>
  shop.commerce('POST', `/customers/${buyer}/loyalty/adjust`, { points });

/** Returns everything that an order takes: stock, promo code uses and points. */
async function taken({ shop, tea, mug, buyer }: Stage) {
  const read = async (path: string) => (await shop.commerce('GET', path)).body.data!;
  const uses = (await read('/promo-codes')).map((code: TestBody) => code.used_count);
  const stock = [(await read(`/products/${tea}`)).stock_qty, (await read(`/products/${mug}`)).stock_qty];
  return { stock, uses, loyalty: await read(`/customers/${buyer}/loyalty`) };
}

async function topics({ shop }: Stage): Promise<string[]> {
  const rows = await server.rows<{ topic: string }>(
    "select topic from outbox where company_id = $1 and topic like 'order_%' order by id",
    [shop.company_id],
  );
  return rows.map((row) => row.topic);
}

test('an order of products that need no shipping has no shipping method', async () => {
  const on = await stage();
  for (const id of [on.tea, on.mug]) await on.shop.commerce('PATCH', `/products/${id}`, { requires_shipping: false });
  const none = { shipping: 0, shipping_method: null };
  const calculated = await on.shop.commerce('POST', '/orders/calculate', basket(on));
  expect(calculated.body.data).toMatchObject({ ...none, shipping_methods: [] });
  expect((await place(on)).body.data).toMatchObject(none);
});

test('an order with everything in it, and all of it undone by its cancellation, once', async () => {
  const on = await stage();
  const { shop, buyer } = on;
  await shop.commerce('POST', '/tax-rules', {
    name: 'California',
    country: 'US',
    state: 'ca',
    rate: 0.0725,
    applies_to_shipping: true,
  });
  await shop.commerce('POST', '/tax-rules', {
    name: 'Fresno',
    country: 'US',
    zip_from: '93650',
    rate: 0.01,
    priority: 2,
  });
  const zone = (await shop.commerce('POST', '/shipping-zones', { name: 'West', countries: ['USA'], states: ['CA'] }))
    .body.data!.id;
  await shop.commerce('POST', '/shipping-methods', {
    zone_id: zone,
    name: 'Van',
    type: 'free_over',
    cost: 5,
    free_over: 40,
  });
  await shop.commerce('POST', '/promo-codes', {
    code: 'TEN',
    type: 'percent',
    value: 10,
    scope: 'categories',
    category_slugs: ['tea'],
    usage_limit: 3,
  });
  await adjust(on, 500);
  const before = await taken(on);

  const made = await place(on, { promo_code: 'ten', redeem_points: 333, external_id: 'till-1', metadata: { a: 1 } });
  // 45.00 − 3.00 (10 % of the teas) − 3.33 (points) = 38.67, which is less than 40: the van costs 5.00.
  // The points are spread over 27.00 and 15.00: 2.14 and 1.19.
  expect(made).toMatchObject({
    status: 201,
    body: {
      data: {
        subtotal: 45,
        discount: 6.33,
        shipping: 5,
        promo_code: 'TEN',
        points_redeemed: 333,
        shipping_method: 'Van',
        external_id: 'till-1',
        metadata: { a: 1 },
        shipping_country: 'US',
        items: [
          { subtotal: 30, discount: 5.14, tax: 2.05 },
          { subtotal: 15, discount: 1.19, tax: 1.14 },
        ],
        tax_lines: [
          { name: 'California', rate: 0.0725, amount: 3.16 },
          { name: 'Fresno', rate: 0.01, amount: 0.39 },
        ],
        tax: 3.55,
        total: 47.22,
      },
    },
  });
  // floor(38.67) points are earned.
  expect(await taken(on)).toEqual({
    stock: [97, 98],
    uses: [1],
    loyalty: { customer_id: buyer, current_balance: 205, lifetime_points: 38, dollar_value: 2.05 },
  });

  const { id } = made.body.data!;
  expect([await move(on, id, 'cancelled'), await move(on, id, 'cancelled')]).toEqual([200, 200]);
  expect(await taken(on)).toEqual(before);
  const ledger = (await shop.commerce('GET', `/customers/${buyer}/loyalty/ledger`)).body.data!;
  expect(ledger.map((entry: TestBody) => [entry.type, entry.points, entry.order_id]).reverse()).toEqual([
    ['adjust', 500, null],
    ['redeem', -333, id],
    ['earn', 38, id],
    ...ledger
      .slice(0, 2)
      .map((entry: TestBody) => [entry.type, entry.points, entry.order_id])
      .reverse(),
  ]);
  expect(
    ledger
      .slice(0, 2)
      .map((entry: TestBody) => `${entry.type} ${entry.points}`)
      .sort(),
  ).toEqual(['restore 333', 'reverse_earn -38']);
  const history = (await shop.commerce('GET', `/orders/${id}/history`)).body.data!;
  expect(history.map((entry: TestBody) => [entry.type, entry.from, entry.to])).toEqual([
    ['created', null, 'pending'],
    ['status', 'pending', 'cancelled'],
  ]);
  expect(await topics(on)).toEqual(['order_placed', 'order_cancelled']);
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

describe('promo codes', () => {
  test.each([
    ['percent of the order', { type: 'percent', value: 10 }, { discount: 4.5 }],
    ['percent, with the most that it may take off', { type: 'percent', value: 50, max_discount: 8 }, { discount: 8 }],
    [
      'percent of some products',
      { type: 'percent', value: 10, scope: 'products', product_ids: 'mug' },
      { discount: 1.5 },
    ],
    ['an amount', { type: 'fixed', value: 12.34 }, { discount: 12.34 }],
    [
      'no more than what it is for',
      { type: 'fixed', value: 99, scope: 'categories', category_slugs: ['mugs'] },
      { discount: 15 },
    ],
    ['shipping', { type: 'free_shipping' }, { discount: 0, shipping: 0 }],
    ['the cheapest', { type: 'buy_x_get_y', value: { buy: 2, get: 1 } }, { discount: 7.5 }],
    [
      'half of every second tea',
      { type: 'buy_x_get_y', value: { buy: 1, get: 1, percent_off: 50 }, scope: 'categories', category_slugs: ['tea'] },
      { discount: 5 },
    ],
  ])('take off %s', async (_what, fields, expected) => {
    const on = await stage();
    const [method] = (await on.shop.commerce('GET', '/shipping-methods')).body.data!;
    await on.shop.commerce('PATCH', `/shipping-methods/${method.id}`, { cost: 4 });
    const product_ids = 'product_ids' in fields ? [on.mug] : [];
    const made = await on.shop.commerce('POST', '/promo-codes', { code: 'X', ...fields, product_ids });
    expect(made.status).toBe(201);
    const tried = await on.shop.commerce('POST', '/promo-codes/validate', basket(on, { promo_code: 'x' }));
    const placed = await place(on, { promo_code: 'x' });
    const { discount, shipping } = { shipping: 4, ...expected };
    const numbers = { subtotal: 45, discount, shipping, tax: 0, total: 45 - discount + shipping };
    expect(placed.body.data).toMatchObject({ ...numbers, promo_code: 'X' });
    const free_shipping = fields.type === 'free_shipping';
    expect(tried.body.data).toEqual({ ...numbers, promo_code: 'X', valid: true, free_shipping });
  });

  const later = '2026-03-15T12:00:00.001Z';
  const now = '2026-03-15T12:00:00.000Z';
  test.each([
    ['promo_inactive', { active: false }, 0],
    ['promo_not_started', { starts_at: later }, 0],
    ['promo_expired', { ends_at: now }, 0],
    ['promo_usage_limit', { usage_limit: 1 }, 1],
    ['promo_customer_limit', { per_customer_limit: 1 }, 1],
    ['promo_min_subtotal', { min_subtotal: 45.01 }, 0],
    ['promo_not_applicable', { first_order_only: true }, 1],
    ['promo_not_applicable', { scope: 'categories', category_slugs: ['cakes'] }, 0],
  ])('are refused with %s for %j', async (reason, terms, usesBefore) => {
    const on = await stage();
    await on.shop.commerce('POST', '/promo-codes', { code: 'Spring', type: 'percent', value: 10, ...terms });
    for (let i = 0; i < usesBefore; i++) expect((await place(on, { promo_code: 'SPRING' })).status).toBe(201);
    const before = await taken(on);
    for (const path of ['/orders', '/promo-codes/validate']) {
      const response = await on.shop.commerce('POST', path, basket(on, { promo_code: 'SPRING' }));
      expect([response.status, response.body.error!.details]).toMatchObject([422, { reason, promo_code: 'Spring' }]);
    }
    expect(await taken(on)).toEqual(before);
  });

  test('are usable to the last moment and at each limit, and by another customer', async () => {
    const on = await stage();
    await on.shop.commerce('POST', '/promo-codes', {
      code: 'EDGE',
      type: 'fixed',
      value: 1,
      starts_at: now,
      ends_at: later,
      min_subtotal: 45,
      usage_limit: 2,
      per_customer_limit: 1,
      first_order_only: true,
    });
    expect((await place(on, { promo_code: 'EDGE' })).status).toBe(201);
    const other = (await on.shop.commerce('POST', '/customers', { email: 'other@example.com' })).body.data!.id;
    const first = await place(on, { promo_code: 'EDGE', customer_id: other });
    expect(first.status).toBe(201);
    // A cancelled order does not count, neither as a use nor as the first order.
    await move(on, first.body.data!.id, 'cancelled');
    expect((await place(on, { promo_code: 'EDGE', customer_id: other })).status).toBe(201);
  });
});

describe('points', () => {
  test.each([
    ['below_min_redeem', 500, 99, true],
    ['insufficient_points', 150, 151, true],
    ['loyalty_disabled', 500, 100, false],
  ])('%s changes nothing', async (reason, balance, redeem, enabled) => {
    const on = await stage();
    await adjust(on, balance);
    await on.shop.commerce('PATCH', '/loyalty/settings', { enabled });
    const before = await taken(on);
    const response = await place(on, { redeem_points: redeem });
    expect([response.status, response.body.error!.details]).toMatchObject([422, { reason, requested: redeem }]);
    expect(await taken(on)).toEqual(before);
  });

  test('are neither earned nor lost while the program is off; the balance can be read', async () => {
    const on = await stage();
    await on.shop.commerce('PATCH', '/loyalty/settings', { enabled: false });
    await adjust(on, 120);
    const { id } = (await place(on)).body.data!;
    expect((await taken(on)).loyalty).toMatchObject({ current_balance: 120, lifetime_points: 0 });
    for (const status of ['processing', 'delivered']) expect(await move(on, id, status)).toBe(200);
    expect((await taken(on)).loyalty).toMatchObject({ current_balance: 120, lifetime_points: 0 });
  });

  test('are earned on delivery where the shop says so, once, whatever it said before', async () => {
    const on = await stage();
    const early = (await place(on)).body.data!.id;
    await on.shop.commerce('PATCH', '/loyalty/settings', { earn_on: 'delivered', points_per_dollar: 2 });
    const late = (await place(on)).body.data!.id;
    const earned = async () => (await taken(on)).loyalty.lifetime_points;
    expect(await earned()).toBe(45);
    await move(on, late, 'shipped');
    expect(await earned()).toBe(45);
    await move(on, late, 'delivered');
    await move(on, late, 'delivered');
    expect(await earned()).toBe(135);
    await move(on, early, 'shipped');
    await move(on, early, 'delivered');
    expect(await earned()).toBe(135);
    await move(on, (await place(on)).body.data!.id, 'cancelled');
    expect(await earned()).toBe(135);
    const delivered = ['order_shipped', 'order_completed'];
    const told = ['order_placed', 'order_placed', ...delivered, ...delivered];
    expect(await topics(on)).toEqual([...told, 'order_placed', 'order_cancelled']);
  });

  test('beyond a million million are not earned by one order, however dear it is', async () => {
    const on = await stage();
    await on.shop.commerce('PATCH', '/loyalty/settings', { points_per_dollar: 1_000_000 });
    await on.shop.commerce('PATCH', `/products/${on.tea}`, { price: 9_999_999.99, stock_qty: 1_000_000 });
    const items = [{ product_id: on.tea, qty: 9_999 }];
    const made = await place(on, { items });
    expect(made.status).toBe(201);
    expect((await taken(on)).loyalty.current_balance).toBe(1_000_000_000_000);
    expect(await move(on, made.body.data!.id, 'cancelled')).toBe(200);
    expect((await taken(on)).loyalty.current_balance).toBe(0);
  });
});

describe('where an order goes', () => {
  test('the state is asked for where taxes or shipping go by it, and only there', async () => {
    const on = await stage();
    const sent = (more: object) => place(on, { shipping_state: undefined, ...more });
    expect((await sent({})).status).toBe(201);
    await on.shop.commerce('POST', '/tax-rules', { name: 'CA', country: 'US', state: 'CA', rate: 0.1 });
    await on.shop.commerce('POST', '/shipping-zones', { name: 'ON', countries: ['CA'], states: ['ON'] });
    for (const shipping_country of ['US', 'Canada']) {
      const { status, body } = await sent({ shipping_country });
      expect([status, body.error!.details!.fields]).toMatchObject([
        422,
        [{ field: 'shipping_state', code: 'required' }],
      ]);
    }
    expect((await sent({ shipping_country: 'DE' })).status).toBe(201);
    expect((await sent({ shipping_state: 'TX' })).body.data).toMatchObject({ tax: 0, tax_lines: [] });
  });

  test('a state is its code, however it is written; an unknown one is refused where taxes or shipping go by it', async () => {
    const on = await stage();
    const sent = (shipping_state: string, more: object = {}) => place(on, { shipping_state, ...more });
    expect((await sent('Somewhere')).body.data).toMatchObject({ shipping_state: 'Somewhere' });
    await on.shop.commerce('POST', '/tax-rules', { name: 'TX', country: 'US', state: 'Texas', rate: 0.1 });
    for (const written of ['Texas', 'TX', 'us-tx', ' texas ']) {
      const { body } = await sent(written);
      expect(body.data).toMatchObject({ shipping_state: 'TX', tax_lines: [{ name: 'TX' }] });
    }
    const { status, body } = await sent('Texsa');
    expect([status, body.error!.details!.fields]).toMatchObject([422, [{ field: 'shipping_state', code: 'unknown' }]]);
    expect((await sent('Bayern', { shipping_country: 'DE' })).body.data).toMatchObject({ shipping_state: 'BY' });
    expect((await sent('Freistaat', { shipping_country: 'DE' })).status).toBe(201);
  });

  test('the method asked for is taken where it is offered; else nothing is shipped', async () => {
    const on = await stage();
    const [first] = (await on.shop.commerce('GET', '/shipping-methods')).body.data!;
    const { id: express } = (
      await on.shop.commerce('POST', '/shipping-methods', {
        zone_id: first.zone_id,
        name: 'Express',
        type: 'by_subtotal',
        position: 9,
        brackets: [
          { from: 45, cost: 9.5 },
          { from: 100, cost: 0 },
        ],
      })
    ).body.data!;
    const chosen = await place(on, { shipping_method_id: express });
    expect(chosen.body.data).toMatchObject({ shipping_method: 'Express', shipping: 9.5, total: 54.5 });
    expect((await place(on)).body.data).toMatchObject({ shipping_method: first.name, shipping: 0 });
    const small = { shipping_method_id: express, items: [{ product_id: on.tea, qty: 1 }] };
    for (const more of [small, { shipping_method_id: 999_999 }]) {
      const refused = await place(on, more);
      expect([refused.status, refused.body.error!.details!.reason]).toEqual([422, 'shipping_unavailable']);
    }
  });
});
