import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });

const MAIN = {
  id: expect.any(Number),
  name: 'Main location',
  main: true,
  online: true,
  active: true,
  position: 1,
  address: null,
  city: null,
  zip: null,
  state: null,
  country: null,
  created_at: expect.any(String),
};

const list = async (shop: TestCompany) => (await shop.commerce('GET', '/locations')).body.data;

test('a company starts with its main location, which is renamed and moved but always online and active', async () => {
  const shop = await server.company();
  const [main, ...others] = await list(shop);
  expect([main, others]).toEqual([MAIN, []]);
  const patch = { name: 'Warehouse', position: 3, city: 'Ghent', country: 'Belgium' };
  const changed = await shop.commerce('PATCH', `/locations/${main.id}`, patch);
  expect(changed.body.data).toEqual({ ...main, ...patch, country: 'BE' });
  expect((await shop.commerce('GET', `/locations/${main.id}`)).body.data).toEqual(changed.body.data);
  const refused = await shop.commerce('PATCH', `/locations/${main.id}`, { online: false, active: false });
  expect([refused.status, refused.body.error.details.fields]).toMatchObject([
    422,
    [
      { field: 'online', code: 'not_allowed' },
      { field: 'active', code: 'not_allowed' },
    ],
  ]);
});

test('a location is created last, online and without stock, and the list is by position', async () => {
  const shop = await server.company();
  const store = await shop.commerce('POST', '/locations', {
    name: 'Store',
    address: '1 Quay',
    city: 'Chicago',
    zip: '60601',
    state: 'Illinois',
    country: 'US',
  });
  expect([store.status, store.body.data]).toMatchObject([
    201,
    { name: 'Store', main: false, online: true, active: true, position: 2, state: 'IL', country: 'US' },
  ]);
  await shop.commerce('POST', '/locations', { name: 'Quarantine', online: false, position: 1 });
  expect((await list(shop)).map(({ name }: { name: string }) => name)).toEqual([
    'Main location',
    'Quarantine',
    'Store',
  ]);
  const unknown = await shop.commerce('POST', '/locations', { name: 'Nowhere', country: 'Atlantis' });
  expect(unknown.body.error.details.fields).toMatchObject([{ field: 'country', code: 'unknown' }]);
});

test('a location with stock is neither closed nor moved out of or into the online stock; an empty one is', async () => {
  const shop = await server.company();
  const { id } = (await shop.commerce('POST', '/locations', { name: 'Store' })).body.data;
  await server.rows('insert into stock_levels (company_id, product_id, location_id, available) values ($1, 1, $2, 1)', [
    shop.company_id,
    id,
  ]);
  for (const patch of [{ active: false }, { online: false }]) {
    const refused = await shop.commerce('PATCH', `/locations/${id}`, patch);
    expect([refused.status, refused.body.error.details]).toMatchObject([
      422,
      { reason: 'location_not_empty', location_id: id },
    ]);
  }
  expect((await shop.commerce('PATCH', `/locations/${id}`, { name: 'Shop' })).status).toBe(200);
  await server.rows('delete from stock_levels where company_id = $1', [shop.company_id]);
  const closed = await shop.commerce('PATCH', `/locations/${id}`, { active: false, online: false });
  expect(closed.body.data).toMatchObject({ active: false, online: false });
  expect((await shop.commerce('PATCH', `/locations/${id}`, { active: true })).body.data.active).toBe(true);
});

test('a shop has room for 100 locations, also when several are created at once, and each can be changed', async () => {
  const shop = await server.company();
  await server.rows(
    `insert into locations (company_id, name, online, position, created_at)
     select $1, 'Store ' || n, true, 10000, now() from generate_series(1, 96) n`,
    [shop.company_id],
  );
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => shop.commerce('POST', '/locations', { name: `Late ${n}` })),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
  const { id, position } = made.find(({ status }) => status === 201)!.body.data;
  expect((await shop.commerce('PATCH', `/locations/${id}`, { position })).status).toBe(200);
});

test('locations need scopes of their own', async () => {
  const reader = await server.company({ scopes: ['inventory:read'] });
  expect((await reader.commerce('GET', '/locations')).status).toBe(200);
  const refused = await reader.commerce('POST', '/locations', { name: 'Store' });
  expect([refused.status, refused.body.error.details.required]).toEqual([403, 'inventory:write']);
  const other = await server.company({ scopes: ['products:read', 'products:write'] });
  expect((await other.commerce('GET', '/locations')).status).toBe(403);
});
