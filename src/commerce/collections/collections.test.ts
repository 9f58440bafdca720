import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { TestImports } from '../../imports/testing/imports.ts';
import { checkInvariants } from '../../invariants.ts';
import { type TestBody, type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import { firstOf } from '../products/next-products.ts';
import { applyToNext, updateMemberships } from './member-queries.ts';
import type { Updating } from './update-queries.ts';
import { applyChangedRules, refreshDueRules } from './updates.ts';

const server = testServer();

const COLOURS = { name: 'Colour', values: ['Red', 'Blue'] };
const colour = (value: string) => [{ name: 'Colour', value }];

const fieldsOf = ({ body }: TestResponse): string[] =>
  body.error!.details!.fields!.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);

async function product(shop: TestCompany, name: string, fields: object = {}): Promise<number> {
  const made = await shop.commerce('POST', '/products', { name, price: 10, stock_qty: 5, ...fields });
  expect(made.body).toMatchObject({ success: true });
  return made.body.data!.id;
}

async function collection(shop: TestCompany, fields: object): Promise<TestBody> {
  const made = await shop.commerce('POST', '/collections', fields);
  expect(made.body).toMatchObject({ success: true });
  return made.body.data!;
}

const rule = (field: string, comparison: string, value?: unknown) => ({ field, comparison, value });

/** A collection of the products that satisfy the rule, once it has been applied. */
async function selecting(shop: TestCompany, ...rules: object[]): Promise<TestBody> {
  const made = await collection(shop, { name: 'Chosen', kind: 'rules', rules: { rules } });
  await applied();
  return made;
}

const list = (shop: TestCompany, name: string, ids: number[]): Promise<TestBody> =>
  collection(shop, { name, kind: 'manual' }).then(async ({ slug }) => {
    const set = await shop.commerce('PUT', `/collections/${slug}/products`, { product_ids: ids });
    expect(set.body).toMatchObject({ success: true });
    return set.body.data!;
  });

const chore = () => applyChangedRules({ ...server.app, log: pino({ level: 'silent' }) });

/** Runs the chore until no rules are left to be applied. */
async function applied(): Promise<void> {
  const slice = chore();
  await expect
    .poll(async () => {
      await slice(null);
      return (await server.rows<{ n: number }>('select count(*)::int as n from collections where updating'))[0]!.n;
    })
    .toBe(0);
}

async function shown(shop: TestCompany, slug: string, query = ''): Promise<number[]> {
  const listed = await shop.commerce('GET', `/products?collection=${slug}${query}`);
  expect(listed.body.meta!.pagination!.total).toBe(listed.body.data!.length);
  return listed.body.data!.map(({ id }: { id: number }) => id);
}

async function isSound(shop: TestCompany): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  const broken = findings.filter(({ examples }) => examples.some((one) => one.company_id === shop.company_id));
  expect(broken).toEqual([]);
}

describe('a collection', () => {
  test('is created, read by id and slug, changed and deleted', async () => {
    const shop = await server.company();
    const made = await collection(shop, { name: 'Summer & Sun', kind: 'manual' });
    expect(made).toMatchObject({
      slug: 'summer-sun',
      description: '',
      kind: 'manual',
      rules: null,
      sort: 'manual',
      status: 'ready',
      product_count: 0,
      revision: 1,
    });
    expect(await collection(shop, { name: 'Summer Sun', kind: 'manual' })).toMatchObject({ slug: 'summer-sun-2' });
    expect(await collection(shop, { name: '2026', kind: 'manual' })).toMatchObject({ slug: 'collection-2026' });
    const bySlug = await shop.commerce('GET', '/collections/summer-sun');
    expect(bySlug.body.data).toEqual({ ...made, product_ids: [] });
    const patch = { name: 'Sun', description: 'Warm', sort: 'name_asc' };
    const changed = await shop.commerce('PATCH', `/collections/${made.id}`, patch, { 'if-match': '"1"' });
    expect(changed.body.data).toMatchObject({ ...patch, slug: 'summer-sun', revision: 2 });
    const late = await shop.commerce('PATCH', `/collections/${made.id}`, patch, { 'if-match': '"1"' });
    expect(late.body.error!.details).toMatchObject({ reason: 'revision_mismatch' });
    const taken = await shop.commerce('PATCH', `/collections/${made.id}`, { slug: 'collection-2026' });
    expect(taken.body.error!.details).toMatchObject({ reason: 'duplicate', field: 'slug' });
    const listed = await shop.commerce('GET', '/collections?kind=manual&per_page=2');
    expect(listed.body.data!.map(({ slug }: TestBody) => slug)).toEqual(['collection-2026', 'summer-sun-2']);
    expect(listed.body.meta!.pagination!.total).toBe(3);
    expect((await shop.commerce('DELETE', '/collections/summer-sun')).body.data).toMatchObject({ id: made.id });
    expect((await shop.commerce('GET', `/collections/${made.id}`)).status).toBe(404);
    expect(await shown(shop, 'summer-sun')).toEqual([]);
  });

  test('has rules if its kind is rules, on fields of products', async () => {
    const shop = await server.company();
    const post = (fields: object) => shop.commerce('POST', '/collections', { name: 'X', ...fields });
    expect(fieldsOf(await post({ kind: 'rules', sort: 'manual' }))).toEqual(['rules required', 'sort not_allowed']);
    expect(fieldsOf(await post({ kind: 'manual', rules: { rules: [] } }))).toEqual(['rules not_allowed']);
    const rules = [
      rule('stock_qty', 'equals', 1),
      rule('price', 'between', 3),
      { rules: [rule('option.Colour', 'like', 'R')] },
      { ...rule('name', 'exists'), within_days: 3, where: { rules: [] } },
    ];
    expect(fieldsOf(await post({ kind: 'rules', rules: { rules } }))).toEqual([
      'rules.rules.0.field invalid',
      'rules.rules.1.value invalid',
      'rules.rules.2.rules.0.comparison invalid',
      'rules.rules.3.within_days invalid',
      'rules.rules.3.where invalid',
    ]);
    const { id } = await collection(shop, { name: 'All', kind: 'rules', rules: { rules: [] } });
    expect(fieldsOf(await shop.commerce('PUT', `/collections/${id}/products`, { product_ids: [] }))).toEqual([
      'product_ids not_allowed',
    ]);
    expect(fieldsOf(await shop.commerce('PATCH', `/collections/${id}`, { sort: 'manual' }))).toEqual([
      'sort not_allowed',
    ]);
  });
});

describe('a manual collection', () => {
  test('lists its products in their order, unless the list has its own', async () => {
    const shop = await server.company();
    const [a, b, c] = [
      await product(shop, 'A', { price: 3 }),
      await product(shop, 'B', { price: 1 }),
      await product(shop, 'C', { price: 2 }),
    ];
    await product(shop, 'D');
    const set = await list(shop, 'Picks', [c, a, b]);
    expect(set).toMatchObject({ product_count: 3, product_ids: [c, a, b], revision: 2 });
    expect(await shown(shop, 'picks')).toEqual([c, a, b]);
    expect(await shown(shop, 'picks', '&sort=price_asc')).toEqual([b, c, a]);
    expect(await shown(shop, 'picks', '&search=a')).toEqual([a]);
    const page = await shop.commerce('GET', '/products?collection=picks&page=2&per_page=2');
    expect(page.body.data).toMatchObject([{ id: b }]);
    expect(page.body.meta!.pagination).toMatchObject({ total: 3, total_pages: 2 });
    for (const [sort, order] of Object.entries({
      newest: [c, b, a],
      price_asc: [b, c, a],
      price_desc: [a, c, b],
      name_asc: [a, b, c],
    })) {
      await shop.commerce('PATCH', '/collections/picks', { sort });
      expect([sort, await shown(shop, 'picks')]).toEqual([sort, order]);
    }
    await server.rows(
      'insert into product_sales (company_id, product_id, pass, qty) values ($1, $2, 1, 5), ($1, $3, 1, 9)',
      [shop.company_id, a, b],
    );
    await shop.commerce('PATCH', '/collections/picks', { sort: 'best_selling' });
    expect(await shown(shop, 'picks')).toEqual([b, a, c]);
    const file = await fetch(`${server.origin}/commerce/v1/products?collection=picks&format=jsonl`, {
      headers: { 'x-api-key': shop.key },
    });
    const lines = (await file.text())
      .trim()
      .split('\n')
      .map((line): TestBody => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([b, a, c]);
    await shop.commerce('PATCH', `/products/${a}`, { archived: true });
    expect(await shown(shop, 'picks')).toEqual([b, c]);
    expect(await shown(shop, 'picks', '&archived=true')).toEqual([a]);
    expect((await shop.commerce('GET', '/collections/picks')).body.data).toMatchObject({
      product_count: 3,
      product_ids: [c, a, b],
    });
    await isSound(shop);
  });

  test('refuses variants, unknown products and products listed twice', async () => {
    const shop = await server.company();
    const one = await product(shop, 'One');
    const made = await shop.commerce('POST', '/products', {
      name: 'Pen',
      options: [COLOURS],
      variants: [{ options: colour('Red'), price: 1 }],
    });
    const { id: pen, variants } = made.body.data!;
    await list(shop, 'Picks', [pen]);
    const put = (product_ids: number[], headers = {}) =>
      shop.commerce('PUT', '/collections/picks/products', { product_ids }, headers);
    expect(fieldsOf(await put([one, variants[0].id, one, 999_999]))).toEqual([
      'product_ids.1 not_allowed',
      'product_ids.2 duplicate',
      'product_ids.3 unknown',
    ]);
    expect((await put([one], { 'if-match': '"1"' })).body.error!.details).toMatchObject({
      reason: 'revision_mismatch',
    });
    expect(await shown(shop, 'picks', '&include=variants')).toEqual([pen]);
    expect((await put([])).body.data).toMatchObject({ product_count: 0 });
  });

  test('locks parents after other products, as an order does that sells out a variant', async () => {
    const shop = await server.company();
    const variants = COLOURS.values.map((value) => ({ price: 10, stock_qty: 1, options: colour(value) }));
    const parent = await product(shop, 'Shirt', {
      price: undefined,
      stock_qty: undefined,
      options: [COLOURS],
      variants,
    });
    const mug = await product(shop, 'Mug');
    const { slug } = await list(shop, 'Picks', []);
    let put: Promise<TestResponse> | undefined;
    await server.app.db.tenantTx(shop.company_id, async (tx) => {
      const lock = (id: number) =>
        tx.query(sql`
          select from products where company_id = ${shop.company_id} and id = ${id} for no key update nowait`);
      await lock(mug);
      put = shop.commerce('PUT', `/collections/${slug}/products`, { product_ids: [parent, mug] });
      await expect
        .poll(() =>
          server.rows("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%is_variant%'"),
        )
        .toHaveLength(1);
      await lock(parent);
    });
    expect((await put!).status).toBe(200);
  });

  test('keeps places when products become variants and when variants become products', async () => {
    const shop = await server.company();
    const ids: number[] = [];
    for (const name of ['A', 'B', 'C', 'D']) ids.push(await product(shop, name));
    const [a, b, c, d] = ids as [number, number, number, number];
    await list(shop, 'Picks', [a, b, c, d]);
    await list(shop, 'Some', [d, b]);
    const converted = await shop.commerce('PUT', `/products/${b}/options`, {
      options: [COLOURS],
      variant: colour('Red'),
    });
    const parent = converted.body.data!.id;
    expect(await shown(shop, 'picks')).toEqual([a, parent, c, d]);
    expect(await shown(shop, 'some')).toEqual([d, parent]);
    await isSound(shop);
    const grouped = await shop.commerce('POST', '/products/group', {
      name: 'Group',
      options: [COLOURS],
      variants: [
        { product_id: c, options: colour('Red') },
        { product_id: a, options: colour('Blue') },
      ],
    });
    const group = grouped.body.data!.id;
    expect(await shown(shop, 'picks')).toEqual([parent, group, d]);
    await isSound(shop);
    await shop.commerce('POST', `/products/${group}/ungroup`);
    expect(await shown(shop, 'picks')).toEqual([parent, c, a, d]);
    await shop.commerce('POST', `/products/${parent}/ungroup`);
    expect(await shown(shop, 'some')).toEqual([d, b]);
    await isSound(shop);
  });
});

describe('a collection with rules', () => {
  test('has the products that its rules select, and follows each change of a product', async () => {
    const shop = await server.company();
    const cheap = await product(shop, 'Cheap', { price: 4.99, categories: ['sale'] });
    const dear = await product(shop, 'Dear', { price: 5 });
    const made = await collection(shop, {
      name: 'Sale',
      kind: 'rules',
      sort: 'price_asc',
      rules: { operator: 'or', rules: [rule('price', 'less_than', 5), rule('categories', 'equals', 'sale')] },
    });
    expect(made).toMatchObject({ status: 'updating', product_count: 0 });
    await applied();
    expect((await shop.commerce('GET', '/collections/sale')).body.data).toMatchObject({
      status: 'ready',
      product_count: 1,
    });
    expect(await shown(shop, 'sale')).toEqual([cheap]);
    const free = await product(shop, 'Free', { price: 0 });
    expect(await shown(shop, 'sale')).toEqual([free, cheap]);
    await shop.commerce('PATCH', `/products/${dear}`, { categories: ['new', 'sale'] });
    await shop.commerce('PATCH', `/products/${free}`, { price: 7 });
    expect(await shown(shop, 'sale')).toEqual([cheap, dear]);
    await shop.commerce('PATCH', '/products', {
      products: [
        { id: dear, categories: [] },
        { id: free, price: 1 },
      ],
    });
    expect(await shown(shop, 'sale')).toEqual([free, cheap]);
    await isSound(shop);
    await shop.commerce('PATCH', '/collections/sale', { rules: { rules: [rule('name', 'starts_with', 'D')] } });
    const chores = server.app.workers.find(({ name }) => name === 'chores')!;
    await expect
      .poll(async () => {
        await chores.runOnce();
        return (await shop.commerce('GET', '/collections/sale')).body.data!.status;
      })
      .toBe('ready');
    expect(await shown(shop, 'sale')).toEqual([dear]);
    await isSound(shop);
  });

  test.each([
    [[rule('price', 'between', [9.99, 10])], ['shirt', 'plain']],
    [[rule('price', 'greater_than', 19.99)], ['shirt', 'mug']],
    [[rule('sku', 'equals', 'S-2')], ['shirt']],
    [[rule('sku', 'not_exists')], ['shirt', 'plain', 'mug']],
    [[rule('tax_class', 'in', ['reduced', 'zero'])], ['mug']],
    [[rule('categories', 'not_in', ['cups', 'other'])], ['shirt', 'plain']],
    [[rule('subscription_enabled', 'equals', true)], ['mug']],
    [[rule('name', 'contains', 'Blue')], ['shirt']],
    [[rule('created_at', 'within_last_days', 2)], ['shirt', 'plain', 'mug']],
    [[rule('created_at', 'before', '2020-01-01')], []],
    [[rule('option.Colour', 'equals', 'Red')], ['shirt']],
    [[rule('option.Colour', 'not_equals', 'Red')], ['shirt', 'plain', 'mug']],
    [[rule('option.Colour', 'not_in', ['Red', 'Blue'])], ['plain', 'mug']],
    [[rule('option.Colour', 'not_exists')], ['plain', 'mug']],
    [[rule('option.Colour', 'equals', 'Red'), rule('price', 'greater_than', 15)], []],
    [[rule('option.Colour', 'equals', 'Blue'), rule('price', 'greater_than', 15)], ['shirt']],
    [[], ['shirt', 'plain', 'mug']],
  ])('selects by %j', async (rules, expected) => {
    const shop = await server.company();
    const shirt = (
      await shop.commerce('POST', '/products', {
        name: 'Shirt',
        options: [COLOURS],
        variants: [
          { options: colour('Red'), price: 10, sku: 'S-1' },
          { options: colour('Blue'), price: 20, sku: 'S-2' },
        ],
      })
    ).body.data!.id;
    const plain = await product(shop, 'Plain');
    const other = { categories: ['cups'], tax_class: 'reduced', subscription_enabled: true };
    const mug = await product(shop, 'Mug', { price: 30, ...other });
    const { slug } = await selecting(shop, ...rules);
    const names: Record<number, string> = { [shirt]: 'shirt', [plain]: 'plain', [mug]: 'mug' };
    expect((await shown(shop, slug, '&sort=oldest')).map((id) => names[id])).toEqual(expected);
    const counted = await shop.commerce('POST', '/collections/count', { rules: { rules } });
    expect(counted.body.data).toEqual({ count: expected.length });
    await isSound(shop);
  });

  test('has a parent while an active variant satisfies the rules', async () => {
    const shop = await server.company();
    const made = await shop.commerce('POST', '/products', {
      name: 'Shirt',
      options: [COLOURS],
      variants: [{ options: colour('Red'), price: 10 }],
    });
    const { id, variants } = made.body.data!;
    const { slug } = await selecting(shop, rule('option.Colour', 'equals', 'Blue'));
    expect(await shown(shop, slug)).toEqual([]);
    const blue = (
      await shop.commerce('POST', `/products/${id}/variants`, { variants: [{ options: colour('Blue'), price: 12 }] })
    ).body.data![0].id;
    expect(await shown(shop, slug)).toEqual([id]);
    await shop.commerce('PATCH', `/products/${blue}`, { archived: true });
    expect(await shown(shop, slug)).toEqual([]);
    await shop.commerce('PATCH', '/products', { products: [{ id: blue, status: 'active' }] });
    expect(await shown(shop, slug)).toEqual([id]);
    const renames = [{ value: 'Blue', new_value: 'Navy' }];
    await shop.commerce('PUT', `/products/${id}/options`, {
      options: [{ name: 'Colour', values: ['Red', 'Navy'], renames }],
    });
    expect(await shown(shop, slug)).toEqual([]);
    const named = await selecting(shop, rule('name', 'ends_with', 'Navy'));
    expect(await shown(shop, named.slug)).toEqual([id]);
    await shop.commerce('POST', `/products/${id}/ungroup`);
    expect(await shown(shop, named.slug)).toEqual([blue]);
    const again = await shop.commerce('POST', '/products/group', {
      name: 'Shirt',
      options: [COLOURS],
      variants: [
        { product_id: blue, options: colour('Blue') },
        { product_id: variants[0].id, options: colour('Red') },
      ],
    });
    expect(await shown(shop, named.slug)).toEqual([]);
    expect(await shown(shop, slug)).toEqual([again.body.data!.id]);
    await isSound(shop);
  });

  test('follows imports and their undo', async () => {
    const shop = await server.company();
    const cup = await product(shop, 'Cup', { price: 5, sku: 'CUP-1' });
    const { slug } = await selecting(shop, rule('price', 'less_than', 8));
    await list(shop, 'Picks', [cup]);
    const imports = new TestImports(server, shop);
    const { id } = await imports.import('csv-products', 'name,sku,price,stock\nCup,CUP-1,9,10\nMug,MUG-1,7,10\n');
    const [mug] = await shown(shop, slug);
    expect((await shop.commerce('GET', `/products/${mug}`)).body.data).toMatchObject({ name: 'Mug' });
    await shop.commerce('PUT', '/collections/picks/products', { product_ids: [mug, cup] });
    await isSound(shop);
    await imports.undo(id);
    expect(await shown(shop, slug)).toEqual([cup]);
    expect(await shown(shop, 'picks')).toEqual([cup]);
    await isSound(shop);
  });

  test('has what was created in the last days, counted again every hour', async () => {
    const shop = await server.company();
    const old = await product(shop, 'Old');
    const { slug } = await selecting(shop, rule('created_at', 'within_last_days', 1));
    expect(await shown(shop, slug)).toEqual([old]);
    server.clock.advance(25 * 3_600_000);
    const fresh = await product(shop, 'Fresh');
    expect(await shown(shop, slug)).toEqual([fresh, old]);
    await refreshDueRules(server.app)(null);
    await applied();
    expect(await shown(shop, slug)).toEqual([fresh]);
    await isSound(shop);
  });

  test('waits for a change of a product that began with the rules of before', async () => {
    const shop = await server.company();
    const id = await product(shop, 'Slow', { price: 1 });
    const { slug } = await selecting(shop, rule('price', 'less_than', 5));
    const { db } = server.app;
    const { promise: changed, resolve: finish } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = db.tenantTx(shop.company_id, async (tx) => {
      await tx.query(sql`update products set price = 900 where company_id = ${shop.company_id} and id = ${id}`);
      await updateMemberships(tx, shop.company_id, [id]);
      begin();
      await changed;
    });
    await begun;
    await shop.commerce('PATCH', `/collections/${slug}`, { rules: { rules: [rule('price', 'greater_than', 5)] } });
    const slice = chore();
    for (let i = 0; i < 3; i++) expect(await slice(null)).toEqual({ done: 0, next: null });
    const status = async () => (await shop.commerce('GET', `/collections/${slug}`)).body.data!.status;
    expect(await status()).toBe('updating');
    finish();
    await slow;
    await applied();
    expect([await status(), await shown(shop, slug)]).toEqual(['ready', [id]]);
    await isSound(shop);
  });

  test('waits for no product that another transaction has locked, and leaves none out', async () => {
    const shop = await server.company();
    const company = shop.company_id;
    const ids: number[] = [];
    for (const name of ['A', 'B', 'C']) ids.push(await product(shop, name, { price: 9 }));
    const [first, second] = ids as [number, number];
    const { slug } = await selecting(shop, rule('price', 'less_than', 6));
    await applied();
    await shop.commerce('PATCH', `/collections/${slug}`, { rules: { rules: [rule('price', 'greater_than', 5)] } });
    const [updating] = await server.rows<Updating>(
      'select company_id::int, id::int, rules_version from collections where company_id = $1',
      [company],
    );
    const next = () => server.app.db.tenantTx(company, (tx) => applyToNext(tx, updating!, 200));
    const members = () =>
      server.rows('select product_id::int as id from collection_products where company_id = $1 order by 1', [company]);
    await server.app.db.tenantTx(company, async (tx) => {
      await tx.query(sql`select from products where company_id = ${company} and id = ${second} for no key update`);
      expect([await next(), await members()]).toEqual([true, [{ id: first }]]);
      expect([await next(), await members()]).toEqual([false, [{ id: first }]]);
      // As an order does that sells out the one, then a variant of the other.
      await tx.query(
        sql`select from products where company_id = ${company} and id = ${first} for no key update nowait`,
      );
    });
    expect([await next(), await members()]).toEqual([false, ids.map((id) => ({ id }))]);
    expect((await shop.commerce('GET', `/collections/${slug}`)).body.data!.status).toBe('ready');
    await isSound(shop);
  });

  test('agrees with its rules after changes of products and rules at once', async () => {
    const shop = await server.company();
    const ids: number[] = [];
    for (let n = 0; n < 12; n++) ids.push(await product(shop, `P${n}`, { price: n }));
    const { slug } = await selecting(shop, rule('price', 'less_than', 6));
    const made = await shop.commerce('POST', '/products/group', {
      name: 'Pair',
      options: [COLOURS],
      variants: ids.slice(0, 2).map((product_id, i) => ({ product_id, options: colour(COLOURS.values[i]!) })),
    });
    expect(made.status).toBe(201);
    const slice = chore();
    const changes = Array.from({ length: 60 }, async (_, i) => {
      if (i % 6 === 5) {
        const rules = { rules: [rule('price', i % 12 === 5 ? 'less_than' : 'greater_than', i % 10)] };
        expect((await shop.commerce('PATCH', `/collections/${slug}`, { rules })).status).toBe(200);
        await slice(null);
      } else {
        const changed = await shop.commerce('PATCH', `/products/${ids[i % 12]}`, { price: (i * 7) % 12 });
        expect(changed.status).toBe(200);
      }
    });
    await Promise.all(changes);
    await applied();
    await isSound(shop);
  });
});

test('a slice has as many products as have few enough variants together, and one at least', () => {
  const rows = [2_000, 1_500, 0, 2_000].map((variants, i) => ({ id: i + 1, variants }));
  expect(firstOf(rows)).toEqual([1, 2, 3]);
  expect(firstOf([{ id: 7, variants: 9_000 }, ...rows])).toEqual([7]);
  expect(firstOf([])).toEqual([]);
});
