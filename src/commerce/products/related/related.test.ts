import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let other: TestCompany;
/** Ids by name. */
const ids: Record<string, number> = {};

const make = async (name: string, more: object = {}): Promise<void> => {
  const body = { name, price: 2, stock_qty: 5, ...more };
  ids[name] = (await shop.commerce('POST', '/products', body)).body.data.id;
};
const namesOf = (response: TestResponse): string[] => response.body.data.map((one: { name: string }) => one.name);
const related = async (name: string, query = ''): Promise<string[]> =>
  namesOf(await shop.commerce('GET', `/products/${ids[name]}/related${query}`));

beforeAll(async () => {
  shop = await server.company();
  other = await server.company();
  for (const name of ['Assam', 'Darjeeling', 'Sencha', 'Oolong']) await make(name, { categories: ['tea'] });
  await make('Pot', { categories: ['mugs', 'tea'] });
  await make('Cup');
  await make('Sold out', { stock_qty: 0, categories: ['tea'] });
  await make('Old', { archived: true, categories: ['tea'] });
  await shop.commerce('PATCH', `/products/${ids.Old}`, { archived: true });
  await server.rows(
    `insert into products_together (company_id, product_id, other_id, orders)
     select $1, $2, id, n from unnest($3::bigint[]) with ordinality as beside (id, n)`,
    [shop.company_id, ids.Assam, [ids.Oolong, ids.Cup, ids['Sold out'], ids.Old]],
  );
  await server.rows(
    `insert into best_sellers (company_id, category, place, product_id, pass)
     select $1, 'tea', n, id, 1 from unnest($2::bigint[]) with ordinality as sold (id, n)`,
    [shop.company_id, [ids.Assam, ids['Sold out'], ids.Sencha, ids.Oolong, ids.Darjeeling, ids.Old]],
  );
});

describe('GET /products/{id}/related', () => {
  test('products bought together come first, then best sellers of the categories; each once, only products for sale', async () => {
    expect(await related('Assam')).toEqual(['Cup', 'Oolong', 'Sencha', 'Darjeeling']);
    expect(await related('Pot')).toEqual(['Assam', 'Sencha', 'Oolong', 'Darjeeling']);
    expect(await related('Cup')).toEqual([]);
  });

  test('by id or slug, at most as many as are asked for, as lists show products', async () => {
    expect(await related('Assam', '?limit=3')).toEqual(['Cup', 'Oolong', 'Sencha']);
    const found = await shop.commerce('GET', '/products/assam/related?limit=1');
    expect(found.body.data).toEqual([(await shop.commerce('GET', `/products/${ids.Cup}`)).body.data]);
    expect(found.body.meta.pagination).toEqual({ page: 1, per_page: 25, total: 1, total_pages: 1 });
    expect(await related('Assam', '?per_page=3&page=2')).toEqual(['Darjeeling']);
    for (const limit of ['0', '25', 'x'])
      expect((await shop.commerce('GET', `/products/assam/related?limit=${limit}`)).status).toBe(400);
  });

  test('also for an archived product; 404 for an unknown product or one of another company', async () => {
    expect(await related('Old', '?limit=1')).toEqual(['Assam']);
    expect((await shop.commerce('GET', '/products/999999/related')).status).toBe(404);
    expect((await other.commerce('GET', `/products/${ids.Assam}/related`)).status).toBe(404);
  });
});
