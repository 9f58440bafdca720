import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});
afterEach(async () => {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
});

const product = async (ref: string | number): Promise<TestBody> =>
  (await shop.commerce('GET', `/products/${ref}`)).body.data;
const parents = async (): Promise<[string, string, number][]> => {
  const { data } = (await shop.commerce('GET', '/products?per_page=100')).body;
  return data.map(({ name, slug, variant_count }: TestBody) => [name, slug, variant_count]).sort();
};
const WOO = 'ID,Type,SKU,Name,Published,Stock,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)';
const woo = (...rows: string[]): string => [WOO, ...rows].join('\n');
const SHOPIFY = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price';
const shopify = (...rows: string[]): string => [SHOPIFY, ...rows].join('\n');

test('products whose names give the same slug stay two, also the second time and in another order', async () => {
  const cups = ['1,variable,,Cup,1,,,,Size,S', '2,variation,C-1,,1,,5,id:1,Size,S'];
  const others = ['3,variable,,cup,1,,,,Size,S', '4,variation,C-2,,1,,6,id:3,Size,S'];
  expect(await imports.import('woocommerce-products', woo(...cups, ...others))).toMatchObject({ created: 2 });
  const both = await parents();
  expect(both).toEqual([
    ['Cup', 'cup', 1],
    ['cup', 'cup-2', 1],
  ]);
  expect(await imports.import('woocommerce-products', woo(...cups, ...others))).toMatchObject({ unchanged: 2 });
  expect(await imports.import('woocommerce-products', woo(...others, ...cups))).toMatchObject({ unchanged: 2 });
  expect(await imports.import('woocommerce-products', woo(...others))).toMatchObject({ unchanged: 1 });
  expect(await parents()).toEqual(both);
});

test('a product without SKUs does not join one of another file that has its slug, but not its name', async () => {
  const file = (name: string, value: string) =>
    woo(`1,variable,,${name},1,,,,Size,"S, M"`, `2,variation,,,1,,5,id:1,Size,${value}`);
  await imports.import('woocommerce-products', file('Cup', 'S'));
  expect(await imports.import('woocommerce-products', file('cup', 'M'))).toMatchObject({ created: 1 });
  expect(await imports.import('woocommerce-products', file('cup', 'M'))).toMatchObject({ unchanged: 1 });
  expect(await parents()).toEqual([
    ['Cup', 'cup', 1],
    ['cup', 'cup-2', 1],
  ]);
});

test.each(['煎茶', 't_shirt'])(
  'handles such as %s, which are no slugs, keep products with one title apart',
  async (handle) => {
    const rows = [1, 2].flatMap((n) => [`${handle}_${n},Tea,Size,S,,5`, `${handle}_${n},,,M,,5`]);
    expect(await imports.import('shopify-products', shopify(...rows))).toMatchObject({ created: 4, refused: 0 });
    expect((await parents()).map(([, , variants]) => variants)).toEqual([2, 2]);
    expect(await imports.import('shopify-products', shopify(...rows))).toMatchObject({ unchanged: 4 });
  },
);

test.each([
  ['slugs', 'anna', 'bert'],
  ['no slugs', 'anna_1', 'bert_1'],
])('a product with the SKU of another one of the file stays a product of its own (handles are %s)', async (_, a, b) => {
  const anna = [`${a},Anna,Size,S,X,5`, `${a},,,M,X2,5`];
  const bert = [`${b},Bert,Size,S,X,5`, `${b},,,L,Y,5`];
  await imports.import('shopify-products', shopify(...anna));
  const done = await imports.import('shopify-products', shopify(...bert, ...anna));
  expect(done).toMatchObject({ created: 1, updated: 0, unchanged: 2, refused: 1 });
  expect(done.notices).toEqual([{ code: 'sku_repeated', column: null, count: 1 }]);
  const found = (await imports.findings(done.id)).map(({ row, reason }) => [row, reason]);
  expect(found).toContainEqual([2, 'belongs to a variant of another product']);
  expect(found).toContainEqual([4, 'the SKU of row 4 is left out: row 2 has it, too']);
  const skus = async () =>
    Object.fromEntries(
      await Promise.all(
        (await parents()).map(async ([name, slug]) => [
          name,
          (await product(slug)).variants.map(({ sku }: TestBody) => sku),
        ]),
      ),
    );
  expect(await skus()).toEqual({ Anna: ['X', 'X2'], Bert: ['Y'] });
  // Of the rows with one SKU, the first keeps it: the second is a variant without.
  const again = await imports.import('shopify-products', shopify(...anna, ...bert));
  expect(again).toMatchObject({ created: 1, updated: 0, unchanged: 3, refused: 0 });
  expect(await skus()).toEqual({ Anna: ['X', 'X2'], Bert: ['Y', null] });
});

test('a renamed product is found by a SKU that all its variants have, unless the file has the product, too', async () => {
  const rows = (handle: string, title: string) => [`${handle},${title},Size,S,X,5`, `${handle},,,M,X,5`];
  await imports.import('shopify-products', shopify(...rows('tee', 'Tee')));
  const renamed = await imports.import('shopify-products', shopify(...rows('shirt', 'Shirt')));
  expect(renamed).toMatchObject({ created: 0, refused: 0 });
  expect(await parents()).toEqual([['Shirt', 'tee', 2]]);
  const both = await imports.import('shopify-products', shopify('cap,Cap,Size,S,X,5', ...rows('tee', 'Tee')));
  expect(both).toMatchObject({ created: 0, refused: 1 });
  expect(await parents()).toEqual([['Tee', 'tee', 2]]);
});

test.each([
  [
    'rows that follow each other',
    'shopify-products',
    shopify('tee,Tee,Size,S,X,5', 'tee,,,M,X,5'),
    shopify('shirt,Shirt,Size,S,X,5', 'shirt,,,M,X,5', 'shirt,,,L,Y,5'),
  ],
  [
    'rows that refer to it',
    'woocommerce-products',
    woo('1,variable,,Tee,1,,,,Size,', '2,variation,X,,1,,5,id:1,Size,S', '3,variation,X,,1,,5,id:1,Size,M'),
    woo(
      '1,variable,,Shirt,1,,,,Size,',
      '2,variation,X,,1,,5,id:1,Size,S',
      '3,variation,X,,1,,5,id:1,Size,M',
      '4,variation,Y,,1,,5,id:1,Size,L',
    ),
  ],
])(
  'a SKU that only variants of one product have finds a renamed product, beside new SKUs (%s)',
  async (_, format, tee, shirt) => {
    await imports.import(format, tee);
    const renamed = await imports.import(format, shirt);
    expect(renamed).toMatchObject({ created: 1, updated: 1, unchanged: 1, refused: 0 });
    expect(await parents()).toEqual([['Shirt', 'tee', 3]]);
  },
);

test('a SKU that a product without variants has, too, does not find the parent of a product with other SKUs', async () => {
  await imports.import('shopify-products', shopify('tee,Tee,Size,S,X,5'));
  const cap = ['1,variable,,Cap,1,,,,Size,', '2,variation,X,,1,,5,id:1,Size,S', '3,variation,Y,,1,,5,id:1,Size,L'];
  const done = await imports.import('woocommerce-products', woo(...cap, '4,simple,X,Mug,1,,5,,,'));
  expect(done).toMatchObject({ created: 2, updated: 0, refused: 1 });
  expect(await parents()).toEqual([
    ['Cap', 'cap', 1],
    ['Mug', 'mug', 0],
    ['Tee', 'tee', 1],
  ]);
});

test('an undo leaves a changed parent whole whose variants were in several batches', async () => {
  const rows = Array.from({ length: 1_200 }, (_, i) => `tee,Tee,S-${i},5,Size,${i % 100},Cut,${Math.floor(i / 100)}`);
  const header = 'parent_slug,name,sku,price,option1_name,option1_value,option2_name,option2_value';
  const done = await imports.import('csv-products', [header, ...rows].join('\n'));
  server.clock.advance(60_000);
  await shop.commerce('PATCH', '/products/tee', { description: 'Mine' });
  expect(await imports.undo(done.id)).toMatchObject({ undone: 0, kept: 1_201 });
  expect(await product('tee')).toMatchObject({ variant_count: 1_200, description: 'Mine' });
});

test('collections by rules follow a parent that the file changes, though its variants stay as they are', async () => {
  const rows = ['tee,Tee,Size,S,T-S,5', 'tee,,,M,T-M,5'];
  await imports.import('shopify-products', shopify(...rows));
  const rules = { rules: [{ field: 'name', comparison: 'contains', value: 'Better' }] };
  expect((await shop.commerce('POST', '/collections', { name: 'Better', kind: 'rules', rules })).status).toBe(201);
  await imports.import('shopify-products', shopify('tee,Better tee,Size,S,T-S,5', rows[1]!));
  expect((await shop.commerce('GET', '/products?collection=better')).body.data).toMatchObject([{ slug: 'tee' }]);
});

test('a title as long as a name may be is cut in the names of its variants', async () => {
  const title = 'x'.repeat(250);
  const done = await imports.import(
    'shopify-products',
    shopify(`long,${title},Size,Medium,L-M,5`, 'long,,,Large,L-L,5'),
  );
  expect(done).toMatchObject({ created: 2, refused: 0 });
  expect((await product('long')).variants[0].name).toBe(`${title} – Me`);
});

test('values with a comma lose the backslash of WooCommerce, and a refused variation leaves the shared stock to the next', async () => {
  const file = woo(
    '1,variable,,Sofa,1,9,,,Size,"1\\,5 m, 2 m"',
    `2,variation,S-0,,1,parent,5,id:1,Size,${'x'.repeat(61)}`,
    '3,variation,S-1,,1,parent,much,id:1,Size,2 m',
    '4,variation,S-2,,1,parent,5,id:1,Size,"1\\,5 m"',
    '5,variation,S-3,,1,parent,5,id:1,Size,2 m',
  );
  const done = await imports.import('woocommerce-products', file);
  expect(done).toMatchObject({ created: 2, refused: 2 });
  expect((await product('sofa')).variants).toMatchObject([
    { title: '1,5 m', stock_qty: 9 },
    { title: '2 m', stock_qty: 0 },
  ]);
  expect((await imports.findings(done.id)).filter(({ reason }) => reason.startsWith('has the stock'))).toHaveLength(1);
});

test('categories of Medusa are read by their names, all of them, and ids are left out', async () => {
  const file = [
    'Product Id,Product Handle,Product Title,Product Type,Variant SKU,Variant Price USD,Product Category 1,Product Category 2',
    'prod_1,cup,Cup,Cups,C,5,pcat_01JV3Q,pcat_01JV3R',
    'prod_2,mug,Mug,Cups,M,5,Mugs,Kitchen',
  ].join('\n');
  const done = await imports.import('medusa-products', file);
  expect((await product('cup')).categories).toEqual(['cups']);
  expect((await product('mug')).categories.sort()).toEqual(['kitchen', 'mugs']);
  expect(done.notices).toEqual(
    expect.arrayContaining([
      { code: 'column_not_kept', column: 'Product Category 1', count: 1 },
      { code: 'column_not_kept', column: 'Product Category 2', count: 1 },
    ]),
  );
});

test('a parent is changed by the first of its variants that is accepted, and by none if all are refused', async () => {
  await imports.import('shopify-products', shopify('tee,Tee,Size,S,T-S,5', 'tee,,,M,T-M,5'));
  const refused = 'tee,Better tee,Colour,Red,T-R,5';
  expect(await imports.import('shopify-products', shopify(refused))).toMatchObject({ refused: 1 });
  expect((await product('tee')).name).toBe('Tee');
  await imports.import('shopify-products', shopify('cap,Cap,Size,S,C-S,5'));
  const file =
    'parent_slug,name,sku,price,option1_name,option1_value\ntee,Best tee,C-S,5,Size,L\ntee,Best tee,T-S,5,Size,S\n';
  expect(await imports.import('csv-products', file)).toMatchObject({ updated: 1, refused: 1 });
  expect((await product('tee')).name).toBe('Best tee');
});
