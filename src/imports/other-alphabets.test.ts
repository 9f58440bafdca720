import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const products = async () => (await shop.commerce('GET', '/products?per_page=100')).body.data;
const TEAS = ['煎茶', '玄米茶', '抹茶'];

describe('products whose names have no Latin letters', () => {
  test.each([
    ['csv-products', 'name,price,stock', (tea: string, i: number) => `${tea},${i + 5},4`],
    [
      'shopify-products',
      'Handle,Title,Variant Price,Variant Inventory Qty',
      (tea: string, i: number) => `${tea},${tea},${i + 5},4`,
    ],
    [
      'woocommerce-products',
      'Type,Name,Published,Stock,Regular price',
      (tea: string, i: number) => `simple,${tea},1,4,${i + 5}`,
    ],
  ])('are each imported once from %s, and unchanged the second time', async (format, header, row) => {
    const file = [header, ...TEAS.map(row)].join('\n');
    expect(await imports.import(format, file)).toMatchObject({ created: 3, refused: 0 });
    expect(await imports.import(format, file)).toMatchObject({ created: 0, unchanged: 3, refused: 0 });
    const made: { name: string; slug: string; price: number }[] = await products();
    expect(made.map(({ name, price }) => [name, price]).sort()).toEqual(TEAS.map((tea, i) => [tea, i + 5]).sort());
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(3);
  });

  test('are booked by orders on the product of their name, not on one whose name is transliterated alike', async () => {
    for (const name of [...TEAS, '检查']) await shop.commerce('POST', '/products', { name, price: 5, stock_qty: 3 });
    const rows = [...TEAS, '检查', '番茶'].map((tea, i) => `${i + 1},a@example.com,${tea},1,5,5`);
    const file = ['order number,email,item name,quantity,price,total', ...rows].join('\n');
    expect(await imports.import('csv-orders', file)).toMatchObject({ created: 5 });
    const orders: { items: { product_id: number; product_name: string }[] }[] = (await shop.commerce('GET', '/orders'))
      .body.data;
    const nameOf = async (id: number) => (await shop.commerce('GET', `/products/${id}`)).body.data.name;
    const booked = await Promise.all(
      orders.flatMap(({ items }) => items).map(async (item) => [item.product_name, await nameOf(item.product_id)]),
    );
    for (const [sold, name] of booked) expect(name).toBe(sold);
    expect(new Set(orders.flatMap(({ items }) => items.map((item) => item.product_id))).size).toBe(5);
  });
});

test('variants whose options differ in punctuation only are different products', async () => {
  const file = ['Handle,Title,Option1 Value,Variant Price', 'tee,Tee,S,5', 'tee,,S+,6'].join('\n');
  expect(await imports.import('shopify-products', file)).toMatchObject({ created: 2, refused: 0 });
  expect(await imports.import('shopify-products', file)).toMatchObject({ unchanged: 2 });
});

test('a product is not matched by a slug that was made from its name', async () => {
  await shop.commerce('POST', '/products', { name: '检查', price: 9 });
  expect(await imports.import('csv-products', 'name,slug,price\n煎茶,煎茶,5')).toMatchObject({
    created: 1,
    updated: 0,
  });
  expect(await products()).toHaveLength(2);
});

test('an item of an order without a SKU is booked on the product of its name, whatever the dash before its variant', async () => {
  await shop.commerce('POST', '/products', { name: 'Linen shirt – S / White', sku: 'LS', price: 5 });
  const file = 'order number,email,item name,price,total\n1,a@example.com,Linen shirt - S / White,5,5';
  await imports.import('csv-orders', file);
  expect(await products()).toHaveLength(1);
  expect((await shop.commerce('GET', '/products?archived=true')).body.data).toEqual([]);
});

describe('categories', () => {
  const categoriesOf = async (cell: string): Promise<string[]> => {
    const { company_id } = shop;
    const file = `Type,SKU,Name,Published,Regular price,Categories\nsimple,S-${cell.length},N,1,5,"${cell}"`;
    await imports.import('woocommerce-products', file);
    const [row] = await server.rows<{ categories: string[] }>(
      'select categories from products where company_id = $1 order by id desc limit 1',
      [company_id],
    );
    return row!.categories;
  };

  test.each([
    ['Женская, Мужская', ['zhenskaya', 'muzhskaya']],
    [
      'Clothing > Women > Shoes, Clothing > Men > Shoes',
      ['clothing', 'clothing-women', 'clothing-women-shoes', 'clothing-men', 'clothing-men-shoes'],
    ],
    ['Bags\\, Cases, Sale', ['bags-cases', 'sale']],
  ])('of %s are %j', async (cell, slugs) => {
    expect(await categoriesOf(cell)).toEqual(slugs);
  });

  test('that are transliterated alike, that have no letters or that are long stay apart', async () => {
    const long = 'x'.repeat(120);
    const slugs = await categoriesOf(`煎茶, 检查, ★, ♥, ${long}a, ${long}b`);
    expect(new Set(slugs).size).toBe(6);
    for (const slug of slugs) {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(slug.length).toBeLessThanOrEqual(100);
    }
  });
});

test('the index of names finds a product among many', async () => {
  const { company_id } = shop;
  await server.rows(
    `insert into products (company_id, name, slug, price, search, in_stock, created_at, updated_at)
     select $1, 'Tea ' || n, 'tea-' || n, 100, 'tea ' || n || ' good', false, now(), now() from generate_series(1, 300) n`,
    [company_id],
  );
  await server.rows('insert into product_stock select company_id, id, 0 from products where company_id = $1', [
    company_id,
  ]);
  expect(await imports.import('csv-products', 'name,price\nTea 7,1.00\nTea,2.00')).toMatchObject({
    unchanged: 1,
    created: 1,
  });
});

test('columns whose headers differ in marks or punctuation only become properties of their own', async () => {
  const file = 'Email Address,कीमत,कमत,Size?,Size!\na@example.com,1,2,3,4';
  await imports.import('mailchimp', file, { email_consent: 'never' });
  const [{ properties }] = (await shop.marketing('GET', '/contacts')).body.contacts;
  expect(Object.values(properties).sort()).toEqual(['1', '2', '3', '4']);
});

test('tags in quotes keep their commas', async () => {
  const file = 'Email Address,TAGS\na@example.com,"""Summer, 2024"",""VIP"""\nb@example.com,"one, two;three"';
  await imports.import('mailchimp', file, { email_consent: 'never' });
  const { contacts } = (await shop.marketing('GET', '/contacts')).body;
  expect(contacts.map(({ tags }: { tags: string[] }) => tags)).toEqual([
    ['one', 'two', 'three'],
    ['Summer, 2024', 'VIP'],
  ]);
});
