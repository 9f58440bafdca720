import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const ADDRESS = { shipping_address: '1 Lane', shipping_city: 'Berlin', shipping_zip: '10115', shipping_country: 'DE' };
let shop: TestCompany;
let anna: number;
let teapot: number;
/** Orders of Anna with a teapot, of Anna with a cup, and of Bernd with a teapot. */
let orders: [number, number, number];

async function made(path: string, body: object): Promise<number> {
  const response = await shop.commerce('POST', path, body);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data.id;
}

async function found(query: Record<string, string>, of = shop): Promise<{ ids: number[]; total: number }> {
  const { status, body } = await of.commerce('GET', `/orders?${new URLSearchParams(query)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return { ids: body.data.map(({ id }: { id: number }) => id), total: body.meta.pagination.total };
}

const ids = async (search: string, query = {}): Promise<number[]> => (await found({ search, ...query })).ids;

beforeAll(async () => {
  shop = await server.company();
  anna = await made('/customers', {
    email: 'anna@shop.example',
    first_name: 'Änna',
    last_name: 'Krüger',
    phone: '+491701234567',
  });
  const bernd = await made('/customers', { email: 'bernd@else.example', first_name: 'Bernd', last_name: 'Annason' });
  teapot = await made('/products', {
    name: 'Große Kanne',
    sku: 'TP-1',
    price: 10,
    stock_qty: 100,
    description: 'blue',
  });
  const cup = await made('/products', { name: 'Cup', sku: 'TP-11', price: 10, stock_qty: 100 });
  const order = (customer: number, product: number, more = {}) =>
    made('/orders', { customer_id: customer, items: [{ product_id: product, qty: 1 }], ...ADDRESS, ...more });
  orders = [
    await order(anna, teapot, { external_id: '#1001' }),
    await order(anna, cup, { external_id: 'web-7' }),
    await order(bernd, teapot),
  ];
  await shop.commerce('PATCH', `/orders/${orders[2]}/status`, {
    status: 'shipped',
    tracking_number: '00 340 434 1612 Ab',
  });
});

test('an order is found by its number, external id and tracking number, however they are typed', async () => {
  for (const text of [`${orders[1]}`, `#${orders[1]}`]) expect(await ids(text)).toContain(orders[1]);
  for (const text of ['1001', '#1001', ' 1001 ']) expect(await ids(text)).toContain(orders[0]);
  expect(await ids('WEB-7')).toEqual([orders[1]]);
  for (const text of ['00 340 434 1612 Ab', '003404341612AB']) expect(await ids(text)).toEqual([orders[2]]);
});

test('an order is found by name, e-mail address and phone number of its customer, and by words of both names', async () => {
  for (const text of ['krug', 'KRÜGER änna', 'anna@shop', '+491701234567', '1701234'])
    expect(await ids(text)).toEqual([orders[1], orders[0]]);
  expect(await ids('annason')).toEqual([orders[2]]);
  expect(await ids('krüger bernd')).toEqual([]);
});

test('an order is found by name and SKU of a product in it, not by its description', async () => {
  for (const text of ['grosse kanne', 'Kanne', 'große', 'tp-1'])
    expect(await ids(text)).toEqual([orders[2], orders[0]]);
  expect(await ids('TP-11')).toEqual([orders[1]]);
  expect(await ids('blue')).toEqual([]);
});

test('words of one or two letters are looked for in the newest orders, by the same fields', async () => {
  expect(await ids('ka')).toEqual([orders[2], orders[0]]);
  expect(await ids('an kr')).toEqual([orders[1], orders[0]]);
  expect(await ids('zz')).toEqual([]);
});

test('by relevance a code comes before a person, a whole address before a part, and people before products', async () => {
  expect(await ids('anna')).toEqual(orders.toReversed());
  const clerk = await made('/customers', { email: 'kanne@x.example', first_name: 'K' });
  const line = [{ product_id: teapot, qty: 1 }];
  const third = await made('/orders', { customer_id: clerk, items: line, external_id: 'kanne', ...ADDRESS });
  const byPerson = await made('/orders', { customer_id: clerk, items: line, ...ADDRESS });
  const byProduct = await made('/orders', { customer_id: anna, items: line, ...ADDRESS });
  expect(await ids('kanne', { sort: 'relevance' })).toEqual([third, byPerson, byProduct, orders[2], orders[0]]);
  expect(await ids('kanne')).toEqual([byProduct, byPerson, third, orders[2], orders[0]]);
  expect(await ids('kanne', { sort: 'oldest' })).toEqual([orders[0], orders[2], third, byPerson, byProduct]);
  const pages = await Promise.all(
    [1, 2, 3].map((page) => found({ search: 'kanne', sort: 'relevance', per_page: '2', page: String(page) })),
  );
  expect(pages.flatMap((page) => page.ids)).toEqual([third, byPerson, byProduct, orders[2], orders[0]]);
  expect(pages.map(({ total }) => total)).toEqual([5, 5, 5]);
});

test('a search joins the other filters, and an empty one is none', async () => {
  expect(await ids('kanne', { status: 'shipped' })).toEqual([orders[2]]);
  expect(await ids('annason', { status: 'pending' })).toEqual([]);
  expect(await ids('cup', { customer_id: String(anna) })).toEqual([orders[1]]);
  expect(await ids('annason', { customer_id: String(anna) })).toEqual([]);
  expect(await ids('krüger', { date_to: '2000-01-01' })).toEqual([]);
  expect(await ids('an', { date_to: '2000-01-01' })).toEqual([]);
  expect(await found({ search: '  ' })).toEqual(await found({}));
});

test('orders of another company are not found', async () => {
  const other = await server.company();
  for (const search of [`${orders[0]}`, '1001', 'krüger', 'kanne', 'tp-1', 'ka', '003404341612AB'])
    expect(await found({ search }, other)).toEqual({ ids: [], total: 0 });
});

test('an erased customer is not found by anything that was about them', async () => {
  const gone = await made('/customers', { email: 'gone@x.example', first_name: 'Zacharias', phone: '+4930999888' });
  const order = await made('/orders', { customer_id: gone, items: [{ product_id: teapot, qty: 1 }], ...ADDRESS });
  await shop.commerce('PATCH', `/orders/${order}/status`, { status: 'shipped', tracking_number: 'PERSONAL1' });
  for (const text of ['zacharias', 'gone@x', '4930999888', 'personal1']) expect(await ids(text)).toEqual([order]);
  const erased = await shop.commerce('DELETE', `/customers/${gone}`);
  expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300);
  for (const text of ['zacharias', 'gone@x', '4930999888', 'personal1', 'za']) expect(await ids(text)).toEqual([]);
  expect(await ids(`#${order}`)).toContain(order);
});

test('what too many people or products have is looked for in the newest 3,000 orders, and 1,000 are found at most', async () => {
  const big = await server.company();
  const company = [big.company_id];
  const [{ product }] = (await server.rows(
    `insert into products (company_id, name, slug, price, search, created_at, updated_at)
     values ($1, 'Common', 'common', 1, 'common', now(), now()) returning id::int as product`,
    company,
  )) as [{ product: number }];
  await server.rows(
    `insert into customers (company_id, email, search, created_at, updated_at)
     select $1, 'p' || n || '@x.example', 'frequent ' || case when n = 7 then 'rarely' else '' end, now(), now() from generate_series(1, 600) n`,
    company,
  );
  await server.rows(
    `with people as (select min(id) as first from customers where company_id = $1)
     insert into orders (company_id, customer_id, subtotal, discount, tax, shipping, total, shipping_address, shipping_city, shipping_zip, shipping_country, created_at, updated_at)
     select $1, first + n % 600, 1, 0, 0, 0, 1, 'a', 'b', '1', 'US', now(), now() from generate_series(1, 6000) n, people order by n`,
    company,
  );
  await server.rows(
    `insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal)
     select company_id, id, 0, $2, 'x', 1, 1, 1 from orders where company_id = $1`,
    [...company, product],
  );
  const newest = await server.rows<{ id: number }>(
    'select id::int from orders where company_id = $1 order by id desc limit 1000',
    company,
  );
  const last = newest.slice(-100).map(({ id }) => id);
  for (const search of ['frequent', 'common']) {
    expect(await found({ search, per_page: '100', page: '10' }, big)).toEqual({ ids: last, total: 1_000 });
  }
  expect((await found({ search: 'rarely' }, big)).total).toBe(10);
  expect((await found({ search: 'rarely', sort: 'oldest' }, big)).ids.at(-1)).toBe(
    (await found({ search: 'rarely' }, big)).ids[0],
  );
});
