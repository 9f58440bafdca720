import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

async function create(path: string, fields: object, company = shop) {
  const response = await company.commerce('POST', path, fields);
  expect(response.status).toBe(201);
  return response.body.data!;
}
const zone = (fields: object = {}, company = shop) => create('/shipping-zones', { name: 'Zone', ...fields }, company);
const method = (fields: object, company = shop) => create('/shipping-methods', { name: 'Post', ...fields }, company);

function errorsOf(body: TestBody): string[] {
  const fields = body.error!.details!.fields as unknown as { field: string; code: string }[];
  return fields.map(({ field, code }) => `${field} ${code}`).sort();
}

test('a new company ships everywhere for free', async () => {
  const own = await server.company();
  const zones = (await own.commerce('GET', '/shipping-zones')).body.data!;
  expect(zones).toMatchObject([{ name: 'Everywhere', countries: [], states: [], zip_patterns: [] }]);
  const methods = (await own.commerce('GET', '/shipping-methods')).body;
  expect(methods.data).toMatchObject([
    { zone_id: zones[0]!.id, name: 'Standard', type: 'flat', cost: 0, active: true },
  ]);
  expect(methods.meta!.pagination).toEqual({ page: 1, per_page: 25, total: 1, total_pages: 1 });
});

describe('zones', () => {
  test('have their states by code; one that none of the countries has is refused', async () => {
    const made = await zone({ countries: ['US', 'CA'], states: ['Hawaii', 'ontario', 'tx', 'TX'] });
    expect(made.states).toEqual(['HI', 'ON', 'TX']);
    const { status, body } = await shop.commerce('PATCH', `/shipping-zones/${made.id}`, { states: ['HI', 'Bavaria'] });
    expect([status, errorsOf(body)]).toEqual([422, ['states.1 unknown']]);
    expect((await zone({ states: ['Hawaii'] })).states).toEqual(['Hawaii']);
  });

  test('are created, read, changed and deleted with their methods', async () => {
    const given = { name: 'Near', countries: ['Germany', 'AUT', 'de'], states: ['BY'], zip_patterns: ['80*', '1...9'] };
    const made = await zone(given);
    const moment = server.clock.now().toISOString();
    expect(made).toEqual({
      ...given,
      id: expect.any(Number),
      position: 0,
      countries: ['DE', 'AT'],
      created_at: moment,
      updated_at: moment,
    });
    const path = `/shipping-zones/${made.id}`;
    expect((await shop.commerce('GET', path)).body.data).toEqual(made);
    const changed = await shop.commerce('PATCH', path, { position: 4, states: [] });
    expect([changed.status, changed.body.data]).toEqual([200, { ...made, position: 4, states: [] }]);
    const inside = await method({ zone_id: made.id, type: 'flat', cost: 1 });
    const deleted = await shop.commerce('DELETE', path);
    expect([deleted.status, deleted.body.data]).toEqual([200, changed.body.data]);
    expect((await shop.commerce('GET', path)).status).toBe(404);
    expect((await shop.commerce('GET', `/shipping-methods/${inside.id}`)).status).toBe(404);
    expect((await shop.commerce('DELETE', path)).status).toBe(404);
  });

  test.each([
    [{}, ['name required']],
    [{ name: ' ', position: -1 }, ['name too_short', 'position out_of_range']],
    [{ name: 'x', countries: ['Atlantis', 'US', ''] }, ['countries.2 too_short']],
    [
      { name: 'x', countries: ['Atlantis', 'US'], zip_patterns: ['9...1'] },
      ['countries.0 unknown', 'zip_patterns.0 out_of_range'],
    ],
    [
      { name: 'x', zip_patterns: ['*', '1**', '1...', '1...2...3', 5] },
      [0, 1, 2, 3].map((i) => `zip_patterns.${i} wrong_format`).concat('zip_patterns.4 wrong_type'),
    ],
  ])('422 for %j', async (fields, errors) => {
    const { status, body } = await shop.commerce('POST', '/shipping-zones', fields);
    expect([status, errorsOf(body)]).toEqual([422, errors]);
  });
});

describe('methods', () => {
  test('of each type show the amounts of their type', async () => {
    const { id: zone_id } = await zone();
    const none = { cost: null, free_over: null, brackets: null };
    const brackets = [
      { from: 50, cost: 0 },
      { from: 0, cost: 7.5 },
    ];
    expect(await method({ zone_id, type: 'flat', cost: 4.99 })).toMatchObject({ ...none, type: 'flat', cost: 4.99 });
    expect(await method({ zone_id, type: 'free_over', cost: 5, free_over: 99.9 })).toMatchObject({
      ...none,
      cost: 5,
      free_over: 99.9,
      position: 0,
      active: true,
      name: 'Post',
    });
    const bySubtotal = await method({ zone_id, type: 'by_subtotal', brackets, active: false, position: 2 });
    expect(bySubtotal).toMatchObject({ ...none, brackets: brackets.toReversed(), active: false, position: 2 });
    const list = (await shop.commerce('GET', `/shipping-methods?zone_id=${zone_id}&per_page=2`)).body;
    expect(list.data).toMatchObject([{ cost: 4.99 }, { cost: 5 }]);
    expect(list.meta!.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
    expect((await shop.commerce('GET', '/shipping-methods?zone_id=0')).status).toBe(400);
  });

  test('are changed in part; a new type needs its own amounts', async () => {
    const { id: zone_id } = await zone();
    const made = await method({ zone_id, type: 'free_over', cost: 5, free_over: 50 });
    const path = `/shipping-methods/${made.id}`;
    const change = async (fields: object) => (await shop.commerce('PATCH', path, fields)).body;
    expect((await change({ cost: 6, brackets: null })).data).toMatchObject({ cost: 6, free_over: 50 });
    expect(errorsOf(await change({ cost: null }))).toEqual(['cost required']);
    expect(errorsOf(await change({ type: 'flat' }))).toEqual(['cost required']);
    expect(errorsOf(await change({ brackets: [{ from: 0, cost: 1 }] }))).toEqual(['brackets not_allowed']);
    expect((await change({ type: 'flat', cost: 3 })).data).toMatchObject({ type: 'flat', cost: 3, free_over: null });
    expect((await change({ name: 'Courier', active: false })).data).toMatchObject({ name: 'Courier', cost: 3 });
    const other = await zone();
    expect((await change({ zone_id: other.id })).data).toMatchObject({ zone_id: other.id });
    expect(errorsOf(await change({ zone_id: 999_999 }))).toEqual(['zone_id unknown']);
    const deleted = await shop.commerce('DELETE', path);
    expect(deleted).toMatchObject({ status: 200, body: { data: { name: 'Courier' } } });
    expect((await shop.commerce('PATCH', path, {})).status).toBe(404);
  });

  test.each([
    [{ type: 'pigeon' }, ['type not_allowed']],
    [{ type: 'flat' }, ['cost required']],
    [{ type: 'flat', cost: -1 }, ['cost out_of_range']],
    [{ type: 'flat', cost: 1.005 }, ['cost too_many_decimals']],
    [{ type: 'flat', cost: 1, free_over: 5 }, ['free_over not_allowed']],
    [{ type: 'free_over' }, ['cost required', 'free_over required']],
    [{ type: 'by_subtotal', brackets: [] }, ['brackets too_short']],
    [
      {
        type: 'by_subtotal',
        brackets: [
          { from: 1, cost: 1 },
          { from: 1, cost: 2 },
        ],
      },
      ['brackets invalid'],
    ],
    [{ type: 'by_subtotal', brackets: [{ from: 1.001, cost: 1 }, { cost: 2 }] }, ['brackets.1.from required']],
    [{ type: 'by_subtotal', brackets: [{ from: 1.001, cost: 1 }] }, ['brackets.0.from too_many_decimals']],
    [{ type: 'flat', cost: 1, zone_id: 999_999 }, ['zone_id unknown']],
    [{ type: 'flat', cost: 1, zone_id: 'x', name: '' }, ['name too_short', 'zone_id wrong_type']],
  ])('422 for %j', async (fields, errors) => {
    const { id: zone_id } = await zone();
    const { status, body } = await shop.commerce('POST', '/shipping-methods', { zone_id, name: 'Post', ...fields });
    expect([status, errorsOf(body)]).toEqual([422, errors]);
  });

  test('amounts go by the currency', async () => {
    const yen = await server.company({ currency: 'JPY' });
    const { id: zone_id } = await zone({}, yen);
    expect(await method({ zone_id, type: 'flat', cost: 500 }, yen)).toMatchObject({ cost: 500 });
    const response = await yen.commerce('POST', '/shipping-methods', { zone_id, name: 'x', type: 'flat', cost: 5.5 });
    expect(errorsOf(response.body)).toEqual(['cost too_many_decimals']);
  });
});

test('scopes and companies are apart', async () => {
  const { id } = await zone();
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/shipping-zones')).status).toBe(200);
  expect((await reader.commerce('POST', '/shipping-zones', { name: 'x' })).status).toBe(403);
  const other = await server.company();
  const foreign = await method({ zone_id: (await zone({}, other)).id, type: 'flat', cost: 1 }, other);
  for (const path of [`/shipping-zones/${id}`, `/shipping-methods/${foreign.id}`]) {
    const stranger = path.includes('zones') ? other : shop;
    for (const verb of ['GET', 'PATCH', 'DELETE']) {
      expect((await stranger.commerce(verb, path, verb === 'PATCH' ? {} : undefined)).status).toBe(404);
    }
  }
  const intruding = { zone_id: id, name: 'x', type: 'flat', cost: 1 };
  expect(errorsOf((await other.commerce('POST', '/shipping-methods', intruding)).body)).toEqual(['zone_id unknown']);
});

test('a zone that goes while a method comes leaves no method behind', async () => {
  for (let i = 0; i < 10; i++) {
    const { id: zone_id } = await zone();
    const [deleted, created] = await Promise.all([
      shop.commerce('DELETE', `/shipping-zones/${zone_id}`),
      shop.commerce('POST', '/shipping-methods', { zone_id, name: 'x', type: 'flat', cost: 1 }),
    ]);
    expect(deleted.status).toBe(200);
    expect([201, 422]).toContain(created.status);
    expect((await shop.commerce('GET', `/shipping-methods?zone_id=${zone_id}`)).body.data).toEqual([]);
  }
});

test('an order placed after the response is shipped by the method', async () => {
  const own = await server.company();
  const product = (await own.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 9 })).body.data!;
  const customer = (await own.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!;
  const place = async () =>
    (
      await own.commerce('POST', '/orders', {
        customer_id: customer.id,
        items: [{ product_id: product.id, qty: 1 }],
        shipping_country: 'DE',
        shipping_address: 'Allee 1',
        shipping_city: 'Berlin',
        shipping_zip: '10115',
      })
    ).body;
  expect((await place()).data).toMatchObject({ shipping: 0, shipping_method: 'Standard' });
  const { id: zone_id } = await zone({ countries: ['DE'] }, own);
  expect((await place()).error!.details!.reason).toBe('shipping_unavailable');
  const { id } = await method({ zone_id, type: 'free_over', cost: 4.9, free_over: 50 }, own);
  expect((await place()).data).toMatchObject({ shipping: 4.9, total: 14.9, shipping_method: 'Post' });
  await own.commerce('PATCH', `/shipping-methods/${id}`, { free_over: 10 });
  expect((await place()).data).toMatchObject({ shipping: 0, total: 10, shipping_method: 'Post' });
});
