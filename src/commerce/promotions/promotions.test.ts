import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
let product: TestBody;
let customer: TestBody;
beforeAll(async () => {
  shop = await server.company();
  product = (await shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 999 })).body.data!;
  customer = (await shop.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!;
});

let made = 0;
async function create(fields: object = {}, company = shop) {
  const input = { code: `CODE${++made}`, type: 'percent', value: 10, ...fields };
  const response = await company.commerce('POST', '/promo-codes', input);
  expect(response.status).toBe(201);
  return response.body.data!;
}

function errorsOf(body: TestBody): string[] {
  const fields = body.error!.details!.fields as unknown as { field: string; code: string }[];
  return fields.map(({ field, code }) => `${field} ${code}`).sort();
}

function order(promo_code: string) {
  return shop.commerce('POST', '/orders', {
    customer_id: customer.id,
    items: [{ product_id: product.id, qty: 3 }],
    promo_code,
    shipping_country: 'US',
    shipping_address: '1 Main St',
    shipping_city: 'LA',
    shipping_zip: '90010',
  });
}

test('a code is created with its defaults, read, changed and deleted', async () => {
  const created = await create({ code: ' Spring-26 ', value: 12.5 });
  const moment = server.clock.now().toISOString();
  expect(created).toEqual({
    id: expect.any(Number),
    code: 'Spring-26',
    type: 'percent',
    value: 12.5,
    scope: 'order',
    product_ids: [],
    category_slugs: [],
    collection_ids: [],
    min_subtotal: null,
    max_discount: null,
    starts_at: null,
    ends_at: null,
    usage_limit: null,
    per_customer_limit: null,
    first_order_only: false,
    active: true,
    used_count: 0,
    is_template: false,
    valid_days: null,
    template_id: null,
    created_at: moment,
    updated_at: moment,
  });
  const path = `/promo-codes/${created.id}`;
  expect((await shop.commerce('GET', path)).body.data).toEqual(created);
  server.clock.advance(1_000);
  const change = {
    scope: 'products',
    product_ids: [product.id],
    category_slugs: ['mugs'],
    min_subtotal: 20.5,
    max_discount: 5,
    starts_at: '2026-03-01T00:00:00.000Z',
    ends_at: '2026-04-01T00:00:00.000Z',
    usage_limit: 5,
    active: false,
    per_customer_limit: 1,
    first_order_only: true,
  };
  const changed = await shop.commerce('PATCH', path, { ...change, ends_at: '2026-04-01T02:00:00+02:00' });
  expect(changed.status).toBe(200);
  expect(changed.body.data).toEqual({ ...created, ...change, updated_at: server.clock.now().toISOString() });
  const none = { min_subtotal: null, max_discount: null, starts_at: null, usage_limit: null, per_customer_limit: null };
  expect((await shop.commerce('PATCH', path, none)).body.data).toEqual({ ...changed.body.data!, ...none });
  const deleted = await shop.commerce('DELETE', path);
  expect(deleted).toMatchObject({ status: 200, body: { data: { code: 'Spring-26' } } });
  for (const verb of ['GET', 'PATCH', 'DELETE']) {
    expect((await shop.commerce(verb, path, verb === 'PATCH' ? {} : undefined)).status).toBe(404);
  }
});

test.each([
  ['percent', 100, 100],
  ['percent', 0.000001, 0.000001],
  ['fixed', 19.99, 19.99],
  ['free_shipping', null, null],
  ['free_shipping', undefined, null],
  ['buy_x_get_y', { buy: 2, get: 1 }, { buy: 2, get: 1, percent_off: 100 }],
  ['buy_x_get_y', { buy: 1, get: 1, percent_off: 33.5 }, { buy: 1, get: 1, percent_off: 33.5 }],
])('the value of %s %j', async (type, value, shown) => {
  expect((await create({ type, value })).value).toEqual(shown);
});

describe('422 names the failing fields', () => {
  const error = { code: 'x', type: 'percent', value: 10 };
  test.each([
    [{}, ['code required', 'type required']],
    [{ ...error, type: 'gift' }, ['type not_allowed']],
    [{ ...error, code: 'two words' }, ['code wrong_format']],
    [{ ...error, code: 'é' }, ['code wrong_format']],
    [{ ...error, value: undefined }, ['value required']],
    [{ ...error, value: 0 }, ['value invalid']],
    [{ ...error, value: 100.5 }, ['value invalid']],
    [{ ...error, value: '10' }, ['value invalid']],
    [{ ...error, value: 1.23456789 }, ['value too_many_decimals']],
    [{ ...error, type: 'fixed', value: -5 }, ['value invalid']],
    [{ ...error, type: 'fixed', value: 1.005 }, ['value too_many_decimals']],
    [{ ...error, type: 'free_shipping', value: 1 }, ['value invalid']],
    [{ ...error, type: 'buy_x_get_y', value: null }, ['value.buy required', 'value.get required']],
    [{ ...error, type: 'buy_x_get_y', value: [1, 2] }, ['value.buy invalid', 'value.get invalid']],
    [
      { ...error, type: 'buy_x_get_y', value: { buy: 1.5, get: 0, percent_off: 0 } },
      ['value.buy invalid', 'value.get invalid', 'value.percent_off invalid'],
    ],
    [{ ...error, scope: 'products' }, ['product_ids required']],
    [
      { ...error, scope: 'categories', min_subtotal: 1.001 },
      ['category_slugs required', 'min_subtotal too_many_decimals'],
    ],
    [{ ...error, product_ids: [999_999] }, ['product_ids unknown']],
    [
      { ...error, usage_limit: 0, per_customer_limit: 1.5 },
      ['per_customer_limit wrong_type', 'usage_limit out_of_range'],
    ],
    [{ ...error, starts_at: 'tomorrow' }, ['starts_at wrong_format']],
    [{ ...error, starts_at: '2016-12-31T23:59:60Z' }, ['starts_at wrong_format']],
    [{ ...error, starts_at: '2026-05-01T00:00:00Z', ends_at: '2026-05-01T00:00:00Z' }, ['ends_at out_of_range']],
  ])('%j', async (input, errors) => {
    const { status, body } = await shop.commerce('POST', '/promo-codes', input);
    expect([status, errorsOf(body)]).toEqual([422, errors]);
  });

  test('on change, together with the stored fields', async () => {
    const { id } = await create({ ends_at: '2026-05-01T00:00:00Z' });
    const change = async (fields: object) => (await shop.commerce('PATCH', `/promo-codes/${id}`, fields)).body;
    expect(errorsOf(await change({ starts_at: '2026-06-01T00:00:00Z' }))).toEqual(['ends_at out_of_range']);
    expect(errorsOf(await change({ type: 'fixed' }))).toEqual(['value required']);
    expect((await change({ type: 'free_shipping' })).data).toMatchObject({ type: 'free_shipping', value: null });
    expect((await change({ active: false })).data).toMatchObject({ type: 'free_shipping', active: false });
    expect((await change({ type: 'fixed', value: 3 })).data).toMatchObject({ type: 'fixed', value: 3 });
  });
});

test('a code is unique without regard to case, also when twenty come at once', async () => {
  const codes = Array.from({ length: 20 }, (_, i) => (i % 2 ? 'Once' : 'ONCE'));
  const responses = await Promise.all(
    codes.map((code) => shop.commerce('POST', '/promo-codes', { code, type: 'percent', value: 5 })),
  );
  expect(responses.map((response) => response.status).sort()).toEqual([201, ...new Array(19).fill(422)]);
  const refused = responses.find((response) => response.status === 422)!;
  expect(refused.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'code' });
  const { id } = await create();
  const renamed = await shop.commerce('PATCH', `/promo-codes/${id}`, { code: 'oNCE' });
  expect(renamed.body.error!.details!.reason).toBe('duplicate');
  await create({ code: 'once' }, await server.company());
});

test('the list is paged, newest first, by code and by whether they are active', async () => {
  const own = await server.company();
  const ids = [
    await create({ code: 'A' }, own),
    await create({ code: 'b', active: false }, own),
    await create({}, own),
  ];
  const list = async (query: string) => (await own.commerce('GET', `/promo-codes?${query}`)).body;
  const first = await list('per_page=2');
  expect(first.data).toMatchObject([{ id: ids[2]!.id }, { id: ids[1]!.id }]);
  expect(first.meta!.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
  expect((await list('code=B')).data).toMatchObject([{ code: 'b' }]);
  expect((await list('active=true')).meta!.pagination!.total).toBe(2);
  expect((await list('code=b&active=1')).data).toEqual([]);
  expect((await own.commerce('GET', '/promo-codes?active=maybe')).status).toBe(400);
});

test('scopes and companies are apart', async () => {
  const { id } = await create();
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/promo-codes')).status).toBe(200);
  expect((await reader.commerce('POST', '/promo-codes', {})).status).toBe(403);
  const other = await server.company();
  for (const verb of ['GET', 'PATCH', 'DELETE']) {
    expect((await other.commerce(verb, `/promo-codes/${id}`, verb === 'PATCH' ? {} : undefined)).status).toBe(404);
  }
  const foreign = { code: 'X', type: 'percent', value: 5, product_ids: [product.id] };
  expect(errorsOf((await other.commerce('POST', '/promo-codes', foreign)).body)).toEqual(['product_ids unknown']);
});

describe('with orders', () => {
  test.each([
    [{ type: 'percent', value: 12.5 }, 3.75],
    [{ type: 'fixed', value: 4.5 }, 4.5],
    [{ type: 'buy_x_get_y', value: { buy: 2, get: 1, percent_off: 50 } }, 5],
  ])('%j takes off what it says', async (fields, discount) => {
    const { code, id } = await create(fields);
    const placed = await order(code.toLowerCase());
    expect(placed).toMatchObject({ status: 201, body: { data: { discount, promo_code: code } } });
    expect((await shop.commerce('GET', `/promo-codes/${id}`)).body.data).toMatchObject({ used_count: 1 });
  });

  test('used_count counts only orders, and no limit can be lower', async () => {
    const { id, code } = await create({ used_count: 7 });
    await order(code);
    await order(code);
    const response = await shop.commerce('PATCH', `/promo-codes/${id}`, { used_count: 0, usage_limit: 1 });
    expect(response.headers.get('x-ignored-fields')).toBe('used_count');
    expect(errorsOf(response.body)).toEqual(['usage_limit out_of_range']);
    const changed = await shop.commerce('PATCH', `/promo-codes/${id}`, { usage_limit: 2 });
    expect(changed.body.data).toMatchObject({ usage_limit: 2, used_count: 2 });
    expect((await order(code)).body.error!.details!.reason).toBe('promo_usage_limit');
  });

  test('a limit lowered while orders are placed holds', async () => {
    const { id, code } = await create({ usage_limit: 100 });
    const [changed, ...placed] = await Promise.all([
      shop.commerce('PATCH', `/promo-codes/${id}`, { usage_limit: 5 }),
      ...Array.from({ length: 20 }, () => order(code)),
    ]);
    const uses = placed.filter((response) => response.status === 201).length;
    const after = (await shop.commerce('GET', `/promo-codes/${id}`)).body.data;
    expect(after).toMatchObject({ used_count: uses });
    if (changed.status === 200) expect(uses).toBe(5);
    else expect(uses).toBeGreaterThan(5);
  });

  test('deleted, it is gone for new orders; those placed keep it and can still be cancelled', async () => {
    const { id, code } = await create();
    const placed = (await order(code)).body.data!;
    await shop.commerce('DELETE', `/promo-codes/${id}`);
    expect((await order(code)).body.error!.details!.reason).toBe('promo_not_found');
    const again = await create({ code });
    expect(again.used_count).toBe(0);
    const cancelled = await shop.commerce('PATCH', `/orders/${placed.id}/status`, { status: 'cancelled' });
    expect(cancelled).toMatchObject({ status: 200, body: { data: { promo_code: code, discount: 3 } } });
    expect((await shop.commerce('GET', `/promo-codes/${again.id}`)).body.data).toMatchObject({ used_count: 0 });
  });
});

test('a code can be tried on a basket: it returns the amounts of the order and writes nothing', async () => {
  const { code, id } = await create({ value: 10 });
  const basket = {
    customer_id: customer.id,
    items: [{ product_id: product.id, qty: 3 }],
    shipping_country: 'US',
    shipping_address: '1 Main St',
    shipping_city: 'LA',
    shipping_zip: '90010',
  };
  const tried = await shop.commerce('POST', '/promo-codes/validate', { ...basket, promo_code: code.toLowerCase() });
  expect(tried.status).toBe(200);
  const numbers = { subtotal: 30, discount: 3, shipping: 0, tax: 0, total: 27 };
  expect(tried.body.data).toEqual({ ...numbers, promo_code: code, valid: true, free_shipping: false });
  expect((await shop.commerce('GET', `/promo-codes/${id}`)).body.data!.used_count).toBe(0);
  expect((await order(code)).body.data).toMatchObject(numbers);

  await shop.commerce('PATCH', `/promo-codes/${id}`, { active: false });
  for (const [promo_code, reason] of [
    [code, 'promo_inactive'],
    ['NO-SUCH-CODE', 'promo_not_found'],
  ]) {
    const refused = await shop.commerce('POST', '/promo-codes/validate', { ...basket, promo_code });
    expect([refused.status, refused.body.error!.details!.reason]).toEqual([422, reason]);
    expect(refused.body).toMatchObject({ error: { details: { promo_code } } });
  }
});
