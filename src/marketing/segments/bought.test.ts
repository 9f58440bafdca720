import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { measuredPlan, recordStatements, rowsRead } from '../../testing/statements.ts';
import { step } from '../flows/definition/testing-graphs.ts';
import { activeFlow, runsOf, track, work } from '../flows/testing/flows.ts';

const DAY_MS = 86_400_000;
const server = testServer({ described: true });
let shop: TestCompany;
/** Ids by name, of products, collections and contacts. */
const ids: Record<string, number> = {};

const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };
const make = async (path: string, body: object) => {
  const made = await shop.commerce('POST', path, body);
  expect(made.body).toMatchObject({ data: {} });
  return made.body.data!;
};

/** Passes the orders on to marketing. */
async function deliver(): Promise<void> {
  while ((await server.app.workers.find(({ name }) => name === 'outbox')!.runOnce()) > 0);
}

/** Ann buys the red shirt, Bob the blue one and a mug, Cleo tea that another shop reports; Dora nothing. */
beforeAll(async () => {
  shop = await server.company();
  ids.cheap = (
    await make('/collections', {
      name: 'Cheap',
      kind: 'rules',
      rules: { rules: [{ field: 'price', comparison: 'less_than', value: 10 }] },
    })
  ).id;
  const shirt = await make('/products', {
    name: 'Shirt',
    categories: ['shirts'],
    options: [{ name: 'Color', values: ['Red', 'Blue'] }],
    variants: ['Red', 'Blue'].map((value) => ({
      price: 20,
      stock_qty: 9,
      sku: `SHIRT-${value}`,
      options: [{ name: 'Color', value }],
    })),
  });
  ids.shirt = shirt.id;
  [ids.red, ids.blue] = shirt.variants.map((variant: { id: number }) => variant.id) as [number, number];
  ids.mug = (await make('/products', { name: 'Mug', price: 5, stock_qty: 9, sku: 'MUG', categories: ['kitchen'] })).id;
  ids.clothes = (await make('/collections', { name: 'Clothes', kind: 'manual' })).id;
  await shop.commerce('PUT', `/collections/${ids.clothes}/products`, { product_ids: [ids.shirt] });
  for (const name of ['ann', 'bob']) {
    const { id: customer_id } = await make('/customers', { email: `${name}@example.com` });
    const bought = name === 'ann' ? [ids.red] : [ids.blue, ids.mug];
    const items = bought.map((product_id) => ({ product_id, qty: 1 }));
    await make('/orders', { customer_id, items, ...ADDRESS });
  }
  await deliver();
  const elsewhere = await shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    occurred_at: new Date(server.clock.now().getTime() - 40 * DAY_MS).toISOString(),
    event_data: {
      order_id: 'elsewhere-1',
      email: 'cleo@example.com',
      total: 3,
      items: [
        { product_id: 4_000_000, sku: 'TEA-1', categories: 'tea' },
        { product_id: 'ABC', parent_id: `0${ids.mug}` },
      ],
    },
  });
  expect(elsewhere.body).toMatchObject({ event_id: expect.anything() });
  await shop.marketing('POST', '/contacts', { email: 'dora@example.com' });
  const { body } = await shop.marketing('GET', '/contacts');
  for (const { contact_id, email } of body.contacts) ids[email.split('@')[0]] = contact_id;
  expect(Object.keys(ids)).toEqual(expect.arrayContaining(['ann', 'bob', 'cleo', 'dora']));
});

const rule = (field: string, comparison: string, value: unknown, more: object = {}) => ({
  field: `purchases.${field}`,
  comparison,
  value,
  ...more,
});

async function segmentOf(conditions: object): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/segments', { name: 'Buyers', conditions });
  expect([status, body]).toMatchObject([201, {}]);
  return body.segment_id;
}

/** The members by name; the count of the segment, its preview and its single evaluation agree with the list. */
async function membersOf(...rules: object[]): Promise<string[]> {
  const conditions = { rules };
  const id = await segmentOf(conditions);
  const listed = (await shop.marketing('GET', `/contacts?segment_id=${id}`)).body.contacts;
  const names: string[] = listed.map(({ email }: { email: string }) => email.split('@')[0]).toSorted();
  const counts = [
    (await shop.marketing('GET', `/segments/${id}`)).body.count,
    (await shop.marketing('POST', '/segments/preview', { conditions })).body.count,
  ];
  expect(counts).toEqual([names.length, names.length]);
  for (const name of ['ann', 'bob', 'cleo', 'dora']) {
    const { member } = (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids[name]}`)).body;
    expect(`${name} ${member}`).toBe(`${name} ${names.includes(name)}`);
  }
  return names;
}

describe('segments by what contacts bought', () => {
  test('a product with variants stands for all of them, a variant for itself', async () => {
    expect(await membersOf(rule('product_ids', 'equals', ids.shirt))).toEqual(['ann', 'bob']);
    expect(await membersOf(rule('product_ids', 'equals', ids.red))).toEqual(['ann']);
    expect(await membersOf(rule('product_ids', 'in', [String(ids.red), ids.mug]))).toEqual(['ann', 'bob']);
    expect(await membersOf(rule('product_ids', 'not_in', [ids.red, ids.mug]))).toEqual(['cleo', 'dora']);
    expect(await membersOf(rule('product_ids', 'not_equals', ids.mug))).toEqual(['ann', 'cleo', 'dora']);
  });

  test('an id that the shop does not have is that of another shop', async () => {
    expect(await membersOf(rule('product_ids', 'equals', 4_000_000))).toEqual(['cleo']);
    expect(await membersOf(rule('product_ids', 'equals', 4_000_001))).toEqual([]);
  });

  test('a collection is what is in it when the rule is evaluated, and a variant by its product', async () => {
    expect(await membersOf(rule('collection_ids', 'equals', ids.clothes))).toEqual(['ann', 'bob']);
    expect(await membersOf(rule('collection_ids', 'equals', ids.cheap))).toEqual(['bob']);
    expect(await membersOf(rule('collection_ids', 'not_in', [ids.cheap, 999_999]))).toEqual(['ann', 'cleo', 'dora']);
    const both = [rule('collection_ids', 'equals', ids.clothes), rule('collection_ids', 'equals', ids.cheap)];
    expect(await membersOf(...both)).toEqual(['bob']);
    expect(await membersOf({ operator: 'or', rules: both })).toEqual(['ann', 'bob']);
    await shop.commerce('PUT', `/collections/${ids.clothes}/products`, { product_ids: [ids.mug] });
    expect(await membersOf(rule('collection_ids', 'equals', ids.clothes))).toEqual(['bob']);
    await shop.commerce('PUT', `/collections/${ids.clothes}/products`, { product_ids: [ids.shirt] });
  });

  test('a product that became a variant after it was bought counts for its product', async () => {
    const plain = await make('/products', { name: 'Cap', price: 30, stock_qty: 3 });
    const { id: customer_id } = (await shop.commerce('GET', '/customers?search=ann')).body.data[0];
    await make('/orders', { customer_id, items: [{ product_id: plain.id, qty: 1 }], ...ADDRESS });
    await deliver();
    const options = [{ name: 'Size', values: ['One'] }];
    const grouped = await shop.commerce('PUT', `/products/${plain.id}/options`, {
      options,
      variant: [{ name: 'Size', value: 'One' }],
    });
    expect(grouped.status).toBe(200);
    expect(await membersOf(rule('product_ids', 'equals', grouped.body.data.id))).toEqual(['ann']);
    const { id: caps } = await make('/collections', { name: 'Caps', kind: 'manual' });
    await shop.commerce('PUT', `/collections/${caps}/products`, { product_ids: [grouped.body.data.id] });
    expect(await membersOf(rule('collection_ids', 'equals', caps))).toEqual(['ann']);
  });

  test('categories and SKUs are compared as texts', async () => {
    expect(await membersOf(rule('categories', 'equals', 'shirts'))).toEqual(['ann', 'bob']);
    expect(await membersOf(rule('categories', 'in', ['kitchen', 'tea']))).toEqual(['bob', 'cleo']);
    expect(await membersOf(rule('skus', 'equals', 'SHIRT-Red'))).toEqual(['ann']);
    expect(await membersOf(rule('skus', 'starts_with', 'SHIRT-'))).toEqual(['ann', 'bob']);
    expect(await membersOf(rule('skus', 'not_contains', 'SHIRT'))).toEqual(['cleo', 'dora']);
  });

  test('within_days limits the orders', async () => {
    const tea = (days: number) => rule('skus', 'equals', 'TEA-1', { within_days: days });
    expect(await membersOf(tea(60))).toEqual(['cleo']);
    expect(await membersOf(tea(30))).toEqual([]);
    expect(await membersOf(rule('collection_ids', 'equals', ids.clothes, { within_days: 1 }))).toEqual(['ann', 'bob']);
  });

  test('the explanation has what the contact bought', async () => {
    const id = await segmentOf({
      rules: [
        rule('product_ids', 'equals', ids.mug),
        rule('collection_ids', 'equals', ids.clothes),
        rule('categories', 'equals', 'tea'),
        rule('skus', 'exists', undefined),
      ],
    });
    const { rules } = (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids.bob}`)).body;
    expect(rules).toEqual([
      { path: 'rules.0', holds: true, value: [ids.shirt!, ids.blue!, ids.mug!].toSorted((a, b) => a - b) },
      { path: 'rules.1', holds: true, value: [ids.clothes!, ids.cheap!].toSorted((a, b) => a - b) },
      { path: 'rules.2', holds: false, value: ['kitchen', 'shirts'] },
      { path: 'rules.3', holds: true, value: ['MUG', 'SHIRT-Blue'] },
    ]);
    const cleo = (await shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids.cleo}`)).body.rules;
    expect(cleo.map(({ value }: { value: unknown }) => value)).toEqual([[4_000_000], [], ['tea'], ['TEA-1']]);
  });

  test('a branch of a flow selects as a segment does', async () => {
    const conditions = {
      operator: 'and',
      rules: [{ ...rule('collection_ids', 'equals', ids.clothes), field: 'contact.purchases.collection_ids' }],
    };
    const flow = await activeFlow(
      shop,
      [
        step('choose', 'branch', { paths: [{ key: 'clothes', conditions }] }),
        step('tag', 'add_tag', { tag: 'clothes' }),
      ],
      {
        trigger_type: 'product_viewed',
        connections: [
          { from: 'trigger', to: 'choose' },
          { from: 'choose', to: 'tag', branch: 'clothes' },
        ],
      },
    );
    for (const name of ['ann', 'cleo']) await track(shop, `${name}@example.com`, 'product_viewed');
    await work(server);
    const { body } = await shop.marketing('GET', '/contacts');
    const tagged = body.contacts.filter(({ tags }: { tags: string[] }) => tags.includes('clothes'));
    expect(tagged.map(({ email }: { email: string }) => email)).toEqual(['ann@example.com']);
    expect((await runsOf(shop, flow.flow_id)).length).toBe(2);
  });

  test('one contact is checked by what it bought, not by all that a collection contains', async () => {
    const { id: all } = await make('/collections', { name: 'All', kind: 'manual' });
    await shop.commerce('PUT', `/collections/${all}/products`, { product_ids: [ids.shirt] });
    await server.rows(
      `with parts as (
         insert into products (company_id, name, slug, price, search, in_stock, created_at, updated_at)
         select $1, 'Part ' || n, 'part-' || n, 1000, 'part', true, now(), now() from generate_series(1, 3000) n
         returning company_id, id
       )
       insert into collection_products (company_id, collection_id, product_id) select company_id, $2, id from parts`,
      [shop.company_id, all],
    );
    await server.rows('vacuum analyze products, collection_products');
    expect(await membersOf(rule('collection_ids', 'equals', all))).toEqual(['ann', 'bob']);
    const id = await segmentOf({ rules: [rule('collection_ids', 'equals', all)] });
    const conditions = {
      operator: 'and',
      rules: [{ ...rule('collection_ids', 'equals', all), field: 'contact.purchases.collection_ids' }],
    };
    await activeFlow(
      shop,
      [step('choose', 'branch', { paths: [{ key: 'all', conditions }] }), step('tag', 'add_tag', { tag: 'all' })],
      {
        trigger_type: 'product_viewed',
        connections: [
          { from: 'trigger', to: 'choose' },
          { from: 'choose', to: 'tag', branch: 'all' },
        ],
      },
    );
    const inFlow = await recordStatements(async () => {
      await track(shop, 'ann@example.com', 'product_viewed');
      await work(server);
    });
    const explained = await recordStatements(() =>
      shop.marketing('GET', `/segments/${id}/explain?contact_id=${ids.ann}`),
    );
    for (const [sent, part] of [
      [inFlow, 'as rule, contact_id'],
      [explained, 'as holds'],
    ] as const) {
      const asked = sent.filter(({ text }) => text.includes(part) && text.includes('collection_products'));
      // A transaction that the database has rolled back because of another one sends the same again.
      const different = new Set(asked.map(({ text, values }) => JSON.stringify([text, values])));
      expect([part, different.size]).toEqual([part, 1]);
      const plan = await measuredPlan(server.rows, asked[0]!);
      const read = ['collection_products', 'products'].map((table) => rowsRead(plan, table));
      expect([part, read.every((rows) => rows > 0 && rows < 50), read]).toEqual([part, true, read]);
    }
  });

  test.each([
    ['product_ids', 'equals', 'red shirt', {}, 'conditions.rules.0.value'],
    ['collection_ids', 'in', [0], {}, 'conditions.rules.0.value'],
    ['collection_ids', 'in', [], {}, 'conditions.rules.0.value'],
    ['product_ids', 'contains', '7', {}, 'conditions.rules.0.value'],
    ['skus', 'equals', 'A', { where: { rules: [] } }, 'conditions.rules.0.where'],
    ['skus', 'equals', 'A', { within_days: 0 }, 'conditions.rules.0.within_days'],
  ])('%s %s %j %j is refused', async (field, comparison, value, more, at) => {
    const conditions = { rules: [rule(field, comparison, value, more)] };
    const { status, body } = await shop.marketing('POST', '/segments/preview', { conditions });
    expect([status, body.details.map((one: { field: string }) => one.field)]).toEqual([400, [at]]);
  });
});
