import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
const listed = async (query = ''): Promise<TestBody[]> =>
  (await shop.commerce('GET', `/products?per_page=100${query}`)).body.data;
const reasons = async (id: number, phase?: 'check' | 'undo') =>
  (await imports.findings(id, phase)).map(({ row, reason }) => [row, reason]);
const exported = async (query = '&include=variants'): Promise<string> => {
  const list = `${server.origin}/commerce/v1/products?format=csv${query}`;
  return (await fetch(list, { headers: { 'x-api-key': shop.key } })).text();
};

const SHOPIFY =
  'Handle,Title,Body (HTML),Vendor,Type,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,Image Src,Variant Image,Status';
const TEE = [
  'tee,Tee,<p>Soft</p>,Weavers,Shirts,Size,S,Colour,Red,T-S,10.00,shopify,3,https://cdn.example.com/1.jpg,,active',
  'tee,,,,,,M,,Red,T-M,11.00,shopify,4,https://cdn.example.com/2.jpg,https://cdn.example.com/2.jpg,',
  'tee,,,,,,L,,Blue,,12.00,shopify,0,,,',
];
const shopify = (...rows: string[]): string => `${[SHOPIFY, ...rows].join('\n')}\n`;

describe('rows of one Shopify handle', () => {
  test('become a parent with variants, and change nothing the second time', async () => {
    const file = shopify(...TEE, 'mug,Mug,,,,Title,Default Title,,,MUG,5.00,shopify,1,,,active');
    expect(await imports.import('shopify-products', file)).toMatchObject({ created: 4, updated: 0, refused: 0 });
    expect((await listed()).map(({ slug }) => slug).sort()).toEqual(['mug', 'tee']);
    const tee = await product('tee');
    expect(tee).toMatchObject({
      name: 'Tee',
      description: '<p>Soft</p>',
      categories: ['shirts'],
      price: 10,
      price_max: 12,
      stock_qty: 7,
      variant_count: 3,
      options: [
        { name: 'Size', values: ['S', 'M', 'L'] },
        { name: 'Colour', values: ['Red', 'Blue'] },
      ],
    });
    expect(tee.variants.map(({ title, sku, slug, position }: TestBody) => [title, sku, slug, position])).toEqual([
      ['S / Red', 'T-S', 'tee-s-red', 1],
      ['M / Red', 'T-M', 'tee-m-red', 2],
      ['L / Blue', null, 'tee-l-blue', 3],
    ]);
    expect(tee.variants[1].images.map(({ url }: TestBody) => url)).toEqual(['https://cdn.example.com/2.jpg']);
    expect(await imports.import('shopify-products', file)).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
    expect(await product('tee')).toEqual(tee);
  });

  test('their parent takes the place of a listed product that becomes a variant, in collections, too', async () => {
    await imports.import('shopify-products', shopify(TEE[0]!, TEE[1]!));
    const tee = await product('tee');
    const made = async (body: object) => (await shop.commerce('POST', '/products', { price: 1, ...body })).body.data.id;
    const [first, large, last] = [
      await made({ name: 'A' }),
      await made({ name: 'L', sku: 'T-L' }),
      await made({ name: 'B' }),
    ];
    await shop.commerce('POST', '/collections', { name: 'Picks', kind: 'manual' });
    await shop.commerce('POST', '/collections', { name: 'Ones', kind: 'manual' });
    const list = (slug: string, product_ids: number[]) =>
      shop.commerce('PUT', `/collections/${slug}/products`, { product_ids });
    await list('picks', [first, large, tee.id, last]);
    await list('ones', [large, first]);
    const rules = { rules: [{ field: 'option.Size', comparison: 'equals', value: 'L' }] };
    await shop.commerce('POST', '/collections', { name: 'Large', kind: 'rules', rules });
    const members = async (slug: string) => (await listed(`&collection=${slug}`)).map(({ id }) => id);
    const file = shopify(...TEE.slice(0, 2), TEE[2]!.replace(',,12.00', ',T-L,12.00'));
    const { id } = await imports.import('shopify-products', file);
    expect((await product(large)).variant_of).toBe(tee.id);
    expect(await members('picks')).toEqual([first, tee.id, last]);
    expect(await members('ones')).toEqual([tee.id, first]);
    expect(await members('large')).toEqual([tee.id]);
    await imports.undo(id);
    expect((await product(large)).variant_of).toBeNull();
    expect(await members('large')).toEqual([]);
  });

  test('can stay separate, and are grouped later under one parent with their ids, stock and history', async () => {
    expect(await imports.import('shopify-products', shopify(...TEE), { variants: 'separate' })).toMatchObject({
      created: 3,
    });
    const before = await listed();
    expect(before.map(({ name }) => name).sort()).toEqual(['Tee – L / Blue', 'Tee – M / Red', 'Tee – S / Red']);
    const done = await imports.import('shopify-products', shopify(...TEE));
    expect(done).toMatchObject({ created: 0, updated: 3, refused: 0 });
    const tee = await product('tee');
    expect(tee.variants.map(({ id }: TestBody) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    expect(await imports.import('shopify-products', shopify(...TEE))).toMatchObject({ unchanged: 3 });
    expect(await imports.undo(done.id)).toMatchObject({ status: 'undone', undone: 3, kept: 0 });
    const after = await listed();
    const shared = (rows: TestBody[]) =>
      rows.map(({ updated_at: _u, revision: _r, ...row }) => row).sort((a, b) => a.id - b.id);
    expect(shared(after)).toEqual(shared(before));
  });

  test('take a simple product with the SKU of a variant and the slug of the parent', async () => {
    const made = (await shop.commerce('POST', '/products', { name: 'Tee', sku: 'T-M', price: 9, stock_qty: 8 })).body
      .data;
    const customer = (await shop.commerce('POST', '/customers', { email: 'buyer@example.com' })).body.data.id;
    const address = { shipping_address: '1 Main', shipping_city: 'X', shipping_zip: '1' };
    const items = [{ product_id: made.id, qty: 2 }];
    await shop.commerce('POST', '/orders', { customer_id: customer, items, ...address });
    const done = await imports.import('shopify-products', shopify(...TEE));
    expect(done).toMatchObject({ created: 2, updated: 1 });
    const tee = await product('tee');
    expect(tee).toMatchObject({ variant_count: 3, stock_qty: 7 });
    expect(await product(made.id)).toMatchObject({
      slug: 'tee-m-red',
      title: 'M / Red',
      variant_of: tee.id,
      price: 11,
    });
    const movements = (await shop.commerce('GET', `/products/${made.id}/stock-movements`)).body.data;
    expect(movements.map(({ delta }: TestBody) => delta)).toEqual([-2, -2, 8]);
    expect(await imports.undo(done.id)).toMatchObject({ undone: 3, kept: 0 });
    expect(await product('tee')).toMatchObject({ id: made.id, name: 'Tee', variant_of: null, price: 9, stock_qty: 6 });
    expect(await listed()).toHaveLength(1);
  });

  test('change a parent and its variants, and only what the file has', async () => {
    await imports.import('shopify-products', shopify(...TEE));
    const changed = shopify(
      TEE[0]!.replace('Tee', 'Better tee').replace('10.00', '10.50'),
      ...TEE.slice(1),
      'tee,,,,,,XL,,Red,T-XL,13.00,shopify,1,,,',
    );
    const done = await imports.import('shopify-products', changed);
    expect(done).toMatchObject({ created: 1, updated: 1, unchanged: 2 });
    expect(await product('tee')).toMatchObject({ name: 'Better tee', price: 10.5, variant_count: 4, price_max: 13 });
    expect(await product('tee-m-red')).toMatchObject({ name: 'Better tee – M / Red' });
    expect(await imports.undo(done.id)).toMatchObject({ status: 'undone', kept: 0 });
    expect(await product('tee')).toMatchObject({
      name: 'Tee',
      price: 10,
      variant_count: 3,
      options: [{ values: ['S', 'M', 'L'] }, { values: ['Red', 'Blue'] }],
    });
  });

  test('give a variant another value of an option, which an undo takes back', async () => {
    await imports.import('shopify-products', shopify(...TEE));
    const done = await imports.import('shopify-products', shopify(TEE[0]!.replace(',Red,', ',Ruby,'), ...TEE.slice(1)));
    expect(done).toMatchObject({ updated: 1, unchanged: 2 });
    const [small] = (await product('tee')).variants;
    expect(small).toMatchObject({ name: 'Tee – S / Ruby', title: 'S / Ruby', slug: 'tee-s-red' });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 1, kept: 0 });
    expect((await product('tee')).variants[0]).toMatchObject({ name: 'Tee – S / Red' });
  });

  test('leave existing records alone if they are asked to', async () => {
    await shop.commerce('POST', '/products', { name: 'Old', sku: 'T-M', price: 9 });
    const done = await imports.import('shopify-products', shopify(...TEE), { only_new: true });
    expect(done).toMatchObject({ created: 2, unchanged: 1 });
    expect(await product('old')).toMatchObject({ variant_of: null, price: 9 });
    expect(await product('tee')).toMatchObject({ variant_count: 2 });
  });

  test('are removed by an undo, unless they were changed or used since', async () => {
    const done = await imports.import('shopify-products', shopify(...TEE));
    server.clock.advance(60_000);
    await shop.commerce('PATCH', '/products/tee-s-red', { price: 20 });
    expect(await imports.undo(done.id)).toMatchObject({ status: 'undone', undone: 2, kept: 1 });
    expect(await listed()).toMatchObject([{ name: 'Tee – S / Red', variant_of: null, price: 20, sku: 'T-S' }]);
    const again = await imports.import('shopify-products', shopify(...TEE));
    expect(again).toMatchObject({ created: 2, updated: 1 });
    server.clock.advance(60_000);
    await shop.commerce('PATCH', '/products/tee', { description: 'Mine' });
    expect(await imports.undo(again.id)).toMatchObject({ undone: 0, kept: 4 });
    expect(await product('tee')).toMatchObject({ description: 'Mine', variant_count: 3 });
  });

  test('keep a parent to which somebody has added a variant since', async () => {
    const done = await imports.import('shopify-products', shopify(...TEE));
    const options = [
      { name: 'Size', value: 'S' },
      { name: 'Colour', value: 'Green' },
    ];
    await shop.commerce('POST', '/products/tee/variants', { variants: [{ options, price: 9 }] });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 3, kept: 0 });
    expect(await product('tee')).toMatchObject({ variant_count: 1, price: 9 });
  });
});

describe('dirty files', () => {
  test('repeated SKUs, missing option names, HTML, padded cells and thousands separators', async () => {
    const rows = [
      'sofa, Sofa ,<p onclick=""x()"">Big</p>,,,,"  Grey ",,,S-1," 1,299.00 ",shopify,3,,,active',
      'sofa,,,,,,"Light\u00a0 blue",,,S-1,"1,499.00",shopify,0,,,',
      'chair,Chair,,,,Size,,,,C-1,5,shopify,1,,,active',
    ].map((row) => row.replace('<p onclick=""x()"">Big</p>', '"<p onclick=""x()"">Big</p>"'));
    const done = await imports.import('shopify-products', shopify(...rows));
    expect(done).toMatchObject({ created: 3, refused: 0 });
    const sofa = await product('sofa');
    expect(sofa).toMatchObject({
      name: 'Sofa',
      description: '<p>Big</p>',
      options: [{ name: 'Option 1', values: ['Grey', 'Light blue'] }],
      price: 1_299,
      price_max: 1_499,
    });
    expect(sofa.variants.map(({ sku }: TestBody) => sku)).toEqual(['S-1', null]);
    expect(await product('chair')).toMatchObject({ variant_count: 0, sku: 'C-1' });
    expect(await imports.import('shopify-products', shopify(...rows))).toMatchObject({ unchanged: 3 });
  });

  test('a product with the same options twice, or without a value, is refused whole and the others are imported', async () => {
    const file = shopify(
      ...TEE,
      'cap,Cap,,,,Size,S,,,C-1,5,shopify,1,,,active',
      'cap,,,,,,S,,,C-2,5,shopify,1,,,',
      'hat,Hat,,,,Size,S,Colour,Red,H-1,5,shopify,1,,,active',
      'hat,,,,,,M,,,H-2,5,shopify,1,,,',
    );
    const done = await imports.import('shopify-products', file);
    expect(done).toMatchObject({ created: 3, refused: 2 });
    expect(await reasons(done.id)).toEqual(
      [
        [6, 'another variant of «Cap» has the options S'],
        [5, 'is a part of the record of row 6'],
        [8, 'the variant has no value for «Colour»'],
        [7, 'is a part of the record of row 8'],
      ].sort(([a], [b]) => Number(a) - Number(b)),
    );
  });

  test('more than 2,000 variants, 100 values or five options are refused with the reason', {
    timeout: 60_000,
  }, async () => {
    const many = (handle: string, n: number, values: (i: number) => string): string[] =>
      Array.from({ length: n }, (_, i) => `${handle},${i === 0 ? handle : ''},,,,A,${values(i)},,,,5,shopify,1,,,`);
    const file = shopify(...TEE, ...many('values', 101, (i) => `v${i}`));
    const done = await imports.import('shopify-products', file);
    expect(done).toMatchObject({ created: 3, refused: 1 });
    const found = await server.rows('select reason from import_findings where import_id = $1 and row = 105', [done.id]);
    expect(found).toContainEqual({ reason: '«A» has more than 100 values' });
    const header = 'parent_slug,name,price,option1_name,option1_value,option2_name,option2_value';
    const rows = Array.from({ length: 2_001 }, (_, i) => `big,Big,5,A,${i % 50},B,${Math.floor(i / 50)}`);
    const big = await imports.import('csv-products', `${[header, ...rows].join('\n')}\nsmall,Small,5,A,1,,\n`);
    expect(big).toMatchObject({ created: 2_001, refused: 1 });
    expect(await reasons(big.id)).toEqual([[2_002, 'a product has at most 2000 variants']]);
    expect(await product('big')).toMatchObject({ variant_count: 2_000 });
    const numbers = [1, 2, 3, 4, 5, 6];
    const options = numbers.flatMap((n) => [`Attribute ${n} name`, `Attribute ${n} value(s)`]).join();
    const woo = [
      `Type,SKU,Name,Published,Regular price,Parent,${options}`,
      `variable,W,Wide,1,,,${numbers.map((n) => `A${n},"x, y"`).join()}`,
      `variation,W-1,Wide - x,1,5,W,${numbers.map((n) => `A${n},x`).join()}`,
    ];
    const wide = await imports.import('woocommerce-products', woo.join('\n'));
    expect(wide).toMatchObject({ created: 0, refused: 1 });
    expect(await reasons(wide.id)).toEqual([[3, 'a product has at most 5 options']]);
  });

  test('a variant of another product is not taken away from it', async () => {
    await imports.import('shopify-products', shopify(...TEE));
    const done = await imports.import(
      'shopify-products',
      shopify(...TEE.map((row) => row.replace('tee,', 'vest,').replace('Tee', 'Vest'))),
    );
    // The handle has changed, the SKUs have not: it is the same product.
    expect(done).toMatchObject({ created: 0, refused: 0 });
    await imports.import('shopify-products', shopify('cap,Cap,,,,Size,S,,,C-1,5,shopify,1,,,active'));
    const header = 'parent_slug,name,sku,price,option1_name,option1_value';
    const stolen = await imports.import('csv-products', `${header}\ncap,Cap,T-S,5,Size,M\ncap,Cap,C-1,6,Size,S\n`);
    expect(stolen).toMatchObject({ updated: 1, refused: 1 });
    expect(await reasons(stolen.id)).toEqual([[2, 'belongs to a variant of another product']]);
  });

  test('options that were renamed here stay, and a new variant of the file is refused', async () => {
    await imports.import('shopify-products', shopify(...TEE));
    await shop.commerce('PUT', '/products/tee/options', {
      options: [
        { name: 'Size', values: ['S', 'M', 'L'] },
        { name: 'Colour', new_name: 'Color', values: ['Red', 'Blue'] },
      ],
    });
    const more = 'tee,,,,,,XL,,Red,T-XL,13.00,shopify,1,,,';
    const done = await imports.import(
      'shopify-products',
      shopify(...TEE.map((row) => row.replace('10.00', '9.00')), more),
    );
    expect(done).toMatchObject({ created: 0, updated: 1, refused: 1 });
    expect(await product('tee-s-red')).toMatchObject({ price: 9, options: [{ name: 'Size' }, { name: 'Color' }] });
  });
});

describe('a plain file', () => {
  test('names the parent and the options of each variant, anywhere in the file', async () => {
    const rows = Array.from(
      { length: 600 },
      (_, i) => `tee-${i % 3},Tee ${i % 3},S-${i},5,Size,${Math.floor(i / 3) % 100},Cut,${Math.floor(i / 300)}`,
    );
    const file = ['parent_slug,name,sku,price,option1_name,option1_value,option2_name,option2_value', ...rows].join(
      '\n',
    );
    const done = await imports.import('csv-products', file);
    expect(done).toMatchObject({ created: 600, refused: 0 });
    expect((await listed()).map(({ slug, variant_count }) => [slug, variant_count]).sort()).toEqual(
      [0, 1, 2].map((n) => [`tee-${n}`, 200]),
    );
    expect(await imports.import('csv-products', file)).toMatchObject({ unchanged: 600 });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 600, kept: 0 });
    expect(await listed('&include=variants')).toEqual([]);
  });

  test('exported from here changes nothing, and makes the same products in an empty company', async () => {
    await shop.commerce('POST', '/products', { name: 'Mug', price: 12, stock_qty: 3 });
    await shop.commerce('POST', '/products', {
      name: 'Tee',
      slug: 'a-tee',
      description: '<p>Soft</p>',
      categories: ['tees'],
      images: [{ url: 'https://cdn.example.com/tee.jpg' }],
      options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
      variants: [
        { options: [{ name: 'Size', value: 'S' }], price: 9, stock_qty: 2, barcode: '40', sku: 'T-S' },
        { options: [{ name: 'Size', value: 'M' }], price: 9.5, images: [{ url: 'https://cdn.example.com/m.jpg' }] },
        { options: [{ name: 'Size', value: 'L' }], price: 10, status: 'archived' },
      ],
    });
    const simple = (await shop.commerce('POST', '/products', { name: 'Cup', price: 4, stock_qty: 1 })).body.data;
    await shop.commerce('PUT', `/products/${simple.id}/options`, {
      options: [{ name: 'Glaze', values: ['Blue'] }],
      variant: [{ name: 'Glaze', value: 'Blue' }],
    });
    const [file, hidden] = [await exported(), await exported('&include=variants&archived=true')];
    const all = file + hidden.slice(hidden.indexOf('\n') + 1);
    expect(await imports.import('csv-products', all)).toMatchObject({ created: 0, updated: 0, refused: 0, skipped: 0 });
    // The parents alone change nothing either.
    expect(await imports.import('csv-products', await exported(''))).toMatchObject({ updated: 0, unchanged: 3 });
    const other = await server.company();
    const there = new TestImports(server, other);
    expect(await there.import('csv-products', all)).toMatchObject({ created: 5, refused: 0, skipped: 0 });
    const own = ({
      id: _i,
      variant_of: _v,
      revision: _r,
      created_at: _c,
      updated_at: _u,
      variants,
      ...row
    }: TestBody): TestBody => (variants === undefined ? row : { ...row, variants: variants.map(own) });
    for (const slug of ['mug', 'a-tee', 'cup']) {
      expect(own((await other.commerce('GET', `/products/${slug}`)).body.data)).toEqual(own(await product(slug)));
    }
    expect(await there.import('csv-products', all)).toMatchObject({ created: 0, updated: 0, refused: 0 });
  });

  test('has options without a parent: they are counted as not kept', async () => {
    const done = await imports.import('csv-products', 'name,price,option1_name,option1_value\nMug,5,Size,S\n');
    expect(done).toMatchObject({ created: 1 });
    expect(done.notices).toEqual([
      { code: 'column_not_kept', column: 'option1_name', count: 1 },
      { code: 'column_not_kept', column: 'option1_value', count: 1 },
    ]);
  });
});

describe('variations of WooCommerce', () => {
  const HEADER =
    'ID,Type,SKU,Name,Published,Description,Tax class,In stock?,Stock,Regular price,Categories,Images,Parent,"GTIN, UPC, EAN, or ISBN",Attribute 1 name,Attribute 1 value(s),Attribute 1 visible,Attribute 1 global,Attribute 2 name,Attribute 2 value(s)';
  const ROWS = [
    '94,variation,B-L,Bowl - Large,1,,parent,1,2,5.00,,,BOWL,,Size,Large,,0,,',
    '90,variable,,Plate,1,<p>Flat</p>,reduced,1,9,,"Kitchen > Plates",https://shop.example.com/plate.jpg,,,Size,"Large, Small",1,0,Material,Clay',
    '91,variation,P-L,Plate - Large,1,,parent,1,parent,8.00,,,id:90,4006381333931,Size,Large,,0,,',
    '92,"variation, virtual",P-S,Plate - Small,1,,standard,1,parent,6.00,,https://shop.example.com/small.jpg,id:90,,Size,Small,,0,,',
    '93,variable,BOWL,Bowl,-1,,,,,,Bowls,,,,Size,Large,1,0,,',
    '95,variation,LOST,Lost,1,,parent,1,2,5.00,,,id:4711,,Size,S,,0,,',
    '96,variable,,Empty,1,,,,,,,,,,Size,S,1,0,,',
    '97,simple,TEA,Tea,1,,,1,4,3.00,,,,,Taste,Green,1,0,,',
    '98,variable,,Plate,1,,,,,,,,,,Size,,1,0,,',
    '99,variation,,Plate - Any,1,,parent,1,1,7.00,,,id:98,,Size,,,0,,',
  ];

  test('become the variants of their product, wherever its row is, and share its stock with a finding', async () => {
    const file = [HEADER, ...ROWS].join('\n');
    const done = await imports.import('woocommerce-products', file);
    expect(done).toMatchObject({ created: 5, skipped: 1, refused: 1 });
    expect(await reasons(done.id)).toEqual([
      [4, 'has the stock that all variations of «Plate» share'],
      [7, expect.stringContaining('its product «id:4711» is not in the file')],
      [8, 'A product with variants is not sold itself, and the file has none of them'],
    ]);
    expect(done.notices).toEqual(
      expect.arrayContaining([
        { code: 'column_not_kept', column: 'SKU', count: 1 },
        { code: 'column_not_kept', column: 'Attribute 1 name', count: 1 },
        { code: 'column_not_kept', column: 'Attribute 1 value(s)', count: 1 },
      ]),
    );
    const plate = await product('plate');
    expect(plate).toMatchObject({
      name: 'Plate',
      description: '<p>Flat</p>',
      categories: ['kitchen', 'kitchen-plates'],
      options: [{ name: 'Size', values: ['Large', 'Small'] }],
      stock_qty: 9,
    });
    expect(plate.variants).toMatchObject([
      { sku: 'P-L', stock_qty: 9, tax_class: 'reduced', barcode: '4006381333931', track_stock: true },
      {
        sku: 'P-S',
        stock_qty: 0,
        tax_class: 'standard',
        track_stock: true,
        images: [{ url: 'https://shop.example.com/small.jpg' }],
      },
    ]);
    expect(await product('bowl')).toMatchObject({ status: 'draft', variant_count: 1, stock_qty: 2 });
    expect(await product('plate-2')).toMatchObject({ name: 'Plate', options: [{ values: ['Any'] }] });
    expect(await imports.import('woocommerce-products', file)).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 5,
    });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 5, kept: 0 });
    expect(await listed()).toEqual([]);
  });

  test('are found under German headers', async () => {
    const file = [
      'ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis,Übergeordnetes Produkt,Attribut 1 Name,Attribut 1 Wert(e)',
      '1,variable,,Hemd,1,,,Größe,"S, M"',
      '2,variation,H-S,Hemd - S,1,"20,50",id:1,Größe,S',
    ];
    expect(await imports.import('woocommerce-products', file.join('\n'))).toMatchObject({ created: 1 });
    expect(await product('hemd')).toMatchObject({ options: [{ name: 'Größe', values: ['S'] }], price: 20.5 });
  });
});

test("Medusa's product export has a row for each variant, and the price in the company's currency", async () => {
  const file = [
    'Product Id,Product Handle,Product Title,Product Description,Product Status,Product Thumbnail,Product Type,Variant Id,Variant Title,Variant SKU,Variant Barcode,Variant Inventory Quantity,Variant Allow Backorder,Variant Manage Inventory,Option 1 Name,Option 1 Value,Option 2 Name,Option 2 Value,Price EUR,Price USD,Image 1 Url',
    'prod_1,tee,Tee,Soft,published,https://cdn.example.com/a.jpg,Shirts,v1,S / Black,T-S,401,7,false,true,Size,S,Colour,Black,9,10.5,https://cdn.example.com/b.jpg',
    'prod_1,tee,Tee,Soft,published,https://cdn.example.com/a.jpg,Shirts,v2,M / Black,T-M,,0,true,true,Size,M,Colour,Black,9,11,',
    'prod_2,mug,Mug,,draft,,,v3,Default,MUG,,3,false,true,Default,Default,,,4,5,',
  ].join('\n');
  const done = await imports.import('medusa-products', file);
  expect(done).toMatchObject({ created: 3, refused: 0 });
  expect(done.notices).toContainEqual({ code: 'column_not_kept', column: 'Price EUR', count: 3 });
  expect(await product('tee')).toMatchObject({
    categories: ['shirts'],
    price: 10.5,
    options: [{ name: 'Size', values: ['S', 'M'] }, { name: 'Colour' }],
    images: [{ url: 'https://cdn.example.com/a.jpg' }, { url: 'https://cdn.example.com/b.jpg' }],
    variants: [
      { sku: 'T-S', barcode: '401', stock_qty: 7 },
      { sku: 'T-M', track_stock: false },
    ],
  });
  expect(await product('mug')).toMatchObject({ status: 'draft', variant_count: 0, stock_qty: 3 });
  expect(await imports.import('medusa-products', file)).toMatchObject({ unchanged: 3 });
});

test("Vendure's import format has a product in the row with a name, and its variants below", async () => {
  const file = [
    'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets',
    'Laptop,laptop,Fast,https://cdn.example.com/a.jpg|local.jpg,category:Electronics|brand:Acme,screen size|RAM,13 inch|8GB,L-1,1299.00,standard,100,true,,',
    ',,,,,,15 inch|8GB,L-2,1399.00,standard,50,true,https://cdn.example.com/15.jpg,',
    'Keyboard,keyboard,,,,,,K-1,74.89,standard,10,false,,',
  ].join('\n');
  const done = await imports.import('vendure-products', file);
  expect(done).toMatchObject({ created: 3, refused: 0 });
  expect(done.notices).toEqual(
    expect.arrayContaining([
      { code: 'column_not_kept', column: 'assets', count: 1 },
      { code: 'column_not_kept', column: 'facets', count: 1 },
    ]),
  );
  expect(await product('laptop')).toMatchObject({
    categories: ['electronics'],
    options: [
      { name: 'screen size', values: ['13 inch', '15 inch'] },
      { name: 'RAM', values: ['8GB'] },
    ],
    price: 1_299,
    stock_qty: 150,
    images: [{ url: 'https://cdn.example.com/a.jpg' }],
    variants: [{ sku: 'L-1' }, { sku: 'L-2', images: [{ url: 'https://cdn.example.com/15.jpg' }] }],
  });
  expect(await product('keyboard')).toMatchObject({ variant_count: 0, track_stock: false, price: 74.89 });
  expect(await imports.import('vendure-products', file)).toMatchObject({ unchanged: 3 });
});
