import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;

async function made(body: object): Promise<number> {
  const response = await shop.commerce('POST', '/products', { price: 1, ...body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data.id;
}

async function names(query: Record<string, string>): Promise<{ names: string[]; total: number }> {
  const { status, body } = await shop.commerce('GET', `/products?${new URLSearchParams(query)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return { names: body.data.map((product: { name: string }) => product.name), total: body.meta.pagination.total };
}

/** Best match first, created in this order, so that ranking reverses the order by age. */
const RANKED = ['By SKU', 'Kettle', 'Kettle, large', 'Small kettle', 'Teakettles', 'Lid'];

beforeAll(async () => {
  shop = await server.company();
  await made({ name: 'By SKU', sku: 'KETTLE', categories: ['kitchen'] });
  await made({ name: 'Kettle', categories: ['kitchen'] });
  await made({ name: 'Kettle, large' });
  await made({ name: 'Small kettle' });
  await made({ name: 'Teakettles' });
  await made({ name: 'Lid', description: 'Fits every kettle', categories: ['kitchen'] });
  await made({ name: 'Größe 9', description: 'schuh' });
});

test('by relevance, SKU comes before name, beginning, word, part and description', async () => {
  expect(await names({ search: 'kettle', sort: 'relevance' })).toEqual({ names: RANKED, total: 6 });
  expect(await names({ search: ' KÉTTLE ', sort: 'relevance' })).toEqual({ names: RANKED.slice(1), total: 5 });
});

test('pages of the ranking are parts of one order with an exact total, and the newest is first among equals', async () => {
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => names({ search: 'kettle', sort: 'relevance', per_page: '2', page: String(page) })),
  );
  expect(pages.map(({ total }) => total)).toEqual([6, 6, 6, 6]);
  expect(pages.flatMap((page) => page.names)).toEqual(RANKED);
  await made({ name: 'Bowl 1', description: 'porcelain' });
  await made({ name: 'Bowl 2', description: 'porcelain' });
  expect((await names({ search: 'bowl', sort: 'relevance' })).names).toEqual(['Bowl 2', 'Bowl 1']);
});

test('without relevance a search stays newest first, and other orders stand before the ranking', async () => {
  expect((await names({ search: 'kettle' })).names).toEqual(RANKED.toReversed());
  expect((await names({ search: 'kettle', sort: 'name_asc' })).names).toEqual(RANKED.toSorted());
  const all = await names({});
  expect(await names({ sort: 'relevance' })).toEqual(all);
});

test('the ranking holds with a category, with words of two letters, and for words in any order', async () => {
  expect((await names({ search: 'kettle', sort: 'relevance', category: 'kitchen' })).names).toEqual([
    'By SKU',
    'Kettle',
    'Lid',
  ]);
  expect((await names({ search: 'ke', sort: 'relevance' })).names.slice(0, 2)).toEqual(['Kettle, large', 'Kettle']);
  expect((await names({ search: 'large kettle', sort: 'relevance' })).names).toEqual(['Kettle, large']);
  expect((await names({ search: 'grosse', sort: 'relevance' })).names).toEqual(['Größe 9']);
});

test('a SKU is found whole, in any case, also one of two letters', async () => {
  await made({ name: 'Coded', sku: 'Q7' });
  for (const search of ['Q7', 'q7', ' Q7 ']) expect((await names({ search })).names).toEqual(['Coded']);
  expect((await names({ search: 'kettl', sort: 'relevance' })).names).not.toContain('By SKU');
});
