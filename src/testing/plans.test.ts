import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from './harness.ts';
import { recordStatements } from './statements.ts';

const server = testServer();

/** Tables that grow without limit: no request may scan one of them completely. */
const LONG_TABLES = [
  'products',
  'product_stock',
  'product_categories',
  'customers',
  'loyalty_ledger',
  'orders',
  'order_items',
  'order_history',
  'contacts',
  'events',
];

let shop: TestCompany;
let orderId: number;
let customerId: number;
let productId: number;
let mainId: number;

beforeAll(async () => {
  shop = await server.company();
  const company = shop.company_id;
  await server.rows(
    `insert into products (company_id, name, slug, price, search, in_stock, created_at, updated_at)
     select $1, 'Product ' || n, 'product-' || n, 1000, 'product ' || n || ' ' || md5(n::text), true, now(), now() from generate_series(1, 20000) n`,
    [company],
  );
  await server.rows('insert into product_stock select company_id, id, 1000 from products where company_id = $1', [
    company,
  ]);
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'c' || n || '@example.com', 'c' || n || '@example.com', now(), now() from generate_series(1, 40000) n`,
    [company],
  );
  await server.rows(
    `with people as (select min(id) as first from customers where company_id = $1)
     insert into orders (company_id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city, shipping_zip, shipping_country, status, created_at, updated_at)
     select $1, first + n % 5000, 1000, 0, 0, 0, 1000, 'a', 'b', '1', 'US', (array['pending', 'processing', 'shipped', 'delivered', 'cancelled'])[1 + n % 5],
       timestamptz '2026-01-01' + n * interval '3 minutes', now() from generate_series(1, 30000) n, people`,
    [company],
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, 0, (select min(id) from products where company_id = $1), 'x', 1, 1000, 1000 from orders where company_id = $1`,
    [company],
  );
  await server.rows(
    'insert into customer_accounts (company_id, customer_id, order_count) select company_id, customer_id, count(*) from orders where company_id = $1 group by 1, 2',
    [company],
  );
  await server.rows(
    "insert into order_history (company_id, order_id, type, to_status, actor, created_at) select company_id, id, 'created', 'pending', 'test', now() from orders where company_id = $1",
    [company],
  );
  await server.rows("insert into categories select $1, 'c' || n, 'c', now() from generate_series(0, 99) n", [company]);
  await server.rows(
    "insert into product_categories select company_id, 'c' || id % 100, id from products where company_id = $1",
    [company],
  );
  await server.rows(
    "insert into loyalty_ledger (company_id, customer_id, type, points, order_id, actor, created_at) select company_id, customer_id, 'earn', 10, id, 'test', now() from orders where company_id = $1",
    [company],
  );
  for (const [name, sort] of [
    ['picks', 'manual'],
    ['sold', 'best_selling'],
  ]) {
    await shop.commerce('POST', '/collections', { name, kind: 'manual', sort });
    await server.rows(
      `insert into collection_products select c.company_id, c.id, p.id, row_number() over (order by p.id)
       from collections c join products p on p.company_id = c.company_id and p.id % 50 = 0 where c.slug = $1`,
      [name],
    );
  }
  [{ id: mainId }] = (await shop.commerce('GET', '/locations')).body.data;
  await server.rows("select fold_deltas('counter')");
  await server.rows('vacuum analyze');
  [[{ id: orderId }], [{ id: customerId }], [{ id: productId }]] = (await Promise.all(
    ['orders', 'customers', 'products'].map((table) =>
      server.rows<{ id: number }>(`select (min(id) + 1000)::int as id from ${table} where company_id = $1`, [company]),
    ),
  )) as [[{ id: number }], [{ id: number }], [{ id: number }]];
});

const order = () => ({
  customer_id: customerId,
  items: [1, 2, 3].map((n) => ({ product_id: productId + n, qty: 1 })),
  shipping_address: '1',
  shipping_city: 'X',
  shipping_zip: '1',
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Plan[];
}

function scanned(plan: Plan): string[] {
  const here =
    plan['Node Type'] === 'Seq Scan' && LONG_TABLES.includes(plan['Relation Name'] ?? '')
      ? [plan['Relation Name']!]
      : [];
  return [...here, ...(plan.Plans ?? []).flatMap(scanned)];
}

describe('every list and read is served by an index', () => {
  test.each([
    ['/products'],
    ['/products?page=150&per_page=100'],
    ['/products?in_stock=true'],
    ['/products?in_stock=false&subscription_enabled=true'],
    ['/products?search=product%201999'],
    ['/products?search=zz'],
    ['/products?search=z%20x'],
    ['/products?search=product%201999&sort=relevance'],
    ['/products?search=zz&sort=relevance'],
    ['/products?category=c7'],
    ['/products?category=c7,c8'],
    ['/products?collection=picks'],
    ['/products?collection=picks,sold'],
    ['/products?option.Colour=Red'],
    ['/products?option.Colour=Red,Blue&option.Size=S&sort=price_asc'],
    ['/products?option.Colour=Red&category=c7&search=product'],
    ['/products?facets=option:Colour,price,in_stock'],
    ['/products?facets=option:Colour,price,category,collection,in_stock&option.Colour=Red&category=c7&in_stock=true'],
    ['/products?collection=picks&sort=price_asc'],
    ['/products?collection=picks&search=product'],
    ['/products?collection=sold'],
    ['/collections'],
    ['/collections/picks'],
    ['/products?category=c7&in_stock=true&search=product'],
    ['/products/product-77'],
    ['/products/product-77/inventory'],
    ['/orders'],
    ['/orders?page=250&per_page=100'],
    ['/orders?status=pending'],
    ['/orders?to_fulfill=true'],
    ['/orders?date_from=2026-02-01&date_to=2026-02-03'],
    ['/orders?status=shipped&is_subscription=false&date_from=2026-02-01'],
    ['/orders?date_from=2026-02-01&date_to=2026-02-03&time_zone=America/Los_Angeles'],
    ['/orders?customer_id={customer}'],
    ['/orders?customer_id={customer}&status=pending'],
    ['/orders?search=c4999'],
    ['/orders?search=product%201999'],
    ['/orders?search=zz'],
    ['/orders?search=zz&status=pending&date_from=2026-02-01&sort=relevance'],
    ['/orders?search=example&customer_id={customer}'],
    ['/orders/{order}'],
    ['/orders/{order}/history'],
    ['/customers/{customer}'],
    ['/customers/{customer}/orders'],
    ['/customers/{customer}/loyalty'],
    ['/customers/{customer}/loyalty/ledger'],
    ['/customers?search=c4999'],
    ['/customers?search=zz'],
    ['/customers?email=c17@example.com'],
    ['/customers'],
    ['/inventory'],
    ['/inventory?page=150&per_page=100'],
    ['/inventory?search=product%201999'],
    ['/inventory?low=true'],
    ['/inventory?running_out=true'],
    ['/locations'],
    ['/payment-methods'],
    ['/inventory/transfers'],
    ['/inventory/transfers?status=in_transit'],
    ['/inventory/adjustments'],
    ['/inventory/receipts'],
    ['/products/product-77/reservations'],
  ])('GET %s', async (path) => {
    const filled = path.replace('{customer}', String(customerId)).replace('{order}', String(orderId));
    const statements = await recordStatements(async () =>
      expect((await shop.commerce('GET', filled)).status).toBe(200),
    );
    expect(statements.length).toBeGreaterThan(0);
    // A search by words of one or two letters is a transaction of its own, with settings that leave the planner no choice.
    for (const { text, values } of statements.filter(({ text }) => !/^(begin|commit)$|set_config/.test(text))) {
      const rows = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
      expect(scanned(rows[0]!['QUERY PLAN'][0].Plan), text).toEqual([]);
    }
  });
});

test('the list of the inventory and its total read one index', async () => {
  const statements = await recordStatements(() => shop.commerce('GET', '/inventory'));
  const { text, values } = statements.find((one) => one.text.includes('json_agg(id)'))!;
  const rows = await server.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes(' Scan '));
  expect(scans.filter((line) => line.includes('on products p'))).toEqual([
    expect.stringContaining('Index Only Scan Backward using products_inventory'),
    expect.stringContaining('Index Only Scan using products_inventory'),
  ]);
});

// Which products the main location has is known from the stock of all of them.
test('the inventory of the main location is found with one join', async () => {
  const statements = await recordStatements(() => shop.commerce('GET', `/inventory?location_id=${mainId}`));
  const { text, values } = statements.find((one) => one.text.includes('json_agg(id)'))!;
  const rows = await server.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/SubPlan/);
});

test.each([['pr'], ['o'], ['zz']])('a search by the letters %s takes the index of letters', async (letters) => {
  const statements = await recordStatements(() => shop.commerce('GET', `/products?search=${letters}`));
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query('analyze products');
  await client.query('begin');
  const plans: string[] = [];
  for (const { text, values } of statements.filter((one) => /set_config|search_grams/.test(one.text))) {
    const { rows } = await client.query(text.includes('set_config') ? text : `explain ${text}`, values);
    plans.push(JSON.stringify(rows));
  }
  await client.end();
  expect(plans.join()).toContain('Bitmap Index Scan on products_search_grams');
});

test('a product made without a slug looks only at the slugs that it may get', async () => {
  const statements = await recordStatements(async () => {
    const made = await shop.commerce('POST', '/products', { name: 'Product 77', price: 1 });
    expect(made.body.data!.slug).toBe('product-77-2');
  });
  const { text, values } = statements.find((one) => one.text.includes('select slug from products'))!;
  const rows = await server.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
  const { 'Index Cond': condition, Filter: filter } = rows[0]!['QUERY PLAN'][0].Plan;
  expect([condition, filter]).toEqual([expect.stringContaining('slug = ANY'), undefined]);
});

describe('statement budgets', () => {
  test('a product costs one statement in one turn', async () => {
    await shop.commerce('GET', `/products/${productId}`);
    const statements = await recordStatements(() => shop.commerce('GET', `/products/${productId}`));
    expect(statements).toHaveLength(1);
  });

  test('a page of products or orders costs one statement', async () => {
    for (const path of ['/products', '/orders?status=pending']) {
      await shop.commerce('GET', path);
      expect(await recordStatements(() => shop.commerce('GET', path)), path).toHaveLength(1);
    }
  });

  test('an order costs two turns, and many at once share their statements', async () => {
    await shop.commerce('POST', '/orders', order());
    const one = await recordStatements(() => shop.commerce('POST', '/orders', order()));
    expect(Math.max(...one.map((statement) => statement.turn))).toBe(2);
    const many = await recordStatements(() =>
      Promise.all(Array.from({ length: 40 }, () => shop.commerce('POST', '/orders', order()))),
    );
    expect(many.length).toBeLessThan(one.length * 20);
  });
});
