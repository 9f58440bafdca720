import { beforeAll, expect, test } from 'vitest';
import { findOpenCarts } from '../../commerce/carts/event-queries.ts';
import {
  loadBestSellers,
  loadBoughtTogether,
  loadLoyalty,
  loadNextSubscriptions,
  loadProducts,
} from '../../commerce/message-data/service.ts';
import { loadCarts } from '../../marketing/carts/service.ts';
import { loadViewedProducts } from '../../marketing/viewed-products/service.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { measuredPlan, nodesOf, recordStatements, rowsOf } from '../../testing/statements.ts';

const server = testServer();
let shop: TestCompany;
/** The first contact has by far the most events. */
const CONTACTS = Array.from({ length: 400 }, (_, i) => i + 1);

beforeAll(async () => {
  shop = await server.company();
  const now = server.clock.now();
  const company = shop.company_id;
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'c' || n || '@example.com', '', $2, $2 from generate_series(1, 20000) n`,
    [company, now],
  );
  await server.rows(
    `insert into products (company_id, name, slug, price, search, in_stock, created_at, updated_at)
     select $1, 'Product ' || n, 'product-' || n, 1000, '', true, $2, $2 from generate_series(1, 5000) n`,
    [company, now],
  );
  await server.rows(
    `insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor,
       next_billing_date, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country, created_at, updated_at)
     select $1, id, 1, 3, 1, 1000, 'active', $2::timestamptz, $2::timestamptz::date + 9, 'a', 'b', 'c', '1', 'US', $2, $2 from customers
     where company_id = $1`,
    [company, now],
  );
  await server.rows(
    `insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, data)
     select $1, nextval('event_ids'), at, at, case when n <= 30000 then 1 else n % 1000 + 1 end,
       (array['product_viewed', 'cart_abandoned', 'page_viewed'])[1 + n % 3], 'api',
       jsonb_build_object('product_id', n % 300 + 1, 'product_name', 'P', 'items', jsonb_build_array(jsonb_build_object('name', 'x')))
     from generate_series(1, 60000) n cross join lateral (select $2::timestamptz - interval '1 second' * (60000 - n) as at) t`,
    [company, now],
  );
  await server.rows(
    `insert into orders (company_id, customer_id, status, subtotal, discount, tax, shipping, total, shipping_address,
       shipping_city, shipping_zip, shipping_country, created_at, updated_at)
     select $1, case when n <= 3000 then 1 else n % 1000 + 1 end, 'pending', 1000, 0, 0, 0, 1000, 'a', 'b', '1', 'US', $2, $2
     from generate_series(1, 20000) n`,
    [company, now],
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, n, (id * 7 + n * 13) % 300 + 1, 'P', 1, 500, 500 from orders cross join generate_series(1, 2) n
     where company_id = $1`,
    [company],
  );
  await server.rows(
    `insert into products_together (company_id, product_id, other_id, orders)
     select $1, a, (a + b - 1) % 300 + 1, b from generate_series(1, 300) a cross join generate_series(1, 24) b`,
    [company],
  );
  await server.rows(
    `insert into best_sellers (company_id, category, place, product_id, pass)
     select $1, case when c = 0 then '' else 'c' || c end, n, n, 1 from generate_series(0, 200) c cross join generate_series(1, 40) n`,
    [company],
  );
  await server.rows('analyze');
}, 120_000);

test.each([
  ['loyalty', () => loadLoyalty(server.app.db, shop.company_id, CONTACTS)],
  ['subscription', () => loadNextSubscriptions(server.app.db, shop.company_id, CONTACTS)],
  ['cart', () => loadCarts(server.app.db, shop.company_id, CONTACTS, server.clock.now(), async () => new Map())],
  ['bought together', () => loadBoughtTogether(server.app.db, shop.company_id, CONTACTS)],
  [
    'recently viewed',
    () => {
      const of = { contactIds: CONTACTS, now: server.clock.now() };
      return loadViewedProducts(loadProducts, server.app.db, shop.company_id, of);
    },
  ],
])('%s reads a bounded number of rows for each contact, by indexes', async (_name, load) => {
  const sent = await recordStatements(async () => expect((await load()).size).toBe(CONTACTS.length));
  expect(sent.length).toBeLessThanOrEqual(2);
  for (const { text, values } of sent) {
    const nodes = nodesOf(await measuredPlan(server.rows, { text, values }));
    const read = nodes.filter((node) =>
      /^(events|contacts|customers|subscriptions|products|orders|order_items)/.test(node['Relation Name'] ?? ''),
    );
    expect(read.length).toBeGreaterThan(0);
    // Partitions of months without events may be read in full.
    const whole = read.filter((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) > 0);
    expect(whole.map((node) => node['Relation Name'])).toEqual([]);
    // Of the contact's 30,000 events at most 200 are read.
    const rows = read.reduce((sum, node) => sum + rowsOf(node), 0);
    expect(rows).toBeLessThan(CONTACTS.length * 201 + 1_000);
  }
});

test('open carts are read by indexes, few for each contact', async () => {
  await server.rows(
    `insert into carts (company_id, origin, customer_id, email, lines, created_at, updated_at)
     select $1, 'store', case when n % 2 = 0 then n % 2000 + 1 end, 'c' || n % 2000 + 1 || '@example.com', '[{"id": 1}]', $2, $2
     from generate_series(1, 20000) n`,
    [shop.company_id, server.clock.now()],
  );
  await server.rows('analyze carts');
  const buyers = CONTACTS.map((id) => ({ contactId: id, customerId: id, email: `c${id}@example.com` }));
  const [sent] = await recordStatements(async () => {
    expect(await findOpenCarts(server.app.db, shop.company_id, buyers)).toHaveLength(CONTACTS.length);
  });
  const nodes = nodesOf(await measuredPlan(server.rows, sent!));
  const read = nodes.filter((node) => node['Relation Name'] === 'carts');
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  expect(read.reduce((sum, node) => sum + rowsOf(node), 0)).toBeLessThan(CONTACTS.length * 12);
});

test('best sellers of 20 categories are read by indexes, each with no more products than are kept', async () => {
  const categories = ['', ...Array.from({ length: 19 }, (_, i) => `c${i + 1}`)];
  const [sent] = await recordStatements(async () => {
    const found = await loadBestSellers(server.app.db, shop.company_id, categories);
    expect([...found.values()].map((products) => products.length)).toEqual(categories.map(() => 12));
  });
  const read = nodesOf(await measuredPlan(server.rows, sent!)).filter((node) =>
    /^(best_sellers|products)/.test(node['Relation Name'] ?? ''),
  );
  expect(read.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  const rows = read.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
  expect(rows).toBeLessThan(categories.length * 100);
});
