import { expect, test } from 'vitest';
import { TestImports } from '../../imports/testing/imports.ts';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';

const server = testServer();

const reasonOf = ({ status, body }: TestResponse): unknown[] => [status, body.error?.details.reason];

async function nameOf(shop: TestCompany, slug: string): Promise<string> {
  return (await shop.commerce('GET', `/categories/${slug}`)).body.data.name;
}

test('a category is created, read, changed and deleted', async () => {
  const shop = await server.company();
  const { status, body } = await shop.commerce('POST', '/categories', { name: 'Summer Shoes', position: 2 });
  expect([status, body.data]).toEqual([
    201,
    {
      slug: 'summer-shoes',
      name: 'Summer Shoes',
      description: '',
      position: 2,
      product_count: 0,
      revision: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  server.clock.advance(1_000);
  const changed = await shop.commerce(
    'PATCH',
    '/categories/summer-shoes',
    { name: 'Sandals', description: 'Light' },
    { 'if-match': '"1"' },
  );
  expect(changed.body.data).toMatchObject({ slug: 'summer-shoes', name: 'Sandals', description: 'Light', revision: 2 });
  expect(changed.body.data.updated_at > changed.body.data.created_at).toBe(true);
  const stale = await shop.commerce('PATCH', '/categories/summer-shoes', { name: 'Boots' }, { 'if-match': '"1"' });
  expect(reasonOf(stale)).toEqual([422, 'revision_mismatch']);
  const deleted = await shop.commerce('DELETE', '/categories/summer-shoes');
  expect([deleted.status, deleted.body.data.name]).toEqual([200, 'Sandals']);
  expect((await shop.commerce('GET', '/categories/summer-shoes')).status).toBe(404);
});

test('a slug is taken once, whether it is given or made from the name', async () => {
  const shop = await server.company();
  await shop.commerce('POST', '/categories', { name: 'Tea' });
  const twice = await shop.commerce('POST', '/categories', { name: 'TEA' });
  expect(reasonOf(twice)).toEqual([422, 'duplicate']);
  expect(twice.body.error.details).toMatchObject({ field: 'name', slug: 'tea' });
  const given = await shop.commerce('POST', '/categories', { name: 'Leaves', slug: 'tea' });
  expect(given.body.error.details).toMatchObject({ reason: 'duplicate', field: 'slug' });
  const wrong = await shop.commerce('POST', '/categories', { name: 'Leaves', slug: 'Tea leaves' });
  expect(reasonOf(wrong)).toEqual([422, 'validation_failed']);
});

test('slugs of products create the categories that are missing, and leave the others alone', async () => {
  const shop = await server.company();
  await shop.commerce('POST', '/categories', { name: 'Green tea & matcha', slug: 'green-tea' });
  const product = { name: 'Sencha', price: 9, categories: ['green-tea', 'summer-shoes'] };
  const { id } = (await shop.commerce('POST', '/products', product)).body.data;
  await shop.commerce('PATCH', `/products/${id}`, { categories: ['green-tea', 'new-in'] });
  const { body } = await shop.commerce('GET', '/categories');
  expect(
    body.data.map(({ slug, name, product_count }: Record<string, unknown>) => [slug, name, product_count]),
  ).toEqual([
    ['green-tea', 'Green tea & matcha', 1],
    ['new-in', 'New in', 1],
    ['summer-shoes', 'Summer shoes', 0],
  ]);
  expect((await shop.commerce('GET', `/products/${id}`)).body.data.categories).toEqual(['green-tea', 'new-in']);
});

test('the list is by position, then by name, and is searched by name and slug', async () => {
  const shop = await server.company();
  for (const [name, slug, position] of [
    ['Cups', 'cups', 1],
    ['Apparel', 'clothes', 1],
    ['Zen', 'zen', 0],
  ]) {
    await shop.commerce('POST', '/categories', { name, slug, position });
  }
  const slugs = async (query: string) => {
    const { body } = await shop.commerce('GET', `/categories?${query}`);
    return [body.meta.pagination.total, body.data.map(({ slug }: { slug: string }) => slug)];
  };
  expect(await slugs('')).toEqual([3, ['zen', 'clothes', 'cups']]);
  expect(await slugs('per_page=1&page=2')).toEqual([3, ['clothes']]);
  expect(await slugs('search=APPA')).toEqual([1, ['clothes']]);
  expect(await slugs('search=cup')).toEqual([1, ['cups']]);
  expect(await slugs('search=%25')).toEqual([0, []]);
});

test('a category that a product or a promo code has is not deleted', async () => {
  const shop = await server.company();
  const product = (await shop.commerce('POST', '/products', { name: 'Cup', price: 4, categories: ['cups'] })).body.data;
  const ofProduct = await shop.commerce('DELETE', '/categories/cups');
  expect(ofProduct.body.error.details).toMatchObject({ reason: 'in_use', product_ids: [product.id] });
  await shop.commerce('PATCH', `/products/${product.id}`, { categories: [] });
  const promo = { code: 'CUPS', type: 'percent', value: 5, scope: 'categories', category_slugs: ['cups'] };
  const { id } = (await shop.commerce('POST', '/promo-codes', promo)).body.data;
  const ofPromoCode = await shop.commerce('DELETE', '/categories/cups');
  expect([ofPromoCode.status, ofPromoCode.body.error.details]).toMatchObject([
    422,
    { reason: 'in_use', product_ids: [], promo_code_ids: [id] },
  ]);
  await shop.commerce('DELETE', `/promo-codes/${id}`);
  expect((await shop.commerce('DELETE', '/categories/cups')).status).toBe(200);
});

test('products that join a category while it is deleted have it afterwards, or the deletion is refused', async () => {
  const shop = await server.company();
  for (let round = 0; round < 10; round++) {
    await shop.commerce('POST', '/categories', { name: 'Brief', slug: 'brief' });
    const [made, deleted] = await Promise.all([
      shop.commerce('POST', '/products', { name: `Joins ${round}`, price: 1, categories: ['brief'] }),
      shop.commerce('DELETE', '/categories/brief'),
    ]);
    expect(made.status).toBe(201);
    expect([200, 422]).toContain(deleted.status);
    expect((await shop.commerce('GET', '/categories/brief')).body.data.product_count).toBe(1);
    await shop.commerce('PATCH', `/products/${made.body.data.id}`, { categories: [] });
    await shop.commerce('DELETE', '/categories/brief');
  }
});

test('an import names the categories that have no name of their own', async () => {
  const shop = await server.company();
  await shop.commerce('POST', '/categories', { name: 'Reduced', slug: 'sale' });
  await shop.commerce('POST', '/products', { name: 'Belt', price: 9, categories: ['t-shirts'] });
  const rows = [
    'Type,SKU,Name,Published,Regular price,Categories',
    'simple,A1,Linen shirt,1,30,"Clothing > Shirts, SALE, T-Shirts"',
  ];
  await new TestImports(server, shop).import('woocommerce-products', rows.join('\n'));
  expect(await nameOf(shop, 'clothing')).toBe('Clothing');
  expect(await nameOf(shop, 'clothing-shirts')).toBe('Clothing > Shirts');
  expect(await nameOf(shop, 't-shirts')).toBe('T-Shirts');
  expect(await nameOf(shop, 'sale')).toBe('Reduced');
  // A row that is not written names none.
  await shop.commerce('POST', '/products', { name: 'Hat', price: 9, sku: 'H1', categories: ['summer-hats'] });
  const known = [rows[0]!, 'simple,H1,Hat,1,9,"Summer > Hats"'].join('\n');
  const done = await new TestImports(server, shop).import('woocommerce-products', known, { only_new: true });
  expect(done).toMatchObject({ created: 0, updated: 0 });
  expect(await nameOf(shop, 'summer-hats')).toBe('Summer hats');
});
