import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sealSecrets } from '../../commerce/payments/accounts/account.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testStore } from '../testing-store.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let store: Awaited<ReturnType<typeof testStore>>;
/** Ids by name. */
const ids: Record<string, number> = {};

async function make(path: string, body: object): Promise<{ id: number; slug: string }> {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

async function product(name: string, more: object = {}): Promise<void> {
  ids[name] = (await make('/products', { name, price: 20, stock_qty: 50, ...more })).id;
}

const names = (body: { data: { name: string }[] }): string[] => body.data.map(({ name }) => name);

beforeAll(async () => {
  shop = await server.company({ name: 'Mug shop', currency: 'EUR' });
  store = await testStore(server, shop.company_id);
  const field = { type: 'text', filterable: true };
  for (const on of ['product', 'variant', 'collection']) {
    await make('/custom-fields', {
      ...field,
      on,
      key: 'material',
      name: 'Material',
      visible: 'store',
      filterable: on !== 'collection',
    });
    await make('/custom-fields', { ...field, on, key: 'supplier', name: 'Supplier', filterable: on !== 'collection' });
  }
  const custom = { material: 'clay', supplier: 'SECRET supplier' };
  await product('Red mug', {
    cost: 3.17,
    low_stock_at: 33,
    tax_class: 'SECRET class',
    custom,
    sku: 'MUG-1',
    categories: ['mugs'],
    description: 'For tea.',
    compare_at_price: 25,
  });
  await product('Draft mug', { status: 'draft', categories: ['mugs'] });
  await product('Archived mug', { status: 'archived', categories: ['mugs'] });
  await product('Three', { stock_qty: 3 });
  await product('Sold out', { stock_qty: 0 });
  await product('Endless', { track_stock: false, stock_qty: undefined });
  const variant = (size: string, more: object = {}) => ({
    options: [{ name: 'Size', value: size }],
    price: 10,
    stock_qty: 2,
    cost: 3.17,
    custom: { material: size, supplier: 'SECRET supplier' },
    ...more,
  });
  await product('Shirt', {
    price: undefined,
    stock_qty: undefined,
    description: 'Of cotton.',
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    variants: [variant('S'), variant('M', { stock_qty: 0, price: 12 }), variant('L', { status: 'draft' })],
  });
  const gifts = await make('/collections', { name: 'Mug gifts', kind: 'manual', description: 'To give.', custom });
  await shop.commerce('PUT', `/collections/${gifts.id}/products`, {
    product_ids: [ids.Three, ids['Draft mug'], ids['Red mug']],
  });
});

describe('what is for staff', () => {
  test('is in no response: cost, hidden custom fields, drafts and archived products', async () => {
    const paths = [
      ...['/products?facets=option:Size,custom.material,price', '/products/red-mug', `/products/${ids.Shirt}`],
      ...['/products?search=mug', '/collections', '/collections/mug-gifts', '/products?collection=mug-gifts'],
      ...['/categories', '/suggest?q=mug', '/suggest?q=shirt', `/products/${ids.Three}/related`, '/shop'],
    ];
    for (const path of paths) {
      const { status, body } = await store.get(path);
      expect([path, status]).toEqual([path, 200]);
      const text = JSON.stringify(body);
      for (const hidden of [
        'SECRET',
        'supplier',
        'cost',
        '3.17',
        'low_stock',
        'revision',
        'tax_class',
        'Draft mug',
        'Archived mug',
      ])
        expect([path, hidden, text.includes(hidden)]).toEqual([path, hidden, false]);
    }
  });

  test.each(['draft-mug', 'archived-mug', 'shirt-l'])('%s is not found, and has no related products', async (slug) => {
    const all = await shop.commerce('GET', `/products/${slug}`);
    expect(all.status).toBe(200);
    for (const ref of [slug, all.body.data.id]) {
      expect((await store.get(`/products/${ref}`)).status).toBe(404);
      expect((await store.get(`/products/${ref}/related`)).status).toBe(404);
    }
  });

  test('cannot be asked for: custom fields as filters and facets, the order by stock, other lists', async () => {
    expect(names((await store.get('/products?custom.material=clay')).body)).toEqual(['Red mug']);
    for (const query of ['custom.supplier=SECRET%20supplier', 'facets=price,custom.supplier', 'custom.nothing=1']) {
      const refused = await store.get(`/products?${query}`);
      expect([query, refused.status, refused.body.error.details.fields[0].code]).toEqual([query, 400, 'unknown']);
    }
    for (const query of ['sort=stock_asc', 'archived=true', 'status=draft', 'include=variants', 'format=csv'])
      expect([query, (await store.get(`/products?${query}`)).status]).toEqual([query, 400]);
  });

  test('of variants hides a field that products show under the same key', async () => {
    const other = await server.company();
    const theirs = await testStore(server, other.company_id);
    for (const [on, visible] of [
      ['product', 'store'],
      ['variant', 'staff'],
    ])
      await other.commerce('POST', '/custom-fields', {
        on,
        key: 'grade',
        name: 'Grade',
        type: 'text',
        filterable: true,
        visible,
      });
    expect((await theirs.get('/products?custom.grade=B')).status).toBe(400);
    expect((await theirs.get('/products?facets=custom.grade')).status).toBe(400);
  });
});

describe('products', () => {
  test('are listed newest first in pages, with facets, as the commerce API filters them', async () => {
    const { body } = await store.get('/products?per_page=2&page=2&facets=category');
    expect(names(body)).toEqual(['Sold out', 'Three']);
    expect(body).toMatchObject({
      success: true,
      meta: {
        request_id: expect.any(String),
        pagination: { page: 2, per_page: 2, total: 5, total_pages: 3 },
        facets: [{ key: 'category', values: [{ value: 'mugs', count: 1 }] }],
      },
    });
    expect(names((await store.get('/products?collection=mug-gifts')).body)).toEqual(['Three', 'Red mug']);
    expect(names((await store.get('/products?option.Size=M')).body)).toEqual(['Shirt']);
    expect(names((await store.get('/products?in_stock=false')).body)).toEqual(['Sold out']);
    expect(names((await store.get('/products?sort=price_desc&price_min=10&category=mugs')).body)).toEqual(['Red mug']);
  });

  test('are read by id and slug', async () => {
    const bySlug = await store.get('/products/red-mug');
    expect(bySlug.body.data).toEqual({
      id: ids['Red mug'],
      name: 'Red mug',
      slug: 'red-mug',
      description: 'For tea.',
      description_html: '<p>For tea.</p>',
      seo_title: 'Red mug',
      seo_description: 'For tea.',
      price: 20,
      compare_at_price: 25,
      price_max: null,
      in_stock: true,
      stock_qty: null,
      few_left: null,
      subscription_enabled: false,
      categories: ['mugs'],
      images: [],
      sku: 'MUG-1',
      barcode: null,
      weight_g: null,
      requires_shipping: true,
      has_variants: false,
      options: [],
      variant_of: null,
      title: null,
      position: null,
      custom: { material: 'clay' },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await store.get(`/products/${ids['Red mug']}`)).body.data).toEqual(bySlug.body.data);
    expect((await store.get('/products/nothing')).status).toBe(404);
  });

  test.each([
    ['red-mug', true, null],
    ['three', true, 3],
    ['sold-out', false, null],
    ['endless', true, null],
    ['shirt', true, 2],
    ['shirt-s', true, 2],
    ['shirt-m', false, null],
  ])('%s: in stock %s, few left %s', async (slug, in_stock, few_left) => {
    expect((await store.get(`/products/${slug}`)).body.data).toMatchObject({ in_stock, few_left });
  });

  test('show as much of the stock as the shop wants', async () => {
    const stockAt = async (show_stock: string) => {
      await shop.commerce('PATCH', '/checkout-settings', { show_stock });
      const { in_stock, stock_qty, few_left } = (await store.get('/products/three')).body.data;
      return [in_stock, stock_qty, few_left];
    };
    expect(await stockAt('exact')).toEqual([true, 3, 3]);
    expect(await stockAt('none')).toEqual([null, null, null]);
    expect((await store.get('/products?in_stock=true')).status).toBe(400);
    expect((await store.get('/products?facets=in_stock')).status).toBe(400);
    expect(await stockAt('few')).toEqual([true, null, 3]);
  });

  test('with variants have the active ones by position, each readable by itself', async () => {
    const { data } = (await store.get('/products/shirt')).body;
    expect(data).toMatchObject({ price: 10, price_max: 12, has_variants: true, description: 'Of cotton.' });
    expect(data.variants.map(({ title, price, custom }: never) => [title, price, custom])).toEqual([
      ['S', 10, { material: 'S' }],
      ['M', 12, { material: 'M' }],
    ]);
    const single = (await store.get(`/products/${data.variants[0].id}`)).body.data;
    expect(single).toEqual({
      ...data.variants[0],
      description: 'Of cotton.',
      description_html: '<p>Of cotton.</p>',
      seo_title: 'Shirt – S',
      seo_description: 'Of cotton.',
    });
    expect(single.variant_of).toBe(data.id);
  });

  test('with more than a hundred variants have them all', async () => {
    const values = (name: string, n: number) => ({ name, values: Array.from({ length: n }, (_, i) => `${name}${i}`) });
    const options = [values('A', 13), values('B', 9)];
    const first = { options: options.map(({ name, values: [value] }) => ({ name, value })), price: 1 };
    const { id } = await make('/products', { name: 'Many', options, variants: [first] });
    await make(`/products/${id}/variants/generate`, { price: 1, stock_qty: 1 });
    const last = (await shop.commerce('GET', `/products/${id}/variants?per_page=1&page=117`)).body.data[0];
    await shop.commerce('PATCH', `/products/${last.id}`, { status: 'archived' });
    const { variants } = (await store.get(`/products/${id}`)).body.data;
    expect(new Set(variants.map((one: { id: number }) => one.id)).size).toBe(116);
    expect(variants.map((one: { id: number }) => one.id)).not.toContain(last.id);
    await shop.commerce('PATCH', `/products/${id}`, { status: 'archived' });
    expect((await store.get(`/products/${variants[0].id}`)).status).toBe(404);
  });
});

test('the shop tells its name, currency, and where an active method ships to', async () => {
  const shown = { name: 'Mug shop', currency: 'EUR', country: 'US', prices_include_tax: false, show_stock: 'few' };
  const everywhere = (await store.get('/shop')).body.data;
  expect(everywhere).toMatchObject(shown);
  expect(everywhere.countries).toHaveLength(249);
  const methods = (await shop.commerce('GET', '/shipping-methods')).body.data;
  await shop.commerce('PATCH', `/shipping-methods/${methods[0].id}`, { active: false });
  const zone = await make('/shipping-zones', { name: 'Near', countries: ['DE', 'AT'] });
  await make('/shipping-methods', { zone_id: zone.id, name: 'Post', type: 'flat', cost: 4 });
  await make('/shipping-zones', { name: 'Without a method', countries: ['FR'] });
  await expect
    .poll(async () => (await store.get('/shop')).body.data)
    .toEqual({
      ...shown,
      countries: ['AT', 'DE'],
      payment_methods: [],
    });
});

test('the shop tells how buyers may pay, by position, but nothing for staff and nothing that follows an order', async () => {
  const told = { description: 'First the money.', instructions: 'SECRET account', min_total: 5 };
  const transfer = await make('/payment-methods', { kind: 'bank_transfer', name: 'Transfer', position: 2, ...told });
  const door = await make('/payment-methods', { kind: 'cash_on_delivery', name: 'At the door', max_total: 99.5 });
  await make('/payment-methods', { kind: 'cash', name: 'Till', staff_only: true });
  await make('/payment-methods', { kind: 'other', name: 'Old', active: false });
  const methods = async () => (await store.get('/shop')).body.data.payment_methods;
  await expect.poll(async () => (await methods()).length).toBe(2);
  expect(await methods()).toEqual([
    {
      id: door.id,
      provider: 'manual',
      kind: 'cash_on_delivery',
      name: 'At the door',
      description: null,
      places: 'at_once',
      capture: 'at_once',
      min_total: null,
      max_total: 99.5,
      publishable_key: null,
    },
    {
      id: transfer.id,
      provider: 'manual',
      kind: 'bank_transfer',
      name: 'Transfer',
      description: 'First the money.',
      places: 'when_paid',
      capture: 'at_once',
      min_total: 5,
      max_total: null,
      publishable_key: null,
    },
  ]);
});

test('the shop tells the provider and its publishable key, while the account is active', async () => {
  const { company_id } = shop;
  const insert = `
    insert into payment_accounts
      (company_id, provider, mode, name, active, publishable_key, sealed_config, webhook_token, created_at, updated_at)
    values ($1, 'stripe', 'test', 'Stripe', true, 'pk_test_1234', $2, $3, now(), now()) returning id`;
  const sealed = sealSecrets(server.app.masterKey, { secret_key: 'sk_test_SECRET', webhook_secrets: [] });
  const [account] = await server.rows<{ id: string }>(insert, [company_id, sealed, randomUUID()]);
  const fields = { provider: 'stripe', kind: 'any', name: 'Online', account_id: Number(account!.id) };
  const { id } = await make('/payment-methods', fields);
  const online = async () => {
    const { data } = (await store.get('/shop')).body;
    return data.payment_methods.filter((one: { id: number }) => one.id === id);
  };
  const told = { id, provider: 'stripe', kind: 'any', places: 'when_paid', publishable_key: 'pk_test_1234' };
  await expect.poll(online).toMatchObject([told]);
  expect(JSON.stringify(await online())).not.toContain('SECRET');
  await server.rows('update payment_accounts set active = false where company_id = $1', [company_id]);
  await expect.poll(online).toEqual([]);
});

test('collections and categories are listed and read without what is for staff', async () => {
  const collection = {
    id: expect.any(Number),
    slug: 'mug-gifts',
    name: 'Mug gifts',
    description: 'To give.',
    image: null,
    custom: { material: 'clay' },
  };
  const listed = (await store.get('/collections')).body;
  expect(listed.data).toEqual([collection]);
  expect(listed.meta.pagination.total).toBe(1);
  expect((await store.get('/collections/mug-gifts')).body.data).toEqual({
    ...collection,
    description_html: '<p>To give.</p>',
    seo_title: 'Mug gifts',
    seo_description: 'To give.',
  });
  expect((await store.get('/collections/nothing')).status).toBe(404);
  expect((await store.get('/categories')).body.data).toEqual([{ slug: 'mugs', name: 'Mugs', description: '' }]);
});

test('a collection shows its picture', async () => {
  const link = { raw: Buffer.from(PIXEL, 'base64'), headers: { 'x-api-key': shop.key, 'content-type': 'image/png' } };
  const media = (await server.request('POST', '/commerce/v1/media', link)).body.data;
  await shop.commerce('PATCH', `/media/${media.id}`, { alt: 'A table' });
  await shop.commerce('PATCH', '/collections/mug-gifts', { image_media_id: media.id });
  expect((await store.get('/collections/mug-gifts')).body.data.image).toEqual({ url: media.url, alt: 'A table' });
  expect((await store.get('/collections')).body.data[0].image).toEqual({ url: media.url, alt: 'A table' });
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('related products are those of the commerce API', async () => {
  await server.rows('insert into products_together (company_id, product_id, other_id, orders) values ($1, $2, $3, 5)', [
    ...[shop.company_id, ids['Red mug'], ids.Three],
  ]);
  const { body } = await store.get('/products/red-mug/related');
  expect(names(body)).toEqual(['Three']);
  expect(body.data[0]).toMatchObject({ few_left: 3 });
});

test('suggestions are 8 products, 4 collections and 4 categories at most, the best first', async () => {
  const other = await server.company();
  const theirs = await testStore(server, other.company_id);
  for (let n = 0; n < 10; n++) {
    await other.commerce('POST', '/products', {
      name: `Teapot ${n}`,
      price: 1,
      images: [{ url: `https://a.example/${n}.png` }],
    });
    await other.commerce('POST', '/collections', { name: `Teapot ${n} gifts`, kind: 'manual' });
    await other.commerce('POST', '/categories', { name: `Any teapot ${n}` });
  }
  await other.commerce('POST', '/collections', { name: 'Cups', kind: 'manual' });
  await other.commerce('POST', '/products', { name: 'Lid', description: 'Of a teapot 3', price: 1 });
  const { data } = (await theirs.get('/suggest?q=teapot')).body;
  expect([data.products.length, data.collections.length, data.categories.length]).toEqual([8, 4, 4]);
  expect(JSON.stringify(data)).not.toContain('Cups');
  expect((await theirs.get('/suggest?q=teapot%203')).body.data).toEqual({
    products: [
      expect.objectContaining({ name: 'Teapot 3', slug: 'teapot-3', price: 1, image: 'https://a.example/3.png' }),
      expect.objectContaining({ name: 'Lid', image: null }),
    ],
    collections: [{ slug: 'teapot-3-gifts', name: 'Teapot 3 gifts' }],
    categories: [{ slug: 'any-teapot-3', name: 'Any teapot 3' }],
  });
  expect((await theirs.get('/suggest')).status).toBe(400);
  expect((await theirs.get('/suggest?q=')).status).toBe(400);
});
