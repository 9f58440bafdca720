import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { rounds } from '../../testing/random/seed.ts';
import { measuredPlan, recordStatements, rowsFetched } from '../../testing/statements.ts';
import { ORDER_STATUSES } from './status.ts';

const server = testServer();

interface Stored {
  id: number;
  customer: number;
  status: string;
  subscription: boolean;
  created_at: Date;
}

let shop: TestCompany;
/** Newest first. */
let stored: Stored[];
let regular: number;

/** Creates orders over five buckets of ids, interleaved with those of another company; one customer has a third of them. */
beforeAll(async () => {
  shop = await server.company();
  const other = await server.company();
  const product = (await shop.commerce('POST', '/products', { name: 'Thing', price: 1 })).body.data!.id;
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'c' || n || '@example.com', '', now(), now() from generate_series(1, 50) n`,
    [shop.company_id],
  );
  await server.rows(
    `insert into orders (company_id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city,
       shipping_zip, shipping_country, status, subscription_id, created_at, updated_at)
     select case when n % 4 = 0 then $2 else $1 end, first + case when n % 3 = 0 then 0 else n % 50 end,
       100, 0, 0, 0, 100, 'a', 'b', '1', 'US',
       (array['pending', 'processing', 'shipped', 'delivered', 'cancelled'])[case when n % 400 = 1 then 1 else 2 + n % 4 end],
       case when n % 700 = 1 then 1 end, timestamptz '2026-01-01' + n * interval '7 minutes', now()
     from generate_series(1, 20000) n, (select min(id) as first from customers where company_id = $1) people`,
    [shop.company_id, other.company_id],
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, 0, $1, 'x', 1, 100, 100 from orders`,
    [product],
  );
  await server.rows(
    `insert into customer_accounts (company_id, customer_id, order_count)
     select company_id, customer_id, count(*) from orders group by 1, 2`,
  );
  // Half of the totals are folded, the others are pending.
  await server.rows("select fold_deltas('counter')");
  await server.rows("update orders set status = 'cancelled' where id % 1000 = 7");
  await server.rows('analyze');
  stored = await server.rows<Stored>(
    `select id::int, customer_id::int as customer, status, subscription_id is not null as subscription,
       created_at
     from orders where company_id = $1 order by id desc`,
    [shop.company_id],
  );
  regular = stored.find((order) => order.id % 3 === 0)!.customer;
});

test('any page under any filters is what counting through all orders gives, with the exact total', async () => {
  const query = fc.record(
    {
      status: fc.constantFrom(...ORDER_STATUSES),
      to_fulfill: fc.boolean(),
      is_subscription: fc.boolean(),
      date_from: fc.constantFrom('2025-12-31', '2026-01-20', '2026-03-01', '2026-04-08'),
      date_to: fc.constantFrom('2026-01-01', '2026-01-20', '2026-03-02', '2026-05-01'),
      time_zone: fc.constantFrom('UTC', 'America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kolkata'),
      customer_id: fc.constantFrom(0, 7, 13),
      sort: fc.constantFrom('newest', 'oldest'),
      per_page: fc.constantFrom(1, 7, 25, 100),
      /** Relative position of the page in the list; may be past its end. */
      at: fc.double({ min: 0, max: 1.1, noNaN: true }),
    },
    { requiredKeys: ['at'] },
  );
  await fc.assert(
    fc.asyncProperty(query, async ({ at, customer_id, ...given }) => {
      const customer = customer_id === undefined ? undefined : regular + customer_id;
      const { format } = new Intl.DateTimeFormat('en-CA', { timeZone: given.time_zone ?? 'UTC', dateStyle: 'short' });
      const wanted = stored.filter(
        (order) =>
          (customer === undefined || order.customer === customer) &&
          (given.status === undefined || order.status === given.status) &&
          (given.to_fulfill === undefined || ['pending', 'processing'].includes(order.status) === given.to_fulfill) &&
          (given.is_subscription === undefined || order.subscription === given.is_subscription) &&
          (given.date_from === undefined || format(order.created_at) >= given.date_from) &&
          (given.date_to === undefined || format(order.created_at) <= given.date_to),
      );
      if (given.sort === 'oldest') wanted.reverse();
      const perPage = given.per_page ?? 25;
      const page = 1 + Math.floor((at * wanted.length) / perPage);
      const filters = { ...given, page, ...(customer === undefined ? {} : { customer_id: customer }) };
      const params = Object.entries(filters).map(([name, value]) => `${name}=${value}`);
      const { status, body } = await shop.commerce('GET', `/orders?${params.join('&')}`);
      expect(status).toBe(200);
      expect(body.meta!.pagination!.total).toBe(wanted.length);
      const ids = body.data!.map((order: { id: number }) => order.id);
      expect(ids).toEqual(wanted.slice((page - 1) * perPage, page * perPage).map((order) => order.id));
    }),
    { numRuns: rounds(75, 300) },
  );
});

test.each([
  ['the last page of a day', 'date_from=2026-03-01&date_to=2026-03-01&page=7'],
  ['a day in another time zone', 'date_from=2026-03-01&date_to=2026-03-01&time_zone=America/Los_Angeles'],
  ['a rare status', 'date_from=2026-03-01&date_to=2026-03-02&status=pending'],
  ['the last page of renewals', 'is_subscription=true&per_page=10&page=3'],
  ['a page in the middle', 'page=300'],
  ['the oldest of a status', 'status=pending&sort=oldest'],
  ["a customer's last page", 'customer_id={regular}&page=200'],
])('%s is counted and found in indexes alone', async (_name, query) => {
  await server.rows('vacuum analyze orders');
  const statements = await recordStatements(async () => {
    expect((await shop.commerce('GET', `/orders?${query.replace('{regular}', String(regular))}`)).status).toBe(200);
  });
  for (const { text, values } of statements) {
    const fetched = rowsFetched(await measuredPlan(server.rows, { text, values }), 'orders');
    // A page, and a rare status, for which its own index is as good.
    expect(fetched).toBeLessThanOrEqual(200);
  }
});
