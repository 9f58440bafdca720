import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { type TestBody, type TestCompany, type TestResponse, testServer } from '../../../testing/harness.ts';
import { UNFINISHED } from '../../../work/slices.ts';
import { createRecommendations } from '../../recommendations/worker.ts';

const server = testServer();

const COLOURS = { name: 'Colour', values: ['Red', 'Blue'] };
const SIZES = { name: 'Size', values: ['S', 'M'] };
const valuesOf = (colour: string, size: string) => [
  { name: 'Colour', value: colour },
  { name: 'Size', value: size },
];

/** A T-shirt in red S and blue M. */
const SHIRT = {
  name: 'T-shirt',
  categories: ['shirts'],
  description: 'Soft "cotton"',
  tax_class: 'reduced',
  images: [{ url: 'https://img.example/shirt.png' }],
  options: [COLOURS, SIZES],
  variants: [
    { options: valuesOf('Red', 'S'), price: 20, stock_qty: 3, sku: 'TS-RS', barcode: '11' },
    { options: valuesOf('Blue', 'M').reverse(), price: 25, stock_qty: 4, sku: 'TS-BM' },
  ],
};

async function shirt(
  shop: TestCompany,
  fields: object = {},
): Promise<{ parent: TestBody; red: TestBody; blue: TestBody }> {
  const made = await shop.commerce('POST', '/products', { ...SHIRT, ...fields });
  expect(made.body).toMatchObject({ success: true });
  const parent = made.body.data!;
  return { parent, red: parent.variants[0], blue: parent.variants[1] };
}

const fieldsOf = ({ body }: TestResponse): string[] =>
  body.error!.details!.fields!.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);

const read = async (shop: TestCompany, ref: number | string): Promise<TestBody> =>
  (await shop.commerce('GET', `/products/${ref}`)).body.data!;

async function customer(shop: TestCompany): Promise<number> {
  return (await shop.commerce('POST', '/customers', { email: 'ada@example.com' })).body.data!.id;
}

const order = (customer_id: number, ...items: [number, number][]) => ({
  customer_id,
  items: items.map(([product_id, qty]) => ({ product_id, qty })),
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_zip: '12345',
});

/** No kept value of the company differs from a recount. */
async function isSound(shop: TestCompany): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  const broken = findings.filter(({ examples }) => examples.some((one) => one.company_id === shop.company_id));
  expect(broken).toEqual([]);
}

describe('POST /products with variants', () => {
  test('creates a parent that shows what its variants have, and variants that show what it has', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    expect(parent).toMatchObject({
      slug: 't-shirt',
      price: 20,
      price_max: 25,
      stock_qty: 7,
      has_variants: true,
      variant_count: 2,
      options: [COLOURS, SIZES],
      variant_of: null,
      title: null,
      position: null,
      sku: null,
      requires_shipping: null,
      track_stock: null,
      active: true,
    });
    expect(red).toMatchObject({
      name: 'T-shirt – Red / S',
      slug: 't-shirt-red-s',
      title: 'Red / S',
      position: 1,
      options: valuesOf('Red', 'S'),
      variant_of: parent.id,
      price: 20,
      stock_qty: 3,
      sku: 'TS-RS',
      tax_class: 'reduced',
      categories: ['shirts'],
      images: [{ url: 'https://img.example/shirt.png', is_primary: true }],
      has_variants: false,
      variant_count: 0,
      price_max: null,
    });
    expect(red).not.toHaveProperty('description');
    expect(await read(shop, 't-shirt-blue-m')).toEqual({ ...blue, description: 'Soft "cotton"' });
    await isSound(shop);
  });

  test('names every failing field of the parent and of each variant', async () => {
    const shop = await server.company();
    const bad = {
      ...SHIRT,
      price: 1,
      options: [COLOURS, { ...COLOURS, values: ['A', 'A'] }],
      variants: [
        { options: [{ name: 'Colour', value: 'Red' }], price: 1.999 },
        { options: [{ name: 'Shape', value: 'Round' }], price: 1, track_stock: false, stock_qty: 1 },
      ],
    };
    expect(fieldsOf(await shop.commerce('POST', '/products', bad))).toEqual([
      'price of_variant',
      'options.1.name duplicate',
      'options.1.values.1 duplicate',
      'variants.0.price too_many_decimals',
      'variants.1.options unknown',
      'variants.1.options required',
      'variants.1.options required',
      'variants.1.stock_qty untracked',
    ]);
    expect(fieldsOf(await shop.commerce('POST', '/products', { name: 'X' }))).toEqual(['price required']);
    const { options: _, ...optionless } = SHIRT;
    expect(fieldsOf(await shop.commerce('POST', '/products', optionless))).toEqual(['options required']);
    const { variants: __, ...childless } = SHIRT;
    expect(fieldsOf(await shop.commerce('POST', '/products', childless))).toEqual([
      'price required',
      'variants required',
    ]);
  });

  test('refuses the same option values twice, and the SKU of another product', async () => {
    const shop = await server.company();
    const [variant] = SHIRT.variants;
    const twice = await shop.commerce('POST', '/products', { ...SHIRT, variants: [variant, { ...variant, sku: 'X' }] });
    expect(fieldsOf(twice)).toEqual(['variants.1.options duplicate']);
    await shop.commerce('POST', '/products', { name: 'Other', price: 1, sku: 'TS-BM' });
    const taken = await shop.commerce('POST', '/products', SHIRT);
    expect(taken.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'sku' });
  });
});

describe('lists of products', () => {
  test('show parents without variants, or all three kinds with include=variants, with exact totals', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const mug = (await shop.commerce('POST', '/products', { name: 'Mug', price: 22, stock_qty: 1, barcode: '99' })).body
      .data!.id;
    const listed = async (query: string): Promise<number[]> => {
      const { body } = await shop.commerce('GET', `/products?${query}`);
      expect([query, body.meta!.pagination!.total]).toEqual([query, body.data!.length]);
      return body.data!.map(({ id }: { id: number }) => id);
    };
    expect(await listed('')).toEqual([mug, parent.id]);
    expect(await listed('include=variants')).toEqual([mug, blue.id, red.id, parent.id]);
    expect(await listed('category=shirts')).toEqual([parent.id]);
    for (const query of ['search=ts-bm', 'search=11', 'search=blue', 'sku=TS-RS', 'barcode=11']) {
      expect([query, await listed(query)]).toEqual([query, [parent.id]]);
    }
    expect(await listed('include=variants&sku=TS-RS')).toEqual([red.id]);
    expect(await listed('include=variants&search=blue')).toEqual([blue.id, parent.id]);
    await shop.commerce('PATCH', `/products/${mug}`, { name: 'TS-RS mug' });
    expect(await listed('search=ts-rs&sort=relevance')).toEqual([parent.id, mug]);
    await shop.commerce('PATCH', `/products/${mug}`, { name: 'Mug' });
    expect(await listed('price_min=20.01&price_max=22')).toEqual([mug]);
    await shop.commerce('PATCH', `/products/${mug}`, { price: 19.99 });
    expect(await listed('price_min=19.99&price_max=19.99')).toEqual([mug]);
    await shop.commerce('PATCH', `/products/${mug}`, { price: 22 });
    expect(await listed('include=variants&price_min=25')).toEqual([blue.id]);
    expect(await listed('sort=stock_desc')).toEqual([parent.id, mug]);
    expect(await listed('sort=price_asc&include=variants')).toEqual([parent.id, red.id, mug, blue.id]);
    expect(await listed('sort=name_asc&include=variants')).toEqual([mug, parent.id, blue.id, red.id]);
    await isSound(shop);
  });

  test('in_stock follows the variants of a parent', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const buyer = await customer(shop);
    const inStock = async () =>
      (await shop.commerce('GET', '/products?in_stock=true')).body.data!.map(({ id }: { id: number }) => id);
    expect((await shop.commerce('POST', '/orders', order(buyer, [red.id, 3]))).status).toBe(201);
    expect(await inStock()).toEqual([parent.id]);
    const last = await shop.commerce('POST', '/orders', order(buyer, [blue.id, 4]));
    expect(await inStock()).toEqual([]);
    expect((await shop.commerce('GET', `/products/${parent.id}/inventory`)).body.data).toEqual({
      product_id: parent.id,
      stock_qty: 0,
      in_stock: false,
    });
    await shop.commerce('PATCH', `/orders/${last.body.data!.id}/status`, { status: 'cancelled' });
    expect(await inStock()).toEqual([parent.id]);
    await isSound(shop);
  });
});

describe('PATCH /products/{id}', () => {
  test('a variant changes what is its own; its parent follows without a new revision', async () => {
    const shop = await server.company();
    const { parent, red } = await shirt(shop);
    const refused = { name: 'X', slug: 'x', description: '', categories: [] };
    const codes = Object.keys(refused).map((field) => `${field} of_parent`);
    expect(fieldsOf(await shop.commerce('PATCH', `/products/${red.id}`, refused))).toEqual(codes);
    const patched = await shop.commerce('PATCH', `/products/${red.id}`, { price: 30, stock_qty: 0, position: 9 });
    expect(patched.body.data).toMatchObject({ price: 30, stock_qty: 0, position: 9, revision: 2 });
    const before = { revision: parent.revision, updated_at: parent.updated_at };
    expect(await read(shop, parent.id)).toMatchObject({ price: 25, price_max: 30, stock_qty: 4, ...before });
    await shop.commerce('PATCH', `/products/${red.id}`, { archived: true, subscription_enabled: true });
    expect(await read(shop, parent.id)).toMatchObject({
      price: 25,
      price_max: 25,
      subscription_enabled: false,
      ...before,
    });
    await shop.commerce('PATCH', `/products/${red.id}`, { track_stock: false, archived: false });
    expect(await read(shop, parent.id)).toMatchObject({ stock_qty: 999_999, subscription_enabled: true, ...before });
    await isSound(shop);
  });

  test('a parent none of whose variants is active has no stock', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    for (const { id } of [red, blue]) await shop.commerce('PATCH', `/products/${id}`, { archived: true });
    expect(await read(shop, parent.id)).toMatchObject({ stock_qty: 0, price: 20, price_max: 25 });
    const inventory = (await shop.commerce('GET', `/products/${parent.id}/inventory`)).body.data;
    expect(inventory).toMatchObject({ stock_qty: 0, in_stock: false });
    await isSound(shop);
  });

  test('a parent changes what its variants share, and refuses what is theirs', async () => {
    const shop = await server.company();
    const { parent, red } = await shirt(shop);
    const path = `/products/${parent.id}`;
    const refused = { price: 1, stock_qty: 1, sku: 'X', track_stock: true };
    const codes = Object.keys(refused).map((field) => `${field} of_variant`);
    expect(fieldsOf(await shop.commerce('PATCH', path, refused))).toEqual(codes);
    expect(fieldsOf(await shop.commerce('POST', `${path}/inventory/adjust`, { delta: 1 }))).toEqual([
      'delta of_variant',
    ]);
    const shared = { name: 'Tee', categories: ['tees'], tax_class: null, subscription_enabled: true };
    const patched = await shop.commerce('PATCH', path, { ...shared, description: 'New' });
    expect(patched.body.data).toMatchObject({ ...shared, description: 'New', slug: 't-shirt', revision: 2 });
    expect(await read(shop, red.id)).toMatchObject({
      name: 'Tee – Red / S',
      slug: 't-shirt-red-s',
      categories: ['tees'],
      tax_class: null,
      subscription_enabled: true,
      description: 'New',
    });
    const found = await shop.commerce('GET', '/products?search=red');
    expect(found.body.data).toMatchObject([{ id: parent.id }]);
    await isSound(shop);
  });

  test('pictures of its own replace those of the parent', async () => {
    const shop = await server.company();
    const { red } = await shirt(shop);
    const own = [{ url: 'https://img.example/red.png' }];
    await shop.commerce('PATCH', `/products/${red.id}`, { images: own });
    expect((await read(shop, red.id)).images).toMatchObject(own);
    expect((await read(shop, 't-shirt')).variants[0].images).toMatchObject(own);
    expect((await read(shop, 't-shirt-blue-m')).images).toMatchObject(SHIRT.images);
  });

  test('a variant cannot become active beside one with the same option values', async () => {
    const shop = await server.company();
    const { parent, red } = await shirt(shop);
    await shop.commerce('PATCH', `/products/${red.id}`, { archived: true });
    const again = { variants: [{ options: valuesOf('Red', 'S'), price: 21 }] };
    expect((await shop.commerce('POST', `/products/${parent.id}/variants`, again)).status).toBe(201);
    const back = await shop.commerce('PATCH', `/products/${red.id}`, { archived: false });
    expect(back.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'options' });
    await isSound(shop);
  });
});

describe('variants of a parent', () => {
  test('are listed by position, added with new option values, and never to a product without any', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const path = `/products/${parent.id}/variants`;
    const made = await shop.commerce('POST', path, {
      variants: [{ options: valuesOf('Green', 'S'), price: 18, stock_qty: 2, position: 7 }],
    });
    expect([made.status, made.body.data]).toMatchObject([
      201,
      [{ title: 'Green / S', position: 7, tax_class: 'reduced' }],
    ]);
    const [green] = made.body.data!;
    expect(await read(shop, parent.id)).toMatchObject({
      price: 18,
      variant_count: 3,
      options: [{ name: 'Colour', values: ['Red', 'Blue', 'Green'] }, SIZES],
    });
    await shop.commerce('PATCH', `/products/${red.id}`, { archived: true });
    const ids = async (query: string) => {
      const { body } = await shop.commerce('GET', `/products/${parent.id}/variants?${query}`);
      return [body.meta!.pagination!.total, body.data!.map(({ id }: { id: number }) => id)];
    };
    expect(await ids('')).toEqual([3, [red.id, blue.id, green.id]]);
    expect(await ids('archived=false&per_page=1&page=2')).toEqual([2, [green.id]]);
    expect(await ids('archived=true')).toEqual([1, [red.id]]);
    await shop.commerce('POST', '/products', { name: 'Mug', price: 1 });
    const refused = await shop.commerce('POST', '/products/mug/variants', {
      variants: [{ options: valuesOf('Red', 'S'), price: 1 }],
    });
    expect([refused.status, refused.body.error!.details!.reason]).toEqual([422, 'not_a_parent']);
    await isSound(shop);
  });

  test('generate adds the missing combinations, once; a dry run adds none', async () => {
    const shop = await server.company();
    const { parent } = await shirt(shop);
    const path = `/products/${parent.id}/variants/generate`;
    const dry = await shop.commerce('POST', path, { price: 19, stock_qty: 1, dry_run: true });
    const titles = ({ body }: TestResponse) => body.data!.map(({ title }: { title: string }) => title);
    expect([dry.status, titles(dry)]).toEqual([200, ['Red / M', 'Blue / S']]);
    expect((await read(shop, parent.id)).variant_count).toBe(2);
    const made = await shop.commerce('POST', path, { price: 19, stock_qty: 1 });
    expect([made.status, titles(made)]).toEqual([201, ['Red / M', 'Blue / S']]);
    expect(await read(shop, parent.id)).toMatchObject({ variant_count: 4, price: 19, stock_qty: 9 });
    expect((await shop.commerce('POST', path, { price: 19 })).body.data).toEqual([]);
    await isSound(shop);
  });

  test('generate refuses options with more than 2,000 combinations', async () => {
    const shop = await server.company();
    const values = Array.from({ length: 100 }, (_, i) => `V${i}`);
    const names = ['A', 'B', 'C', 'D'];
    const { parent } = await shirt(shop, {
      options: names.map((name) => ({ name, values })),
      variants: [{ options: names.map((name) => ({ name, value: 'V1' })), price: 1 }],
    });
    const refused = await shop.commerce('POST', `/products/${parent.id}/variants/generate`, { price: 1 });
    expect(fieldsOf(refused)).toEqual(['options out_of_range']);
  });

  test('PATCH /products changes many at once, all or none, and names the product that fails', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const change = (products: object[]) => shop.commerce('PATCH', '/products', { products });
    const changed = await change([
      { id: blue.id, price: 10 },
      { id: red.id, price: 11, sku: null },
      { id: parent.id, name: 'Tee' },
    ]);
    expect(changed.body.data).toMatchObject([
      { id: blue.id, price: 10, name: 'Tee – Blue / M' },
      { id: red.id, price: 11, sku: null },
      { id: parent.id, price: 10, price_max: 11, name: 'Tee' },
    ]);
    expect(
      fieldsOf(
        await change([
          { id: red.id, price: 1 },
          { id: 999_999, price: 1 },
        ]),
      ),
    ).toEqual(['products.1.id unknown']);
    expect(fieldsOf(await change([{ id: red.id, name: 'X' }]))).toEqual(['products.0.name of_parent']);
    expect(fieldsOf(await change([{ id: red.id }, { id: red.id }]))).toEqual(['products.1.id duplicate']);
    await change([
      { id: red.id, sku: 'TS-BM' },
      { id: blue.id, sku: 'TS-RS' },
    ]);
    expect([(await read(shop, red.id)).sku, (await read(shop, blue.id)).sku]).toEqual(['TS-BM', 'TS-RS']);
    const taken = await change([{ id: red.id, sku: 'TS-RS' }]);
    expect(taken.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'products.0.sku' });
    expect((await read(shop, red.id)).price).toBe(11);
    await isSound(shop);
  });
});

describe('orders', () => {
  test('name variants; a parent is refused with the variants to choose from', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const buyer = await customer(shop);
    await shop.commerce('PATCH', `/products/${blue.id}`, { archived: true });
    const refused = await shop.commerce('POST', '/orders', order(buyer, [red.id, 9], [parent.id, 1]));
    expect([refused.status, refused.body.error!.details]).toEqual([
      422,
      {
        request_id: expect.any(String),
        reason: 'variant_required',
        product_id: parent.id,
        index: 1,
        variants: [{ id: red.id, title: 'Red / S', options: valuesOf('Red', 'S'), price: 20, in_stock: true }],
      },
    ]);
    const placed = await shop.commerce('POST', '/orders', order(buyer, [red.id, 1]));
    expect(placed.body.data!.items).toMatchObject([
      {
        product_id: red.id,
        product_name: 'T-shirt – Red / S',
        parent_id: parent.id,
        title: 'Red / S',
        options: valuesOf('Red', 'S'),
        sku: 'TS-RS',
        categories: ['shirts'],
      },
    ]);
    expect((await shop.commerce('GET', `/orders/${placed.body.data!.id}`)).body.data).toEqual(placed.body.data);
    const query = "select payload from outbox where company_id = $1 and topic = 'order_placed'";
    expect(await server.rows(query, [shop.company_id])).toMatchObject([
      { payload: { items: [{ parent_id: String(parent.id), sku: 'TS-RS', variant_title: 'Red / S' }] } },
    ]);
    for (const status of ['processing', 'shipped'])
      await shop.commerce('PATCH', `/orders/${placed.body.data!.id}/status`, { status });
    expect(await server.rows(query.replace('order_placed', 'order_shipped'), [shop.company_id])).toMatchObject([
      { payload: { items: [{ parent_id: String(parent.id), sku: 'TS-RS', variant_title: 'Red / S' }] } },
    ]);
    await shop.commerce('PATCH', `/products/${parent.id}`, { archived: true });
    expect((await read(shop, red.id)).active).toBe(false);
    const gone = await shop.commerce('POST', '/orders', order(buyer, [red.id, 1]));
    expect(fieldsOf(gone)).toEqual(['items.0.product_id archived']);
    await isSound(shop);
  });

  test('a promo code for a parent applies to its variants, one for a category to those of the parent', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const buyer = await customer(shop);
    const code = (name: string, fields: object) =>
      shop.commerce('POST', '/promo-codes', { code: name, type: 'percent', value: 50, active: true, ...fields });
    await code('PARENT', { scope: 'products', product_ids: [parent.id] });
    await code('ONE', { scope: 'products', product_ids: [red.id] });
    await code('SHIRTS', { scope: 'categories', category_slugs: ['shirts'] });
    const discount = async (promo_code: string) =>
      (await shop.commerce('POST', '/orders/calculate', { ...order(buyer, [red.id, 1], [blue.id, 1]), promo_code }))
        .body.data!.discount;
    expect([await discount('PARENT'), await discount('ONE'), await discount('SHIRTS')]).toEqual([22.5, 10, 22.5]);
  });

  test('a subscription takes a variant; a parent is refused', async () => {
    const shop = await server.company();
    const { parent, red } = await shirt(shop, { subscription_enabled: true });
    const buyer = await customer(shop);
    const frequency = (
      await shop.commerce('POST', '/subscription-frequencies', { name: 'Weekly', unit: 'week', interval: 1 })
    ).body.data!.id;
    const { customer_id, items: _, ...address } = order(buyer);
    const subscribe = (product_id: number) =>
      shop.commerce('POST', '/subscriptions', { customer_id, product_id, frequency_id: frequency, ...address });
    const refused = await subscribe(parent.id);
    expect(refused.body.error!.details).toMatchObject({ reason: 'variant_required', product_id: parent.id });
    expect((await subscribe(red.id)).body.data).toMatchObject({ product_id: red.id, price: 20 });
  });
});

describe('PUT /products/{id}/options', () => {
  test('makes a simple product the first variant of a new parent, which takes over what variants share', async () => {
    const shop = await server.company();
    const images = [{ url: 'https://img.example/1.png' }];
    const simple = { name: 'Tea', price: 5, stock_qty: 4, sku: 'T', categories: ['tea'], description: 'Green', images };
    const was = (await shop.commerce('POST', '/products', simple)).body.data!;
    const buyer = await customer(shop);
    const promo = { code: 'TEA', type: 'percent', value: 50, scope: 'products', product_ids: [was.id] };
    await shop.commerce('POST', '/promo-codes', promo);
    const placed = await shop.commerce('POST', '/orders', order(buyer, [was.id, 1]));
    const made = await shop.commerce('PUT', '/products/tea/options', {
      options: [{ name: 'Weight', values: ['50 g', '100 g'] }],
      variant: [{ name: 'Weight', value: '50 g' }],
    });
    expect([made.status, made.body.data]).toMatchObject([
      200,
      {
        name: 'Tea',
        slug: 'tea',
        description: 'Green',
        categories: ['tea'],
        images,
        price: 5,
        stock_qty: 3,
        variant_count: 1,
        variants: [{ id: was.id, name: 'Tea – 50 g', slug: 'tea-50-g', sku: 'T', price: 5, stock_qty: 3, images }],
      },
    ]);
    const parent = made.body.data!.id;
    const listed = (await shop.commerce('GET', '/products?category=tea')).body.data!;
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([parent]);
    expect((await shop.commerce('GET', `/products/${was.id}/price-history`)).body.data).toHaveLength(1);
    expect((await shop.commerce('GET', `/orders/${placed.body.data!.id}`)).body.data).toEqual(placed.body.data);
    const codes = (await shop.commerce('GET', '/promo-codes')).body.data!;
    expect(codes).toMatchObject([{ product_ids: [parent] }]);
    const green = { options: [{ name: 'Weight', value: '100 g' }], price: 9, stock_qty: 1 };
    expect((await shop.commerce('POST', '/products/tea/variants', { variants: [green] })).status).toBe(201);
    await isSound(shop);
  });

  test('renames, reorders, adds and removes options and values of a parent; its variants follow', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const put = (options: object[]) => shop.commerce('PUT', `/products/${parent.id}/options`, { options });
    const renamed = [
      { name: 'Size', values: ['M', 'S', 'L'] },
      {
        name: 'Colour',
        new_name: 'Color',
        values: ['Crimson', 'Blue'],
        renames: [{ value: 'Red', new_value: 'Crimson' }],
      },
      { name: 'Cut', values: ['Slim', 'Wide'], default: 'Wide' },
    ];
    const changed = await put(renamed);
    expect(changed.body.data!.options).toEqual([
      { name: 'Size', values: ['M', 'S', 'L'] },
      { name: 'Color', values: ['Crimson', 'Blue'] },
      { name: 'Cut', values: ['Slim', 'Wide'] },
    ]);
    expect(await read(shop, red.id)).toMatchObject({
      id: red.id,
      title: 'S / Crimson / Wide',
      name: 'T-shirt – S / Crimson / Wide',
      slug: 't-shirt-red-s',
    });
    const sizes = { name: 'Size', values: ['M', 'L'] };
    const rest = [
      { name: 'Color', values: ['Crimson', 'Blue'] },
      { name: 'Cut', values: ['Slim', 'Wide'] },
    ];
    const refused = await put([sizes, ...rest]);
    expect(refused.body.error!.details).toMatchObject({ reason: 'in_use', variants: [red.id] });
    await shop.commerce('PATCH', `/products/${red.id}`, { archived: true });
    expect((await put([sizes, ...rest])).status).toBe(200);
    await isSound(shop);
    await shop.commerce('PATCH', `/products/${red.id}`, { archived: false });
    expect((await read(shop, parent.id)).options[0]).toEqual({ name: 'Size', values: ['M', 'L', 'S'] });
    const alike = await put([{ name: 'Cut', values: ['Slim', 'Wide'] }]);
    expect(alike.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'options' });
    expect(fieldsOf(await put([{ name: 'New', values: ['A'], default: 'B' }]))).toEqual(['options.0.default unknown']);
    const swapped = { name: 'Color', values: ['Crimson', 'Blue'] };
    const renames = [
      { value: 'Crimson', new_value: 'Blue' },
      { value: 'Blue', new_value: 'Crimson' },
    ];
    const all = { name: 'Size', values: ['M', 'L', 'S'] };
    expect((await put([all, { ...swapped, renames }, { name: 'Cut', values: ['Slim', 'Wide'] }])).status).toBe(200);
    expect((await read(shop, red.id)).title).toBe('S / Blue / Wide');
    const unknown = { name: 'Size', values: ['M'], renames: [{ value: 'XS', new_value: 'XL' }] };
    expect(fieldsOf(await put([unknown]))).toEqual([
      'options.0.renames.0.value unknown',
      'options.0.renames.0.new_value unknown',
    ]);
    const variant = await shop.commerce('PUT', `/products/${blue.id}/options`, { options: [COLOURS] });
    expect(variant.body.error!.details).toMatchObject({ reason: 'not_a_parent', product_id: blue.id });
    await isSound(shop);
  });
});

describe('grouping', () => {
  test('makes products variants that keep ids, slugs, pictures and stock; ungrouping makes them products again', async () => {
    const shop = await server.company();
    const make = async (fields: object) =>
      (await shop.commerce('POST', '/products', { price: 3, stock_qty: 2, subscription_enabled: true, ...fields })).body
        .data!;
    const images = [{ url: 'https://img.example/red.png' }];
    const red = await make({ name: 'Red pen', categories: ['pens'], description: 'Writes', images, sku: 'PR' });
    const blue = await make({ name: 'Blue pen', categories: ['pens', 'blue'], price: 4 });
    const buyer = await customer(shop);
    const placed = await shop.commerce('POST', '/orders', order(buyer, [red.id, 1]));
    const made = await shop.commerce('POST', '/products/group', {
      name: 'Pen',
      options: [COLOURS],
      variants: [
        { product_id: blue.id, options: [{ name: 'Colour', value: 'Blue' }] },
        { product_id: red.id, options: [{ name: 'Colour', value: 'Red' }] },
      ],
    });
    expect([made.status, made.body.data]).toMatchObject([
      201,
      {
        name: 'Pen',
        slug: 'pen',
        categories: ['pens', 'blue'],
        description: '',
        price: 3,
        price_max: 4,
        stock_qty: 3,
        subscription_enabled: true,
        variants: [
          { id: blue.id, name: 'Pen – Blue', slug: 'blue-pen', position: 1 },
          {
            id: red.id,
            name: 'Pen – Red',
            slug: 'red-pen',
            position: 2,
            sku: 'PR',
            images,
            categories: ['pens', 'blue'],
          },
        ],
      },
    ]);
    await isSound(shop);
    const again = await shop.commerce('POST', '/products/group', {
      name: 'X',
      options: [COLOURS],
      variants: [
        { product_id: red.id, options: [{ name: 'Colour', value: 'Red' }] },
        { product_id: 999_999, options: [{ name: 'Colour', value: 'Red' }] },
      ],
    });
    expect(fieldsOf(again)).toEqual(['variants.0.product_id not_allowed', 'variants.1.product_id unknown']);
    const promo = { code: 'PEN', type: 'percent', value: 50, scope: 'products', product_ids: [made.body.data!.id] };
    await shop.commerce('POST', '/promo-codes', promo);
    const ungrouped = await shop.commerce('POST', '/products/pen/ungroup');
    expect(ungrouped.body.data).toEqual({ id: made.body.data!.id, deleted: true, product_ids: [blue.id, red.id] });
    expect((await shop.commerce('GET', '/products/pen')).status).toBe(404);
    expect(await read(shop, red.id)).toMatchObject({
      name: 'Pen – Red',
      slug: 'red-pen',
      categories: ['pens', 'blue'],
      images,
      stock_qty: 1,
      variant_of: null,
      options: [],
    });
    expect((await shop.commerce('GET', '/promo-codes')).body.data).toMatchObject([{ product_ids: [red.id, blue.id] }]);
    expect((await shop.commerce('GET', '/products?search=red')).body.data).toMatchObject([{ id: red.id }]);
    expect((await shop.commerce('GET', `/orders/${placed.body.data!.id}`)).body.data).toEqual(placed.body.data);
    const simple = await shop.commerce('POST', `/products/${red.id}/ungroup`);
    expect(simple.body.error!.details).toMatchObject({ reason: 'not_a_parent' });
    await isSound(shop);
  });
});

test('parents are as their variants after orders at once that sell them out', async () => {
  const shop = await server.company();
  const made = [];
  for (const name of ['Tee', 'Cap'])
    made.push(await shirt(shop, { name, variants: SHIRT.variants.map(({ sku: _, barcode: __, ...one }) => one) }));
  const buyer = await customer(shop);
  const [tee, cap] = made as [(typeof made)[0], (typeof made)[0]];
  /** Repeated while a busy machine refuses it, as clients do. */
  const place = async (...items: [number, number][]): Promise<number> => {
    const { status, body } = await shop.commerce('POST', '/orders', order(buyer, ...items));
    return body.error?.details?.reason === 'overloaded' ? place(...items) : status;
  };
  const statuses = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      i % 2 === 0 ? place([tee.red.id, 1], [cap.blue.id, 1]) : place([cap.red.id, 1], [tee.blue.id, 1]),
    ),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(6);
  expect(await read(shop, tee.parent.id)).toMatchObject({ stock_qty: 1 });
  await isSound(shop);
});

test('the variants of a draft are drafts once they are ungrouped', async () => {
  const shop = await server.company();
  const { parent, red } = await shirt(shop, { status: 'draft' });
  await shop.commerce('POST', `/products/${parent.id}/ungroup`);
  expect(await read(shop, red.id)).toMatchObject({ status: 'draft', active: false });
  await isSound(shop);
});

describe('recommendations', () => {
  test('count and show parents, for variants as for parents', async () => {
    const shop = await server.company();
    const { parent, red, blue } = await shirt(shop);
    const mug = (await shop.commerce('POST', '/products', { name: 'Mug', price: 5, stock_qty: 9 })).body.data!.id;
    const buyer = await customer(shop);
    for (const variant of [red.id, blue.id]) {
      await shop.commerce('POST', '/orders', order(buyer, [variant, 1], [mug, 1]));
    }
    const { db, clock } = server.app;
    const run = createRecommendations({ db: db.chores, clock, log: pino({ level: 'silent' }) });
    while ((await run()) === UNFINISHED);
    const related = async (id: number) =>
      (await shop.commerce('GET', `/products/${id}/related`)).body.data!.map((one: { id: number }) => one.id);
    await expect.poll(() => related(mug)).toEqual([parent.id]);
    expect(await related(parent.id)).toEqual([mug]);
    expect(await related(red.id)).toEqual([mug]);
  });
});
