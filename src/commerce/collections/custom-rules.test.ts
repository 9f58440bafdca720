import pino from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestImports } from '../../imports/testing/imports.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestBody, type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { removeDeletedFields } from '../custom-fields/removal.ts';
import { applyChangedRules, refreshDueRules } from './updates.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});

const log = pino({ level: 'silent' });
const fieldsOf = ({ body }: TestResponse): string[] =>
  body.error!.details!.fields!.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);

async function made(path: string, body: object): Promise<TestBody> {
  const response = await shop.commerce('POST', path, body);
  expect(response.body).toMatchObject({ success: true });
  return response.body.data!;
}

const define = (on: string, key: string, type: string, more: object = {}): Promise<TestBody> =>
  made('/custom-fields', { on, key, name: key, type, ...more });

const product = async (name: string, custom: object): Promise<number> =>
  (await made('/products', { name, price: 10, stock_qty: 5, custom })).id;

const SIZES = ['S', 'L'];
const size = (value: string) => [{ name: 'Size', value }];

/** A product with a variant of each size, and what they have. */
const shirt = (custom: object, ofVariants: readonly object[]): Promise<TestBody> =>
  made('/products', {
    name: 'Shirt',
    custom,
    options: [{ name: 'Size', values: SIZES }],
    variants: SIZES.map((value, i) => ({ options: size(value), price: 10, custom: ofVariants[i] })),
  });

const rule = (field: string, comparison: string, value?: unknown) => ({ field, comparison, value });
const post = (...rules: object[]) =>
  shop.commerce('POST', '/collections', { name: 'Chosen', kind: 'rules', rules: { rules } });

/** Runs the chore until no rules are left to be applied. */
async function applied(): Promise<void> {
  const slice = applyChangedRules({ ...server.app, log });
  await expect
    .poll(async () => {
      await slice(null);
      return (await server.rows<{ n: number }>('select count(*)::int as n from collections where updating'))[0]!.n;
    })
    .toBe(0);
}

/** A collection of the products that satisfy the rules, once they have been applied. */
async function selecting(...rules: object[]): Promise<TestBody> {
  const response = await post(...rules);
  expect(response.body).toMatchObject({ success: true });
  await applied();
  return response.body.data!;
}

/** The products of a collection, oldest first; the collection satisfies its invariants. */
async function members({ slug }: TestBody): Promise<number[]> {
  const listed = await shop.commerce('GET', `/products?collection=${slug}&sort=oldest`);
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ examples }) => examples.some((one) => one.company_id === shop.company_id))).toEqual([]);
  return listed.body.data!.map(({ id }: TestBody) => id);
}

describe('a rule on a custom field', () => {
  const CHOICES = { rules: { choices: ['cotton', 'wool'] } };
  test.each([
    ['text', {}, ['Soft wool', 'Silk'], rule('custom.x', 'contains', 'wool'), [0]],
    ['text', {}, ['Soft wool', 'Silk'], rule('custom.x', 'not_contains', 'wool'), [1, 2]],
    ['long_text', {}, ['a\nb', 'b'], rule('custom.x', 'starts_with', 'a'), [0]],
    ['url', {}, ['https://a.example', 'https://b.example'], rule('custom.x', 'ends_with', 'b.example'), [1]],
    ['color', {}, ['#ff0000', '#00ff00'], rule('custom.x', 'in', ['#ff0000', '#0000ff']), [0]],
    ['choice', CHOICES, ['cotton', 'wool'], rule('custom.x', 'equals', 'cotton'), [0]],
    ['choice', CHOICES, ['cotton', 'wool'], rule('custom.x', 'not_equals', 'cotton'), [1, 2]],
    ['choice', CHOICES, ['cotton', 'wool'], rule('custom.x', 'not_exists'), [2]],
    ['integer', {}, [7, 8], rule('custom.x', 'greater_than', 7), [1]],
    ['integer', {}, [7, 8], rule('custom.x', 'not_in', [7, 9]), [1, 2]],
    ['decimal', {}, [0.25, 1.5], rule('custom.x', 'between', [0.2, 0.3]), [0]],
    ['weight', {}, [250, 9.5], rule('custom.x', 'less_than_or_equal', '9.5'), [1]],
    ['length', {}, [10, 20], rule('custom.x', 'equals', 20), [1]],
    ['money', {}, [19.99, 5], rule('custom.x', 'greater_than_or_equal', 19.99), [0]],
    ['boolean', {}, [true, false], rule('custom.x', 'equals', true), [0]],
    ['boolean', {}, [true, false], rule('custom.x', 'not_equals', true), [1, 2]],
    ['boolean', {}, [true, false], rule('custom.x', 'exists'), [0, 1]],
    ['date', {}, ['2026-03-01', '2026-04-01'], rule('custom.x', 'before', '2026-03-15'), [0]],
    ['date', {}, ['2026-03-01', '2026-04-01'], rule('custom.x', 'in', ['2026-04-01']), [1]],
    ['date', {}, ['2999-01-01', '2020-01-01'], rule('custom.x', 'within_last_days', 36_500), [1]],
    [
      'moment',
      {},
      ['2026-03-01T09:00:00Z', '2026-03-01T08:00:00Z'],
      rule('custom.x', 'after', '2026-03-01 08:30:00'),
      [0],
    ],
    [
      'moment',
      {},
      ['2026-03-01T09:00:00Z', '2026-04-01T08:00:00Z'],
      rule('custom.x', 'between', ['2026-03-01', '2026-03-02']),
      [0],
    ],
    ['text', { list: true }, [['a', 'b'], ['c']], rule('custom.x', 'equals', 'b'), [0]],
    ['text', { list: true }, [['a', 'b'], ['c']], rule('custom.x', 'not_equals', 'b'), [1, 2]],
    ['integer', { list: true }, [[1, 9], [5]], rule('custom.x', 'between', [4, 6]), [1]],
    [
      'date',
      { list: true },
      [['2026-01-01', '2026-06-01'], ['2026-05-05']],
      rule('custom.x', 'after', '2026-05-31'),
      [0],
    ],
    ['boolean', { list: true }, [[true], [false]], rule('custom.x', 'exists'), [0, 1]],
  ])('of the type %s %j of %j selects by %j', async (type, more, values, by, expected) => {
    await define('product', 'x', type, more);
    const ids = [await product('A', { x: values[0] }), await product('B', { x: values[1] }), await product('C', {})];
    const wanted = expected.map((i) => ids[i]!);
    expect(await members(await selecting(by))).toEqual(wanted);
    const counted = await shop.commerce('POST', '/collections/count', { rules: { rules: [by] } });
    expect(counted.body.data).toEqual({ count: wanted.length });
  });

  test('of the types product and collection selects by id', async () => {
    for (const type of ['product', 'collection']) await define('product', `of_${type}`, type, { list: true });
    const { id: list } = await made('/collections', { name: 'List', kind: 'manual' });
    const mug = await product('Mug', {});
    const set = await product('Set', { of_product: [mug], of_collection: [list] });
    expect(await members(await selecting(rule('custom.of_product', 'equals', mug)))).toEqual([set]);
    expect(await members(await selecting(rule('custom.of_collection', 'in', [list, 999])))).toEqual([set]);
    expect(await members(await selecting(rule('custom.of_collection', 'not_exists')))).toEqual([mug]);
  });

  test('names a field of products or variants, with a comparison and a value that fit its type', async () => {
    await define('product', 'pages', 'integer');
    await define('variant', 'signed', 'boolean');
    await define('product', 'printed', 'date');
    await define('product', 'sold_out_at', 'moment');
    await define('product', 'manual', 'media');
    await define('order', 'gift', 'text');
    const wrong = [
      rule('custom.colour', 'equals', 'red'),
      rule('custom.gift', 'equals', 'red'),
      rule('custom.', 'exists'),
      rule('custom.pages', 'contains', '1'),
      rule('custom.pages', 'greater_than', '2026-01-01'),
      rule('custom.pages', 'between', ['2026-01-01', '2026-02-01']),
      rule('custom.pages', 'in', [1, 'many']),
      rule('custom.signed', 'in', [true]),
      rule('custom.signed', 'equals', 'yes'),
      rule('custom.printed', 'equals', 'spring'),
      rule('custom.printed', 'less_than', 3),
      rule('custom.sold_out_at', 'equals', '2026-01-01'),
      rule('custom.manual', 'greater_than', 3),
      { ...rule('custom.pages', 'exists'), within_days: 3 },
    ];
    const errors = [
      'rules.rules.0.field invalid',
      'rules.rules.1.field invalid',
      'rules.rules.2.field invalid',
      'rules.rules.3.comparison invalid',
      'rules.rules.4.value invalid',
      'rules.rules.5.value invalid',
      'rules.rules.6.value invalid',
      'rules.rules.7.comparison invalid',
      'rules.rules.8.value invalid',
      'rules.rules.9.value invalid',
      'rules.rules.10.value invalid',
      'rules.rules.11.comparison invalid',
      'rules.rules.12.comparison invalid',
      'rules.rules.13.within_days invalid',
    ];
    expect(fieldsOf(await post(...wrong))).toEqual(errors);
    expect(fieldsOf(await shop.commerce('POST', '/collections/count', { rules: { rules: wrong } }))).toEqual(errors);
    const right = await selecting(rule('custom.pages', 'greater_than', 100));
    const patch = { rules: { rules: [rule('custom.colour', 'equals', 'red')] } };
    expect(fieldsOf(await shop.commerce('PATCH', `/collections/${right.slug}`, patch))).toEqual([
      'rules.rules.0.field invalid',
    ]);
    const message = (await post(rule('custom.colour', 'exists'))).body.error!.details!.fields![0].message;
    expect(message).toBe('rules.rules.0.field is not a field of products: custom.colour');
  });

  test('has the comparisons of both where products and variants have fields with one key', async () => {
    await define('product', 'note', 'text');
    await define('variant', 'note', 'integer');
    const { id } = await shirt({ note: 'new' }, [{ note: 3 }, { note: 12 }]);
    expect(await members(await selecting(rule('custom.note', 'contains', 'e')))).toEqual([id]);
    expect(await members(await selecting(rule('custom.note', 'greater_than', 10)))).toEqual([id]);
    expect(fieldsOf(await post(rule('custom.note', 'before', '2026-01-01')))).toEqual([
      'rules.rules.0.comparison invalid',
    ]);
  });
});

describe('a product with variants', () => {
  test('matches by the values of an active variant', async () => {
    await define('variant', 'fit', 'text');
    const simple = await product('Plain', {});
    const { id, variants } = await shirt({}, [{ fit: 'slim' }, { fit: 'wide' }]);
    const slim = await selecting(rule('custom.fit', 'equals', 'slim'));
    const small = await selecting(rule('custom.fit', 'equals', 'wide'), rule('option.Size', 'equals', 'S'));
    const other = await selecting(rule('custom.fit', 'not_in', ['slim', 'wide']));
    expect([await members(slim), await members(small), await members(other)]).toEqual([[id], [], [simple]]);
    await shop.commerce('PATCH', `/products/${variants[0].id}`, { archived: true });
    expect(await members(slim)).toEqual([]);
    await shop.commerce('PATCH', `/products/${variants[1].id}`, { custom: { fit: 'slim' } });
    expect(await members(slim)).toEqual([id]);
    await shop.commerce('PATCH', `/products/${variants[1].id}`, { custom: { fit: null } });
    expect([await members(slim), await members(other)]).toEqual([[], [simple, id]]);
  });

  test('shares its values with the variants that have none of their own', async () => {
    await define('product', 'material', 'text');
    const { id, variants } = await shirt({ material: 'wool' }, []);
    const woolInS = await selecting(rule('custom.material', 'equals', 'wool'), rule('option.Size', 'equals', 'S'));
    const noWool = await selecting(rule('custom.material', 'not_equals', 'wool'));
    expect([await members(woolInS), await members(noWool)]).toEqual([[id], []]);
    // The rules are applied again: the parent lacks nothing any more that its variants can have.
    await define('variant', 'material', 'text');
    await applied();
    expect([await members(woolInS), await members(noWool)]).toEqual([[id], []]);
    await shop.commerce('PATCH', '/products', { products: [{ id: variants[0].id, custom: { material: 'silk' } }] });
    expect([await members(woolInS), await members(noWool)]).toEqual([[], [id]]);
    await shop.commerce('PATCH', `/products/${id}`, { custom: { material: 'linen' } });
    expect([await members(woolInS), await members(noWool)]).toEqual([[], [id]]);
  });
});

describe('members follow', () => {
  test('changes of one product and of several', async () => {
    await define('product', 'origin', 'text');
    const [a, b] = [await product('A', { origin: 'Kenya' }), await product('B', {})];
    const kenya = await selecting(rule('custom.origin', 'equals', 'Kenya'));
    expect(await members(kenya)).toEqual([a]);
    await shop.commerce('PATCH', `/products/${b}`, { custom: { origin: 'Kenya' } });
    expect(await members(kenya)).toEqual([a, b]);
    const products = [
      { id: a, custom: { origin: null } },
      { id: b, custom: { origin: 'Peru' } },
    ];
    await shop.commerce('PATCH', '/products', { products });
    expect(await members(kenya)).toEqual([]);
  });

  test('imports, their undo, and changes of structure', async () => {
    await define('product', 'origin', 'text');
    await define('variant', 'origin', 'text');
    const cup = (await made('/products', { name: 'Cup', price: 5, sku: 'CUP-1', custom: { origin: 'Peru' } })).id;
    const kenya = await selecting(rule('custom.origin', 'equals', 'Kenya'));
    const imports = new TestImports(server, shop);
    const file = 'name,sku,price,custom.origin\nCup,CUP-1,5,Kenya\nMug,MUG-1,7,Kenya\nJar,JAR-1,7,Peru\n';
    const { id } = await imports.import('csv-products', file);
    const mug = (await shop.commerce('GET', '/products?sku=MUG-1')).body.data![0].id;
    expect(await members(kenya)).toEqual([cup, mug]);
    await imports.undo(id);
    expect(await members(kenya)).toEqual([]);
    await shop.commerce('PATCH', `/products/${cup}`, { custom: { origin: 'Kenya' } });
    const options = [{ name: 'Size', values: SIZES }];
    const parent = await shop.commerce('PUT', `/products/${cup}/options`, { options, variant: size('S') });
    expect(await members(kenya)).toEqual([parent.body.data!.id]);
    await shop.commerce('POST', `/products/${parent.body.data!.id}/ungroup`);
    expect(await members(kenya)).toEqual([cup]);
  });

  test('dates as time passes', async () => {
    await define('product', 'released', 'moment');
    const soon = new Date(server.clock.now().getTime() + 2 * 3_600_000).toISOString();
    const id = await product('Next', { released: soon });
    const fresh = await selecting(rule('custom.released', 'within_last_days', 1));
    expect(await members(fresh)).toEqual([]);
    server.clock.advance(600_000);
    const past = new Date(server.clock.now().getTime() - 60_000).toISOString();
    const latest = await product('Latest', { released: past });
    expect(await members(fresh)).toEqual([latest]);
    await shop.commerce('PATCH', `/products/${latest}`, { archived: true, custom: { released: null } });
    server.clock.advance(3 * 3_600_000);
    await refreshDueRules(server.app)(null);
    await applied();
    expect(await members(fresh)).toEqual([id]);
    server.clock.advance(48 * 3_600_000);
    await refreshDueRules(server.app)(null);
    await applied();
    expect(await members(fresh)).toEqual([]);
  });
});

describe('a custom field that rules are on', () => {
  test('is not deleted, and keeps a type that fits them', async () => {
    const pages = await define('product', 'pages', 'integer');
    const long = await selecting({ operator: 'or', rules: [rule('custom.pages', 'greater_than', 300)] });
    const path = `/custom-fields/${pages.id}`;
    for (const refused of [
      await shop.commerce('DELETE', path),
      await shop.commerce('PATCH', path, { type: 'text', rules: {} }),
    ]) {
      expect(refused.status).toBe(422);
      expect(refused.body.error!.details).toMatchObject({ reason: 'in_use', collection_ids: [long.id] });
    }
    expect((await shop.commerce('PATCH', path, { type: 'decimal', name: 'Pages' })).status).toBe(200);
    await applied();
    const book = await product('Book', { pages: 400.5 });
    expect(await members(long)).toEqual([book]);
    await shop.commerce('PATCH', `/products/${book}`, { custom: { pages: null } });
    await shop.commerce('PATCH', `/collections/${long.slug}`, { rules: { rules: [rule('name', 'exists')] } });
    expect((await shop.commerce('DELETE', path)).status).toBe(200);
    expect(fieldsOf(await post(rule('custom.pages', 'exists')))).toEqual(['rules.rules.0.field invalid']);
  });

  test('is deleted while another with its key is left, and its values count no more', async () => {
    const ofProducts = await define('product', 'fit', 'text');
    await define('variant', 'fit', 'text');
    const plain = await product('Plain', { fit: 'slim' });
    const { id } = await shirt({}, [{ fit: 'slim' }, {}]);
    const slim = await selecting(rule('custom.fit', 'equals', 'slim'));
    expect(await members(slim)).toEqual([plain, id]);
    expect((await shop.commerce('DELETE', `/custom-fields/${ofProducts.id}`)).status).toBe(200);
    expect((await shop.commerce('GET', `/collections/${slim.slug}`)).body.data).toMatchObject({ status: 'updating' });
    await applied();
    expect(await members(slim)).toEqual([id]);
    const slice = removeDeletedFields({ db: server.app.db, log });
    while ((await slice(null)).next !== null);
    expect(await members(slim)).toEqual([id]);
  });
});
