import { beforeAll, expect, expectTypeOf, it } from 'vitest';
import { clientFiles } from '../release/client.ts';
import { storeEndpoints } from '../src/endpoints.ts';
import { testStore } from '../src/store/testing-store.ts';
import { testServer } from '../src/testing/harness.ts';
import { ApiError, createStore, type StoreSchemas } from './src/client.ts';

const server = testServer();
let store: ReturnType<typeof createStore>;

beforeAll(async () => {
  const shop = await server.company();
  const { key } = await testStore(server, shop.company_id);
  store = createStore({ key, url: server.origin });
  for (const name of ['Red mug', 'Blue mug', 'Green mug']) {
    await shop.commerce('POST', '/products', { name, price: 5, stock_qty: 3, cost: 1 });
  }
});

it('has a type for every endpoint of the store interface', () => {
  const types = clientFiles()['store.ts']!;
  const missing = storeEndpoints.filter(({ method, path }) => !types.includes(`\n  '${method} ${path}': {`));
  expect(missing).toEqual([]);
});

it('reads the catalogue with a public key', async () => {
  const product = await store.get('/products/{id}', { path: { id: 'red-mug' } });
  expectTypeOf(product).toEqualTypeOf<StoreSchemas['Product']>();
  expectTypeOf<StoreSchemas['Product']>().not.toHaveProperty('cost');
  expect(product).toMatchObject({ name: 'Red mug', in_stock: true, few_left: 3 });
  const names: string[] = [];
  for await (const { name } of store.list('/products', { query: { sort: 'name_asc', per_page: 2 } })) names.push(name);
  expect(names).toEqual(['Blue mug', 'Green mug', 'Red mug']);
  const { status, headers } = await store.request('GET', '/suggest', { query: { q: 'mug' } });
  expect([status, headers.get('etag')]).toEqual([200, expect.stringContaining('W/')]);
});

it('says why it is refused', async () => {
  const other = createStore({ key: 'tl_pub_x', url: server.origin, retries: 0 });
  const failure = await other.get('/shop').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 401, code: 'invalid_key' });
  const page = createStore({ key: 'tl_pub_x', url: server.origin, headers: { 'X-Store-Key': '' }, retries: 0 });
  await expect(page.get('/shop')).rejects.toMatchObject({ code: 'missing_key' });
  expect(() => createStore({ key: 'tl_pub_x', url: 'shop' })).toThrow('url is "shop"');
});
