import pino from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestImports } from '../../imports/testing/imports.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestBody, type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { removeDeletedFields } from './removal.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});

const fieldsOf = ({ body }: TestResponse): string[] =>
  body.error!.details!.fields!.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);

async function made(path: string, body: object): Promise<TestBody> {
  const response = await shop.commerce('POST', path, body);
  expect(response.body).toMatchObject({ success: true });
  return response.body.data!;
}

const define = (on: string, key: string, type: string, more: object = {}): Promise<TestBody> =>
  made('/custom-fields', { on, key, name: key, type, ...more });

const product = (custom: object | undefined, more: object = {}) =>
  shop.commerce('POST', '/products', { name: 'Mug', price: 10, stock_qty: 5, custom, ...more });

async function isSound(): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ examples }) => examples.some((one) => one.company_id === shop.company_id))).toEqual([]);
}

const removeAll = async (): Promise<void> => {
  const slice = removeDeletedFields({ db: server.app.db, log: pino({ level: 'silent' }) });
  while ((await slice(null)).next !== null);
};

const exported = async (query = ''): Promise<string> => {
  const list = `${server.origin}/commerce/v1/products?format=csv${query}`;
  return (await fetch(list, { headers: { 'x-api-key': shop.key } })).text();
};

describe('a definition', () => {
  test('is created with its defaults, listed by position, changed and deleted', async () => {
    const material = await define('product', 'material', 'text');
    expect(material).toEqual({
      id: expect.any(Number),
      on: 'product',
      key: 'material',
      name: 'material',
      type: 'text',
      list: false,
      required: false,
      rules: {},
      visible: 'staff',
      filterable: false,
      position: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await define('product', 'origin', 'text', { position: 0 });
    await define('customer', 'origin', 'text');
    const listed = await shop.commerce('GET', '/custom-fields?on=product');
    expect(listed.body.data!.map(({ key }: TestBody) => key)).toEqual(['origin', 'material']);
    expect(listed.body.meta!.pagination!.total).toBe(2);
    const path = `/custom-fields/${material.id}`;
    const patch = { name: 'Material', rules: { max_length: 20 }, visible: 'store', filterable: true, required: true };
    const changed = await shop.commerce('PATCH', path, patch);
    expect(changed.body.data).toEqual({ ...material, ...patch, updated_at: expect.any(String) });
    expect((await shop.commerce('GET', path)).body.data).toEqual(changed.body.data);
    expect((await shop.commerce('DELETE', path)).body.data).toEqual(changed.body.data);
    expect((await shop.commerce('GET', path)).status).toBe(404);
    expect((await shop.commerce('PATCH', path, { name: 'X' })).status).toBe(404);
    expect((await shop.commerce('DELETE', path)).status).toBe(404);
  });

  test('has a key of its own, and rules of its type', async () => {
    await define('product', 'size', 'integer');
    const post = (body: object) =>
      shop.commerce('POST', '/custom-fields', { on: 'product', key: 'x', name: 'X', type: 'text', ...body });
    expect((await post({ key: 'size' })).body.error!.details).toMatchObject({ reason: 'duplicate', field: 'key' });
    expect(fieldsOf(await post({ key: 'Size' }))).toEqual(['key wrong_format']);
    expect(fieldsOf(await post({ on: 'cart' }))).toEqual(['on not_allowed']);
    expect(fieldsOf(await post({ type: 'rating' }))).toEqual(['type not_allowed']);
    expect(fieldsOf(await post({ rules: { min: 1, choices: ['a'] } }))).toEqual([
      'rules.min not_allowed',
      'rules.choices not_allowed',
    ]);
    expect(fieldsOf(await post({ rules: { max_length: 2_000 } }))).toEqual(['rules.max_length out_of_range']);
    expect(fieldsOf(await post({ type: 'choice' }))).toEqual(['rules.choices required']);
    expect(fieldsOf(await post({ type: 'choice', rules: { choices: ['a', 'a'] } }))).toEqual([
      'rules.choices duplicate',
    ]);
    expect(fieldsOf(await post({ type: 'date', rules: { min: '2026-02-30', max: 3 } }))).toEqual([
      'rules.min wrong_format',
      'rules.max wrong_format',
    ]);
    expect(fieldsOf(await post({ type: 'decimal', rules: { min: 3, max: 2 } }))).toEqual(['rules.max out_of_range']);
    expect(fieldsOf(await post({ type: 'url', filterable: true }))).toEqual(['filterable not_allowed']);
    expect(fieldsOf(await post({ on: 'customer', filterable: true }))).toEqual(['filterable not_allowed']);
    const moment = await post({ key: 'since', type: 'moment', rules: { min: '2026-01-01T01:00:00+01:00' } });
    expect(moment.body.data!.rules).toEqual({ min: '2026-01-01T00:00:00.000Z' });
  });

  test('is not changed while stored values do not satisfy it', async () => {
    const field = await define('product', 'size', 'text');
    const path = `/custom-fields/${field.id}`;
    await product({ size: 'L' });
    await product({ size: 'M' });
    await product({ size: 'XXL' }, { name: 'Tee' });
    const refused = await shop.commerce('PATCH', path, { rules: { max_length: 1 } });
    expect(refused.status).toBe(422);
    expect(refused.body.error!.details).toMatchObject({ reason: 'in_use', count: 1 });
    for (const patch of [{ type: 'integer' }, { list: true }]) {
      expect((await shop.commerce('PATCH', path, patch)).body.error!.details).toMatchObject({ count: 3 });
    }
    const choices = { type: 'choice', rules: { choices: ['M', 'L', 'XXL'] } };
    expect((await shop.commerce('PATCH', path, choices)).body.data).toMatchObject(choices);
    expect(fieldsOf(await product({ size: 'S' }))).toEqual(['custom.size not_allowed']);
    // A type without choices has none of the old rules.
    expect((await shop.commerce('PATCH', path, { type: 'long_text' })).body.data).toMatchObject({ rules: {} });
    await isSound();
  });

  test('is gone at once, and its values soon', async () => {
    const field = await define('customer', 'size', 'integer');
    const other = await define('product', 'size', 'integer');
    const customer = await made('/customers', { email: 'a@example.com', custom: { size: 3 } });
    const mug = (await product({ size: 4 })).body.data!;
    await shop.commerce('DELETE', `/custom-fields/${field.id}`);
    const path = `/customers/${customer.id}`;
    expect(fieldsOf(await shop.commerce('PATCH', path, { custom: { size: 4 } }))).toEqual(['custom.size unknown']);
    const again = { on: 'customer', key: 'size', name: 'Size', type: 'text' };
    expect((await shop.commerce('POST', '/custom-fields', again)).body.error!.details).toMatchObject({
      reason: 'duplicate',
    });
    await isSound();
    await removeAll();
    expect((await shop.commerce('GET', path)).body.data!.custom).toEqual({});
    expect((await shop.commerce('GET', `/products/${mug.id}`)).body.data!.custom).toEqual({ size: 4 });
    expect((await shop.commerce('GET', `/custom-fields/${other.id}`)).status).toBe(200);
    await made('/custom-fields', again);
    await isSound();
  });

  test('counts among 256 of a kind of record', async () => {
    await server.rows(
      `insert into custom_fields (company_id, "on", key, name, type, created_at, updated_at)
       select ${shop.company_id}, 'order', 'f' || n, 'F', 'text', now(), now() from generate_series(1, 256) n`,
    );
    const one = { key: 'more', name: 'More', type: 'text' };
    expect((await shop.commerce('POST', '/custom-fields', { on: 'order', ...one })).status).toBe(422);
    await made('/custom-fields', { on: 'product', ...one });
  });
});

/** A value of each type as it is given and as it is stored, and one that is refused. */
const TYPES: [type: string, rules: object, given: unknown, stored: unknown, wrong: unknown, code: string][] = [
  ['text', { max_length: 9 }, ' =1, "2" ', '=1, "2"', 'a\nb', 'wrong_format'],
  ['long_text', {}, 'a\nb', 'a\nb', 'x'.repeat(10_001), 'too_long'],
  ['integer', { min: -3, max: 5 }, -3, -3, 1.5, 'wrong_type'],
  ['decimal', {}, 0.125, 0.125, 0.1234567, 'too_many_decimals'],
  ['boolean', {}, false, false, 'no', 'wrong_type'],
  ['date', { min: '2026-01-01' }, '2026-02-28', '2026-02-28', '2026-02-29', 'wrong_format'],
  ['moment', {}, '2026-02-28T10:00:00+01:00', '2026-02-28T09:00:00.000Z', 'today', 'wrong_format'],
  ['choice', { choices: ['Red', 'Dark blue'] }, 'Dark blue', 'Dark blue', 'Blue', 'not_allowed'],
  ['url', {}, 'https://example.com/a?b=1', 'https://example.com/a?b=1', 'javascript:1', 'wrong_format'],
  ['color', {}, '#FFaa00', '#ffaa00', 'red', 'wrong_format'],
  ['weight', { max: 2_000 }, 1_250.5, 1_250.5, 2_001, 'out_of_range'],
  ['length', {}, 25.4, 25.4, -1, 'out_of_range'],
  ['money', {}, 12.5, 12.5, 12.345, 'too_many_decimals'],
];

describe('a value', () => {
  test.each(TYPES)(
    'of the type %s goes through the API and a CSV file',
    async (type, rules, given, stored, wrong, code) => {
      await define('product', 'one', type, { rules });
      await define('product', 'many', type, { rules, list: true });
      const mug = (await product({ one: given, many: [given, given] })).body.data!;
      const custom = { one: stored, many: [stored, stored] };
      expect(mug.custom).toEqual(custom);
      expect((await shop.commerce('GET', `/products/${mug.id}`)).body.data!.custom).toEqual(custom);
      expect((await shop.commerce('GET', '/products')).body.data![0].custom).toEqual(custom);
      expect(fieldsOf(await product({ one: wrong, many: [given, wrong] }))).toEqual([
        `custom.one ${code}`,
        `custom.many ${code}`,
      ]);
      expect(fieldsOf(await product({ one: [given], many: given }))).toEqual([
        'custom.one wrong_type',
        'custom.many wrong_type',
      ]);
      const file = await exported('&include=variants');
      const imports = new TestImports(server, shop);
      expect(await imports.import('csv-products', file)).toMatchObject({ unchanged: 1, updated: 0, refused: 0 });
      await shop.commerce('PATCH', `/products/${mug.id}`, { custom: { one: null, many: null } });
      expect(await imports.import('csv-products', file)).toMatchObject({ unchanged: 0, updated: 1, refused: 0 });
      expect((await shop.commerce('GET', `/products/${mug.id}`)).body.data!.custom).toEqual(custom);
      await isSound();
    },
  );

  test('of the types media, product and collection refers to a record', async () => {
    for (const type of ['media', 'product', 'collection']) {
      await define('product', type, type);
      await define('product', `${type}s`, type, { list: true });
    }
    const media = (await made('/media', { kind: 'link', url: 'https://example.com/film', title: 'Film' })).id;
    const collection = (await made('/collections', { name: 'Picks', kind: 'manual' })).id;
    const tea = (await product(undefined, { name: 'Tea' })).body.data!.id;
    const custom = {
      media,
      product: tea,
      collection,
      products: [tea],
      medias: [media, media],
      collections: [collection],
    };
    const mug = (await product(custom)).body.data!;
    expect(mug.custom).toEqual(custom);
    const unknown = 987_654_321;
    expect(fieldsOf(await product({ media: unknown, products: [tea, unknown], collection: 'picks' }))).toEqual([
      'custom.media unknown',
      'custom.products unknown',
      'custom.collection wrong_type',
    ]);
    const imports = new TestImports(server, shop);
    expect(await imports.import('csv-products', await exported())).toMatchObject({ unchanged: 2, refused: 0 });
    // What refers to a record that was deleted stays, and is not looked at by changes of other values.
    await shop.commerce('DELETE', `/collections/${collection}`);
    const later = await shop.commerce('PATCH', `/products/${mug.id}`, { custom: { product: null } });
    expect(later.body.data!.custom).toMatchObject({ collection });
    await isSound();
  });

  test('is merged by key, cleared by null, and refused for an unknown key', async () => {
    await define('product', 'a', 'text');
    await define('product', 'b', 'text', { required: true });
    await define('variant', 'c', 'text');
    expect(fieldsOf(await product({ a: 'x' }))).toEqual(['custom.b required']);
    expect(fieldsOf(await product(undefined))).toEqual(['custom.b required']);
    const { id } = (await product({ a: 'x', b: 'y' })).body.data!;
    const patch = (custom: object) => shop.commerce('PATCH', `/products/${id}`, { custom });
    expect((await patch({ b: 'z' })).body.data!.custom).toEqual({ a: 'x', b: 'z' });
    expect((await patch({ a: null })).body.data!.custom).toEqual({ b: 'z' });
    expect(fieldsOf(await patch({ b: '', c: 'x', d: 1 }))).toEqual([
      'custom.b required',
      'custom.c unknown',
      'custom.d unknown',
    ]);
    const revision = (await patch({ a: 'x' })).body.data!.revision;
    expect((await patch({ a: 'y' })).body.data!.revision).toBe(revision + 1);
    const several = await shop.commerce('PATCH', '/products', { products: [{ id, custom: { a: 1 } }] });
    expect(fieldsOf(several)).toEqual(['products.0.custom.a wrong_type']);
  });

  test('takes at most 32,768 characters together with the others of its record', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await define('product', key, 'long_text');
    const text = 'x'.repeat(10_000);
    expect(fieldsOf(await product({ a: text, b: text, c: text, d: text }))).toEqual(['custom too_long']);
    expect((await product({ a: text, b: text, c: text })).status).toBe(201);
  });

  test('belongs to customers, until they are erased, and follows a merge', async () => {
    await define('customer', 'tier', 'choice', { rules: { choices: ['gold', 'silver'] } });
    await define('customer', 'size', 'integer');
    await define('order', 'gift', 'text');
    const one = await made('/customers', { email: 'a@example.com', custom: { tier: 'gold' } });
    const two = await made('/customers', { email: 'b@example.com', custom: { tier: 'silver', size: 3 } });
    expect((await shop.commerce('GET', '/customers')).body.data!.map(({ custom }: TestBody) => custom)).toEqual([
      { size: 3, tier: 'silver' },
      { tier: 'gold' },
    ]);
    expect(fieldsOf(await shop.commerce('PATCH', `/customers/${one.id}`, { custom: { tier: 'tin' } }))).toEqual([
      'custom.tier not_allowed',
    ]);
    const merged = await shop.commerce('POST', `/customers/${one.id}/merge`, { from: two.id });
    expect(merged.body.data!.custom).toEqual({ tier: 'gold', size: 3 });
    const { id } = (await product(undefined)).body.data!;
    const order = await made('/orders', { ...orderOf(one.id, id), custom: { gift: 'For Ann' } });
    await shop.commerce('DELETE', `/customers/${one.id}`);
    await server.app.workers.find(({ name }) => name === 'erasures')!.runOnce();
    const rows = await server.rows<{ custom: object }>(
      `select custom from customers where company_id = ${shop.company_id} union all select custom from orders where company_id = ${shop.company_id}`,
    );
    expect(rows.map(({ custom }) => custom)).toEqual([{}, {}, {}]);
    expect((await shop.commerce('GET', `/orders/${order.id}`)).body.data!.custom).toEqual({});
  });

  test('of a merged customer is left out where all together would be too long', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await define('customer', key, 'long_text');
    const text = 'x'.repeat(9_000);
    const one = await made('/customers', { email: 'a@example.com', custom: { a: text, b: text } });
    const two = await made('/customers', { email: 'b@example.com', custom: { b: 'other', c: text, d: text, e: 'z' } });
    const merged = await shop.commerce('POST', `/customers/${one.id}/merge`, { from: two.id });
    const { custom } = merged.body.data!;
    expect([custom.a, custom.b, custom.e]).toEqual([text, text, 'z']);
    expect(Object.keys(custom)).toHaveLength(4);
    await isSound();
  });

  test('may have a key that objects inherit', async () => {
    await define('product', 'constructor', 'text', { required: true });
    expect(fieldsOf(await product(undefined))).toEqual(['custom.constructor required']);
    expect(fieldsOf(await product({}))).toEqual(['custom.constructor required']);
    expect((await product({ constructor: 'Ann' })).body.data!.custom).toEqual({ constructor: 'Ann' });
    await server.rows(`update products set custom = '{}' where company_id = ${shop.company_id}`);
    const [header, line] = (await exported()).trim().split('\r\n');
    const at = header!.split(',').indexOf('custom.constructor');
    expect(line).not.toContain('function');
    expect([at > 0, line!.split(',')[at]]).toEqual([true, '']);
  });

  test('belongs to collections', async () => {
    await define('collection', 'season', 'text', { required: true });
    const post = (custom?: object) => shop.commerce('POST', '/collections', { name: 'X', kind: 'manual', custom });
    expect(fieldsOf(await post())).toEqual(['custom.season required']);
    const { slug, custom } = (await post({ season: 'Spring' })).body.data!;
    expect(custom).toEqual({ season: 'Spring' });
    const changed = await shop.commerce('PATCH', `/collections/${slug}`, { custom: { season: 'Summer' } });
    expect(changed.body.data).toMatchObject({ custom: { season: 'Summer' }, revision: 2 });
    expect((await shop.commerce('GET', '/collections')).body.data![0].custom).toEqual({ season: 'Summer' });
    await isSound();
  });

  test('belongs to orders, which need the required ones', async () => {
    const customer = (await made('/customers', { email: 'a@example.com' })).id;
    const { id } = (await product(undefined)).body.data!;
    const place = (custom?: object) => shop.commerce('POST', '/orders', { ...orderOf(customer, id), custom });
    await define('order', 'po', 'text', { required: true });
    await define('order', 'gift', 'product');
    expect(fieldsOf(await place())).toEqual(['custom.po required']);
    expect(fieldsOf(await place({ po: 3, gift: 987_654_321, x: 1 }))).toEqual([
      'custom.po wrong_type',
      'custom.gift unknown',
      'custom.x unknown',
    ]);
    expect((await shop.commerce('POST', '/orders/calculate', orderOf(customer, id))).status).toBe(200);
    const order = (await place({ po: 'A-1', gift: id })).body.data!;
    expect(order.custom).toEqual({ po: 'A-1', gift: id });
    const status = (body: object) => shop.commerce('PATCH', `/orders/${order.id}/status`, body);
    expect((await status({ custom: { po: 'A-2' } })).body.data).toMatchObject({
      status: 'pending',
      custom: { po: 'A-2', gift: id },
    });
    expect(fieldsOf(await status({ custom: { po: null } }))).toEqual(['custom.po required']);
    expect((await status({ status: 'processing' })).body.data!.custom).toEqual({ po: 'A-2', gift: id });
    expect((await shop.commerce('GET', '/orders')).body.data![0].custom).toEqual({ po: 'A-2', gift: id });
    const csv = await fetch(`${server.origin}/commerce/v1/orders?format=csv`, { headers: { 'x-api-key': shop.key } });
    const [header] = (await csv.text()).split('\r\n');
    expect(header).toContain(',custom.po,custom.gift,');
    await isSound();
  });
});

function orderOf(customer_id: number, product_id: number) {
  return {
    customer_id,
    items: [{ product_id, qty: 1 }],
    shipping_address: 'Unter den Linden 1',
    shipping_city: 'Berlin',
    shipping_zip: '10117',
  };
}

describe('a product with variants', () => {
  const size = (value: string) => [{ name: 'Size', value }];
  const OPTIONS = [{ name: 'Size', values: ['S', 'M'] }];

  beforeEach(async () => {
    await define('product', 'material', 'text');
    await define('product', 'code', 'text');
    await define('variant', 'code', 'text', { rules: { max_length: 3 } });
  });

  test('and each variant have values of their own', async () => {
    const variants = [
      { options: size('S'), price: 1, custom: { code: 's' } },
      { options: size('M'), price: 1, custom: { material: 'x' } },
    ];
    const tee = { name: 'Tee', options: OPTIONS, custom: { material: 'Linen' }, variants };
    expect(fieldsOf(await shop.commerce('POST', '/products', tee))).toEqual(['variants.1.custom.material unknown']);
    delete (variants[1] as { custom?: object }).custom;
    const parent = await made('/products', tee);
    expect(parent.custom).toEqual({ material: 'Linen' });
    expect(parent.variants.map(({ custom }: TestBody) => custom)).toEqual([{ code: 's' }, {}]);
    const generated = { price: 2, custom: { code: 'g' } };
    await shop.commerce('PUT', `/products/${parent.id}/options`, {
      options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    });
    const [large] = await made(`/products/${parent.id}/variants/generate`, generated);
    expect(large.custom).toEqual({ code: 'g' });
    const imports = new TestImports(server, shop);
    const file = await exported('&include=variants');
    expect(file.split('\r\n')[0]).toContain(',custom.material,custom.code,');
    expect(await imports.import('csv-products', file)).toMatchObject({ unchanged: 3, updated: 0, refused: 0 });
    await isSound();
  });

  test('takes over the values of the product that becomes its variant', async () => {
    const { id } = (await product({ material: 'Linen', code: 'abc' })).body.data!;
    const options = { options: OPTIONS, variant: size('S') };
    const parent = (await shop.commerce('PUT', `/products/${id}/options`, options)).body.data!;
    expect(parent.custom).toEqual({ material: 'Linen', code: 'abc' });
    expect(parent.variants[0].custom).toEqual({ code: 'abc' });
    await shop.commerce('POST', `/products/${parent.id}/ungroup`);
    expect((await shop.commerce('GET', `/products/${id}`)).body.data!.custom).toEqual({
      material: 'Linen',
      code: 'abc',
    });
    await isSound();
  });

  test('has the values of the first product that is grouped, and those given', async () => {
    const first = (await product({ material: 'Linen', code: 'a' }, { name: 'A' })).body.data!.id;
    const second = (await product({ material: 'Linen', code: 'b' }, { name: 'B' })).body.data!.id;
    const group = {
      name: 'Tee',
      options: OPTIONS,
      custom: { code: 'tee' },
      variants: [
        { product_id: first, options: size('S') },
        { product_id: second, options: size('M') },
      ],
    };
    const parent = await made('/products/group', group);
    expect(parent.custom).toEqual({ material: 'Linen', code: 'tee' });
    expect(parent.variants.map(({ custom }: TestBody) => custom)).toEqual([{ code: 'a' }, { code: 'b' }]);
    // None of several variants gets the values of their product.
    await made(`/products/${parent.id}/ungroup`, {});
    for (const [id, code] of [
      [first, 'a'],
      [second, 'b'],
    ]) {
      expect((await shop.commerce('GET', `/products/${id}`)).body.data!.custom).toEqual({ code });
    }
    await isSound();
  });

  test('is not made of products whose values would be lost', async () => {
    const first = (await product({ material: 'Linen', code: 'long' }, { name: 'A' })).body.data!.id;
    const second = (await product({ material: 'Wool', code: 'b' }, { name: 'B' })).body.data!.id;
    const group = {
      name: 'Tee',
      options: OPTIONS,
      variants: [
        { product_id: first, options: size('S') },
        { product_id: second, options: size('M') },
      ],
    };
    const post = (more: object = {}) => shop.commerce('POST', '/products/group', { ...group, ...more });
    expect(fieldsOf(await post())).toEqual(['variants.1.custom.material not_allowed']);
    // The first code is too long for variants.
    expect(fieldsOf(await post({ custom: { material: 'Wool', code: 'tee' } }))).toEqual([
      'variants.0.custom.code not_allowed',
      'variants.0.custom.material not_allowed',
    ]);
    await shop.commerce('PATCH', `/products/${second}`, { custom: { material: 'Linen' } });
    expect((await post()).body.data!.variants.map(({ custom }: TestBody) => custom)).toEqual([{}, { code: 'b' }]);
    await isSound();
  });
});

describe('a file of another shop', () => {
  test('of Shopify has metafields, those without a custom field are counted', async () => {
    await define('product', 'material', 'text');
    await define('product', 'net_weight', 'weight');
    await define('product', 'tags', 'text', { list: true });
    await define('variant', 'code', 'integer');
    const file = [
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,"Product Metafield: custom.material [single_line_text_field]",Net (product.metafields.my.net-weight),Metafield: custom.tags [list.single_line_text_field],Variant Metafield: x.code [number_integer],Metafield: custom.other [boolean]',
      'tee,Tee,Size,S,T-S,10,Linen,"{""value"":0.5,""unit"":""kg""}","[""soft"",""new, soon""]",7,true',
      'tee,,,M,T-M,10,,,,8,',
      'mug,Mug,Title,Default Title,MUG,5,Clay,,,9,true',
    ].join('\n');
    const imports = new TestImports(server, shop);
    const id = await imports.upload('shopify-products', file);
    const checked = await imports.check(id);
    expect(checked).toMatchObject({ created: 3, refused: 0 });
    expect(checked.notices).toContainEqual({
      code: 'column_not_kept',
      column: 'Metafield: custom.other [boolean]',
      count: 2,
    });
    await imports.run(id);
    expect((await imports.findings(id)).map(({ reason }) => reason)).toEqual([
      'custom.code: only variants have this custom field',
    ]);
    const tee = (await shop.commerce('GET', '/products/tee')).body.data!;
    expect(tee.custom).toEqual({ material: 'Linen', net_weight: 500, tags: ['soft', 'new, soon'] });
    expect(tee.variants.map(({ custom }: TestBody) => custom)).toEqual([{ code: 7 }, { code: 8 }]);
    expect((await shop.commerce('GET', '/products/mug')).body.data!.custom).toEqual({ material: 'Clay' });
    expect(await imports.import('shopify-products', file)).toMatchObject({ unchanged: 3, updated: 0 });
    await isSound();
  });

  test('of WooCommerce has metadata', async () => {
    await define('product', 'origin', 'choice', { rules: { choices: ['DE', 'FR'] } });
    const file = [
      'ID,Type,SKU,Name,Published,Regular price,Meta: _origin,Meta: _edit_last',
      '1,simple,A,A,1,5,DE,1',
      '2,simple,B,B,1,5,IT,1',
    ].join('\n');
    const imports = new TestImports(server, shop);
    const done = await imports.import('woocommerce-products', file);
    expect(done).toMatchObject({ created: 1, refused: 1 });
    expect(done.notices).toContainEqual({ code: 'column_not_kept', column: 'Meta: _edit_last', count: 2 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 3, column: 'Meta: _origin', field: 'custom.origin', reason: 'must be one of DE, FR' },
    ]);
    expect((await shop.commerce('GET', '/products')).body.data![0]).toMatchObject({
      sku: 'A',
      custom: { origin: 'DE' },
    });
  });

  test('needs the required values of new products, and is undone', async () => {
    await define('product', 'material', 'text', { required: true });
    await define('product', 'note', 'text');
    const { id } = (await product({ material: 'Clay', note: 'old' }, { sku: 'MUG' })).body.data!;
    const imports = new TestImports(server, shop);
    const file = 'name,sku,price,custom.material,custom.note\nMug,MUG,5,,new\nTee,TEE,5,,x\nCup,CUP,5,Clay,\n';
    const done = await imports.import('csv-products', file);
    expect(done).toMatchObject({ created: 1, updated: 1, refused: 1 });
    expect(await imports.findings(done.id)).toMatchObject([
      { row: 3, column: 'custom.material', reason: 'is required' },
    ]);
    const custom = async () => (await shop.commerce('GET', `/products/${id}`)).body.data!.custom;
    expect(await custom()).toEqual({ material: 'Clay', note: 'new' });
    await imports.undo(done.id);
    expect(await custom()).toEqual({ material: 'Clay', note: 'old' });
    await isSound();
  });

  test('sets values of customers', async () => {
    await define('customer', 'tier', 'integer');
    const imports = new TestImports(server, shop);
    const file = 'email,custom.tier\na@example.com,3\nb@example.com,x\n';
    const done = await imports.import('csv-customers', file, { email_consent: 'never' });
    expect(done).toMatchObject({ created: 1, refused: 1 });
    const listed = await shop.commerce('GET', '/customers');
    expect(listed.body.data!.map(({ custom }: TestBody) => custom)).toEqual([{ tier: 3 }]);
    expect(
      await imports.import('csv-customers', 'email,custom.tier\na@example.com,3\n', { email_consent: 'never' }),
    ).toMatchObject({
      unchanged: 1,
    });
    await imports.import('csv-customers', 'email,custom.tier\na@example.com,4\n', { email_consent: 'never' });
    expect((await shop.commerce('GET', '/customers')).body.data![0].custom).toEqual({ tier: 4 });
  });
});
