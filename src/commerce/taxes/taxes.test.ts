import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
});

const LA = { name: 'Los Angeles', country: 'US', state: 'CA', zip_from: '90001', zip_to: '90089', rate: 0.095 };

async function create(fields: object = {}, company = shop) {
  const response = await company.commerce('POST', '/tax-rules', { ...LA, ...fields });
  expect(response.status).toBe(201);
  return response.body.data!;
}

test('a rule is created with its defaults, read, changed and deleted', async () => {
  const made = await create({ country: 'usa', state: ' CA ' });
  const moment = server.clock.now().toISOString();
  expect(made).toEqual({
    ...LA,
    id: expect.any(Number),
    priority: 1,
    compound: false,
    applies_to_shipping: false,
    tax_class: null,
    created_at: moment,
    updated_at: moment,
  });
  const path = `/tax-rules/${made.id}`;
  expect((await shop.commerce('GET', path)).body.data).toEqual(made);
  server.clock.advance(1_000);
  const change = {
    rate: 0.1,
    zip_to: null,
    tax_class: 'books',
    compound: true,
    priority: 3,
    applies_to_shipping: true,
  };
  const changed = await shop.commerce('PATCH', path, change);
  expect(changed.status).toBe(200);
  expect(changed.body.data).toEqual({ ...made, ...change, updated_at: server.clock.now().toISOString() });
  const deleted = await shop.commerce('DELETE', path);
  expect([deleted.status, deleted.body.data]).toEqual([200, changed.body.data]);
  expect((await shop.commerce('GET', path)).status).toBe(404);
  expect((await shop.commerce('DELETE', path)).status).toBe(404);
});

test('the state is stored as its code', async () => {
  const made = await create({ state: 'california' });
  expect(made).toMatchObject({ country: 'US', state: 'CA' });
  const moved = await shop.commerce('PATCH', `/tax-rules/${made.id}`, { country: 'Canada', state: 'Ontario' });
  expect(moved.body.data).toMatchObject({ country: 'CA', state: 'ON' });
  expect(await create({ country: 'HK', state: 'Kowloon' })).toMatchObject({ state: 'Kowloon' });
});

test('the list is paged, by priority', async () => {
  const own = await server.company();
  for (const priority of [3, 1, 2]) await create({ priority }, own);
  const first = (await own.commerce('GET', '/tax-rules?per_page=2')).body;
  expect(first.data).toMatchObject([{ priority: 1 }, { priority: 2 }]);
  expect(first.meta!.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
  expect((await own.commerce('GET', '/tax-rules?per_page=2&page=2')).body.data).toMatchObject([{ priority: 3 }]);
});

describe('422 names the failing fields', () => {
  test.each([
    [{ name: '', country: null, rate: undefined }, ['country wrong_type', 'name too_short', 'rate required']],
    [{ rate: 8.25 }, ['rate out_of_range']],
    [{ rate: -0.1 }, ['rate out_of_range']],
    [{ rate: 0.12345678, country: 'Atlantis' }, ['country unknown', 'rate too_many_decimals']],
    [{ zip_from: '90089', zip_to: '90001' }, ['zip_to out_of_range']],
    [{ state: 'Texsa' }, ['state unknown']],
    [{ country: 'Germany' }, ['state unknown']],
    [{ priority: 0, compound: 1 }, ['compound wrong_type', 'priority out_of_range']],
  ])('%j', async (fields, errors) => {
    const { status, body } = await shop.commerce('POST', '/tax-rules', { ...LA, ...fields });
    expect(status).toBe(422);
    const found = body.error!.details!.fields as unknown as { field: string; code: string }[];
    expect(found.map(({ field, code }) => `${field} ${code}`).sort()).toEqual(errors);
  });

  test('on change, together with the stored fields', async () => {
    const { id } = await create();
    const response = await shop.commerce('PATCH', `/tax-rules/${id}`, { zip_from: '90100' });
    expect(response).toMatchObject({ status: 422, body: { error: { details: { fields: [{ field: 'zip_to' }] } } } });
  });
});

test('a shop has room for five thousand rules', async () => {
  const own = await server.company();
  await server.rows(
    `insert into tax_rules (company_id, name, country, rate, created_at, updated_at)
     select $1, 'Rule ' || n, 'US', 0, now(), now() from generate_series(1, 4999) n`,
    [own.company_id],
  );
  await create({}, own);
  const refused = await own.commerce('POST', '/tax-rules', LA);
  expect(refused).toMatchObject({ status: 422, body: { error: { message: 'A shop has room for 5000 tax rules' } } });
});

test('scopes and companies are apart', async () => {
  const { id } = await create();
  const reader = await server.company({ scopes: ['settings:read'] });
  expect((await reader.commerce('GET', '/tax-rules')).status).toBe(200);
  expect((await reader.commerce('POST', '/tax-rules', LA)).status).toBe(403);
  const other = await server.company();
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    expect((await other.commerce(method, `/tax-rules/${id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
  }
  expect((await shop.commerce('GET', `/tax-rules/${id}`)).status).toBe(200);
});

test('an order placed after the response is taxed by the rule', async () => {
  const own = await server.company();
  const product = (await own.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 9 })).body.data!;
  const customer = (await own.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!;
  const place = async () =>
    (
      await own.commerce('POST', '/orders', {
        customer_id: customer.id,
        items: [{ product_id: product.id, qty: 1 }],
        shipping_country: 'US',
        shipping_address: '1 Main St',
        shipping_city: 'LA',
        shipping_state: 'CA',
        shipping_zip: '90010',
      })
    ).body.data;
  expect(await place()).toMatchObject({ tax: 0, total: 10 });
  const rule = await create({ rate: 0.0825 }, own);
  expect(await place()).toMatchObject({
    tax: 0.83,
    total: 10.83,
    tax_lines: [{ name: 'Los Angeles', rate: 0.0825, amount: 0.83 }],
  });
  await own.commerce('DELETE', `/tax-rules/${rule.id}`);
  expect(await place()).toMatchObject({ tax: 0, total: 10 });
});
