import { beforeAll, expect, test } from 'vitest';
import { adminEndpoints } from '../../endpoints.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import type { Side } from '../../testing/recipes.ts';
import { ENDPOINTS } from '../../testing/records.ts';

const server = testServer();
/** More than one read returns, with many equal keys and some null keys. */
const ROWS = 4_500;
let shop: TestCompany;
const ids: Record<string, number> = {};

beforeAll(async () => {
  shop = await server.company();
  const { company_id: company } = shop;
  await server.rows(
    `insert into products (company_id, name, slug, price, description, search, in_stock, created_at, updated_at)
     select $1, (array['Äpfel', 'apple', 'Birne', 'zimt'])[1 + n % 4] || ' ' || n / 7 % 90, 'p' || n, n * 7919 % 50, '',
       (array['apfel', 'apple', 'birne', 'zimt'])[1 + n % 4] || ' ' || n / 7 % 90 || ' thing', true, now(), now()
     from generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows(
    'insert into product_stock select company_id, id, 1 + id * 31 % 77 from products where company_id = $1',
    [company],
  );
  await server.rows("insert into categories select $1, 'spice', 'Spice', now()", [company]);
  await server.rows(
    "insert into product_categories select company_id, 'spice', id from products where company_id = $1 and id % 3 = 0",
    [company],
  );
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'c' || n || '@example.com', 'c' || n || '@example.com', now(), now() from generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows(
    `insert into customer_figures (company_id, customer_id, spent, last_order_at)
     select company_id, id, id * 31 % 500, case when id % 3 = 0 then '-infinity' else timestamptz '2026-01-01' + id * 31 % 700 * interval '1.000001 s' end
     from customers where company_id = $1
     on conflict (company_id, customer_id) do update set spent = excluded.spent, last_order_at = excluded.last_order_at`,
    [company],
  );
  ids.customer = Number(
    (await server.rows<{ id: string }>('select min(id) as id from customers where company_id = $1', [company]))[0]!.id,
  );
  await server.rows(
    `insert into orders (company_id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city, shipping_zip, shipping_country, status, created_at, updated_at)
     select $1, $2::bigint + n % 9, 1000, 0, 0, 0, 1000, 'a', 'b', '1', 'US', (array['pending', 'shipped'])[1 + n % 2],
       timestamptz '2026-01-01' + n * interval '3 minutes', now() from generate_series(1, $3::int) n`,
    [company, ids.customer, ROWS],
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, 0, (select min(id) from products where company_id = $1), 'x', 1, 1000, 1000 from orders where company_id = $1`,
    [company],
  );
  await server.rows(
    `insert into customer_accounts (company_id, customer_id, order_count)
     select company_id, customer_id, count(*) from orders where company_id = $1 group by 1, 2`,
    [company],
  );
  await server.rows(
    `insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor, next_billing_date,
       shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country, created_at, updated_at)
     select $1, $2::bigint + n % 9, (select min(id) from products where company_id = $1), (select min(id) from subscription_frequencies where company_id = $1),
       1, 100, case when n % 5 = 0 then 'expired' else 'active' end, '2027-01-01', case when n % 5 > 0 then date '2027-01-01' + n * 31 % 60 end, '', '', '', '', 'US', now(), now()
     from generate_series(1, $3::int) n`,
    [company, ids.customer, ROWS],
  );
  await server.rows(
    `insert into contacts (company_id, external_id, email, first_name, search, email_consent, created_at, updated_at)
     select $1, n, case when n % 9 > 0 then (n::bigint * 7919 % 100003) || '-' || n || '@example.com' end,
       case when n % 2 = 0 then 'A' else 'B' end, '', case when n % 3 = 0 then 'unsubscribed' else 'subscribed' end, now(), now()
     from generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows(
    `insert into contact_last_activity (company_id, contact_id, last_activity_at)
     select company_id, id, case when id % 4 = 0 then '-infinity' else timestamptz '2026-01-01' + id * 31 % 700 * interval '1.000001 s' end
     from contacts where company_id = $1
     on conflict (company_id, contact_id) do update set last_activity_at = excluded.last_activity_at`,
    [company],
  );
  ids.list = (await shop.marketing('POST', '/lists', { name: 'All' })).body.list_id;
  await server.rows(
    `insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select company_id, $2, id, 'active', now(), now() from contacts where company_id = $1 and id % 2 = 0`,
    [company, ids.list],
  );
  const rules = [{ field: 'first_name', comparison: 'equals', value: 'A' }];
  ids.segment = (
    await shop.marketing('POST', '/segments', { name: 'A', conditions: { operator: 'and', rules } })
  ).body.segment_id;
  for (let n = 0; n < 12; n++) {
    const ends_at = n % 3 === 0 ? null : `2027-01-0${1 + (n % 4)}T00:00:00Z`;
    const code = `${'aBc'[n % 3]}${n}`;
    expect((await shop.commerce('POST', '/promo-codes', { code, type: 'percent', value: 5, ends_at })).status).toBe(
      201,
    );
    const name = `${['beta', 'Alpha', 'gamma'][n % 3]} ${n % 2}`;
    const made = await shop.marketing('POST', '/campaigns', { name, type: 'email', subject: 'S', content: '<p>x</p>' });
    expect(made.status).toBe(201);
  }
  await server.rows("update campaigns set scheduled_at = '2027-01-01' where company_id = $1 and id % 3 = 0", [company]);
  await server.rows("select fold_deltas('counter')");
  await server.rows('vacuum analyze');
});

type Found = Record<string, number>;
const idOf = (one: Found): number => one.id ?? one.contact_id ?? one.campaign_id!;

async function pages(side: Side, path: string): Promise<number[]> {
  const found: number[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await shop[side]('GET', `${path}&per_page=100&page=${page}`);
    expect([path, status]).toEqual([path, 200]);
    const rows: Found[] = body.data ?? Object.values(body).find(Array.isArray);
    found.push(...rows.map(idOf));
    if (rows.length < 100) return found;
  }
}

async function exported(side: Side, path: string): Promise<Response> {
  const headers: Record<string, string> =
    side === 'commerce'
      ? { 'x-api-key': shop.key }
      : { authorization: `Bearer ${shop.key}`, 'x-company-id': String(shop.company_id) };
  return fetch(`${server.origin}/${side}/v1${path}&format=jsonl`, { headers });
}

async function file(side: Side, path: string): Promise<number[]> {
  const response = await exported(side, path);
  const text = await response.text();
  expect([path, response.status], text.slice(0, 300)).toEqual([path, 200]);
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => idOf(JSON.parse(line)));
}

/** All exportable lists with `sort`, with filters that cause different queries. */
const FILTERS: Record<string, (() => string)[]> = {
  'commerce /products': [
    () => '',
    () => '&search=apfel',
    () => '&search=ap',
    () => '&category=spice',
    () => '&in_stock=true',
  ],
  'commerce /customers': [() => '', () => '&search=example.com', () => '&search=c1', () => '&email=c7@example.com'],
  'commerce /orders': [
    () => '',
    () => '&status=shipped',
    () => `&customer_id=${ids.customer}`,
    () => '&date_from=2026-01-03&date_to=2026-01-08',
    () => '&date_from=2026-01-03&time_zone=Asia/Tokyo&status=pending',
    () => '&search=c1%40example.com',
  ],
  'commerce /subscriptions': [() => '', () => '&status=active', () => `&customer_id=${ids.customer}`],
  'commerce /promo-codes': [() => ''],
  'marketing /contacts': [
    () => '',
    () => '&status=unsubscribed',
    () => `&list_id=${ids.list}`,
    () => `&segment_id=${ids.segment}`,
    () => `&segment_id=${ids.segment}&status=subscribed`,
    () => '&list_id=999999',
  ],
  'marketing /campaigns': [() => ''],
};

interface Sorts {
  enum: string[];
}
const sortable = ENDPOINTS.filter(
  ({ endpoint }) => endpoint.method === 'GET' && endpoint.inOrderOf !== undefined && endpoint.query?.properties.sort,
).map(({ side, endpoint }) => ({
  side,
  path: endpoint.path,
  name: `${side} ${endpoint.path}`,
  sorts: (endpoint.query!.properties.sort as unknown as Sorts).enum,
}));

test('every list with sort is tested, and no list of the admin app only has one', () => {
  expect(sortable.map(({ name }) => name).sort()).toEqual(Object.keys(FILTERS).sort());
  expect(adminEndpoints.filter(({ query, inOrderOf }) => inOrderOf && query?.properties.sort)).toEqual([]);
});

const cases = sortable.flatMap(({ side, path, name, sorts }) => sorts.map((sort) => ({ side, path, name, sort })));

test.each(cases)('$name by $sort is a file in that order', { timeout: 120_000 }, async ({ side, path, name, sort }) => {
  for (const filter of FILTERS[name]!) {
    const address = `${path}?sort=${sort}${filter()}`;
    const shown = await pages(side, address);
    expect([address, await file(side, address)]).toEqual([address, shown]);
  }
});

test('an order that a list rejects is rejected for its export too', async () => {
  const path = '/contacts?sort=email_asc&search=ann';
  const list = await shop.marketing('GET', path);
  const whole = await exported('marketing', path);
  expect([whole.status, JSON.parse(await whole.text()).error]).toEqual([list.status, list.body.error]);
  expect((await exported('commerce', '/products?sort=colour_asc')).status).toBe(400);
});
