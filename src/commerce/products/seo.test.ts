import { beforeEach, expect, test } from 'vitest';
import { TestImports } from '../../imports/testing/imports.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer({ described: true });
let shop: TestCompany;

beforeEach(async () => {
  shop = await server.company();
});

const OWN = { seo_title: 'Mugs by hand', seo_description: 'Thrown and fired in Leith.' };
const NONE = { seo_title: null, seo_description: null };
const read = async (ref: string | number) => (await shop.commerce('GET', `/products/${ref}`)).body.data;

test('a product has texts for search results; PATCH clears them by null', async () => {
  const made = await shop.commerce('POST', '/products', { name: 'Mug', price: 5, ...OWN });
  expect(made.body.data).toMatchObject(OWN);
  expect((await shop.commerce('GET', '/products')).body.data[0]).toMatchObject(OWN);
  const cleared = await shop.commerce('PATCH', '/products/mug', NONE);
  expect(cleared.body.data).toMatchObject({ ...NONE, revision: 2 });
});

test.each([
  ['seo_title', 'x'.repeat(256), 'too_long'],
  ['seo_description', 'x'.repeat(1_001), 'too_long'],
  ['seo_title', ' ', 'too_short'],
])('%s is not %.3s…: %s', async (field, text, code) => {
  const { status, body } = await shop.commerce('POST', '/products', { name: 'Mug', price: 5, [field]: text });
  expect([status, body.error!.details!.fields]).toMatchObject([422, [{ field, code }]]);
});

test('belong to a product, not to its variants; they come and go with the variants', async () => {
  const { id } = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, ...OWN })).body.data;
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variant = [{ name: 'Size', value: 'S' }];
  const parent = (await shop.commerce('PUT', `/products/${id}/options`, { options, variant })).body.data;
  expect(await read(parent.id)).toMatchObject(OWN);
  expect(await read(id)).toMatchObject(NONE);
  const refused = await shop.commerce('PATCH', `/products/${id}`, { seo_title: 'S' });
  expect(refused.body.error!.details!.fields).toMatchObject([{ field: 'seo_title', code: 'of_parent' }]);
  expect((await shop.commerce('POST', `/products/${parent.id}/ungroup`)).status).toBe(200);
  expect(await read(id)).toMatchObject(OWN);
  const other = (await shop.commerce('POST', '/products', { name: 'Mug M', price: 5 })).body.data.id;
  const grouped = await shop.commerce('POST', '/products/group', {
    name: 'Mugs',
    options,
    variants: [id, other].map((product_id, i) => ({
      product_id,
      options: [{ name: 'Size', value: options[0]!.values[i] }],
    })),
  });
  expect(await read(grouped.body.data.id)).toMatchObject(OWN);
  await shop.commerce('POST', `/products/${grouped.body.data.id}/ungroup`);
  // Of two products, neither is the one that they describe.
  for (const one of [id, other]) expect(await read(one)).toMatchObject(NONE);
});

test.each([
  [
    'shopify-products',
    `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,SEO Title,SEO Description
mug,Mug,Title,Default Title,M,5,Mugs by hand,Thrown and fired in Leith.
tee,Tee,Size,S,T-S,9,Mugs by hand,Thrown and fired in Leith.
tee,,,M,T-M,9,,`,
  ],
  [
    'woocommerce-products',
    `ID,Type,SKU,Name,Parent,Regular price,Attribute 1 name,Attribute 1 value(s),Meta: _yoast_wpseo_title,Meta: _yoast_wpseo_metadesc
1,simple,M,Mug,,5,,,Mugs by hand,Thrown and fired in Leith.
2,variable,,Tee,,,Size,"S, M",Mugs by hand,Thrown and fired in Leith.
3,variation,T-S,Tee - S,id:2,9,Size,S,,
4,variation,T-M,Tee - M,id:2,9,Size,M,,
5,simple,P,Patterned,,5,,,%%title%% %%sep%% %%sitename%%,%%excerpt%%`,
  ],
  [
    'csv-products',
    `name,sku,slug,price,parent slug,option1_name,option1_value,seo_title,seo_description,has variants
Mug,M,mug,5,,,,Mugs by hand,Thrown and fired in Leith.,
Tee,,tee,,,,,Mugs by hand,Thrown and fired in Leith.,yes
Tee – S,T-S,,9,tee,Size,S,,,
Tee – M,T-M,,9,tee,Size,M,,,`,
  ],
])('come with an import as %s, and stay where a file has none', async (format, file) => {
  const imports = new TestImports(server, shop);
  expect(await imports.import(format, file)).toMatchObject({ refused: 0 });
  expect(await read('mug')).toMatchObject(OWN);
  const tee = await read('tee');
  expect(tee).toMatchObject(OWN);
  expect(await read(tee.variants[0].id)).toMatchObject(NONE);
  if (format.startsWith('woo')) expect(await read('patterned')).toMatchObject(NONE);
  expect(await imports.import(format, file)).toMatchObject({ created: 0, updated: 0 });
  await imports.import('csv-products', 'name,sku,price\nMug,M,6');
  expect(await read('mug')).toMatchObject({ ...OWN, price: 6 });
});
