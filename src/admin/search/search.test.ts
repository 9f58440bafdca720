import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer();
const ADDRESS = { shipping_address: '1 Lane', shipping_city: 'Berlin', shipping_zip: '10115', shipping_country: 'DE' };
let shop: TestCompany;
let owner: TestPerson;
let product: number;
let customer: number;
let order: number;

async function made(path: string, body: object): Promise<number> {
  const response = await shop.commerce('POST', path, body);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data.id;
}

async function hits(q: string, person = owner): Promise<{ kind: string; id: number }[]> {
  const { status, body } = await person.ask('GET', `/${shop.company_id}/search?q=${encodeURIComponent(q)}`);
  expect([q, status, body.message]).toEqual([q, 200, undefined]);
  return body.hits;
}

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const zone = await made('/shipping-zones', { name: 'Everywhere' });
  await made('/shipping-methods', { zone_id: zone, name: 'Free', type: 'flat', cost: 0 });
  product = await made('/products', { name: 'Zebra teapot', sku: 'ZTP-9', price: 10, stock_qty: 100 });
  customer = await made('/customers', { email: 'quentin@example.com', first_name: 'Quentin', last_name: 'Öster' });
  const items = [{ product_id: product, qty: 1 }];
  order = await made('/orders', { customer_id: customer, items, external_id: 'WEB-77', ...ADDRESS });
  const now = server.clock.now();
  await server.rows(
    "insert into segments (company_id, name, conditions, created_at, updated_at) values ($1, 'Zebra fans', '{}', $2, $2)",
    [...[shop.company_id, now]],
  );
  await server.rows(
    "insert into campaigns (company_id, name, type, created_at, updated_at) values ($1, '100% zebra', 'email', $2, $2)",
    [shop.company_id, now],
  );
});

test('finds orders by number, with or without #, and by external id', async () => {
  const found = { kind: 'order', id: order, name: 'WEB-77', detail: 'pending' };
  for (const q of [`${order}`, `#${order}`, 'WEB-77', ' WEB-77 ']) expect(await hits(q)).toContainEqual(found);
  expect((await hits('999999999999999')).filter(({ kind }) => kind === 'order')).toEqual([]);
});

test('finds orders by tracking number, customer and product, behind these', async () => {
  await shop.commerce('PATCH', `/orders/${order}/status`, { tracking_number: 'TRK 55 A' });
  const row = { kind: 'order', id: order, name: 'WEB-77', detail: 'pending' };
  expect(await hits('trk55a')).toEqual([row]);
  expect((await hits('quentin')).map(({ kind }) => kind)).toEqual(['customer', 'order']);
  expect(await hits('ztp-9')).toEqual([expect.objectContaining({ kind: 'product' }), row]);
  // Orders are not searched for the first letter or two.
  expect((await hits('qu')).map(({ kind }) => kind)).not.toContain('order');
});

test('puts products whose name begins with the text before newer ones that have it elsewhere', async () => {
  const first = await made('/products', { name: 'Wok of steel', price: 10 });
  for (let n = 0; n < 6; n++) await made('/products', { name: `Lid for a wok ${n}`, price: 10 });
  const found = await hits('wok');
  expect([found.length, found[0]]).toEqual([5, expect.objectContaining({ kind: 'product', id: first })]);
});

test('finds products by name and SKU, people by name without accents and by address', async () => {
  expect((await hits('teapot zebra'))[0]).toEqual({
    kind: 'product',
    id: product,
    name: 'Zebra teapot',
    detail: 'ZTP-9',
    archived: false,
  });
  expect((await hits('ztp-9'))[0]).toMatchObject({ kind: 'product', id: product });
  const person = { kind: 'customer', id: customer, name: 'Quentin Öster', detail: 'quentin@example.com' };
  for (const q of ['oster', 'quentin@exa', 'q']) expect(await hits(q)).toContainEqual(person);
});

test('finds archived products behind the others, with their state', async () => {
  const old = await made('/products', { name: 'Yak bowl', sku: 'YAK-1', price: 10 });
  await shop.commerce('PATCH', `/products/${old}`, { archived: true });
  const listed = await made('/products', { name: 'Yak spoon', price: 10 });
  expect(await hits('yak')).toMatchObject([
    { kind: 'product', id: listed, archived: false },
    { kind: 'product', id: old, archived: true },
  ]);
  expect(await hits('yak-1')).toMatchObject([{ kind: 'product', id: old, archived: true }]);
});

test('finds campaigns and segments by name, whose signs stand for themselves', async () => {
  expect((await hits('zebra')).map(({ kind }) => kind)).toEqual(['product', 'campaign', 'segment', 'order']);
  expect(await hits('100%')).toMatchObject([{ kind: 'campaign', name: '100% zebra', detail: 'draft' }]);
  expect(await hits('%')).toMatchObject([{ kind: 'campaign' }]);
  expect(await hits('_')).toEqual([]);
});

test('finds older records as well, and at most five of a kind', async () => {
  await server.rows(
    `insert into customers (company_id, email, first_name, search, created_at, updated_at)
     select $1, 'n' || n || '@example.com', 'Nobody', 'nobody n' || n || '@example.com', now(), now() from generate_series(1, 6000) n`,
    [shop.company_id],
  );
  expect((await hits('quentin'))[0]).toMatchObject({ kind: 'customer', id: customer });
  expect(await hits('nobody')).toHaveLength(5);
});

test('shows each role the records that it may read, and none of another company', async () => {
  const fulfilment = await testPerson(server, { [shop.company_id]: 'fulfilment' });
  expect((await hits('zebra', fulfilment)).map(({ kind }) => kind)).toEqual(['product', 'order']);
  const elsewhere = (await server.company()).company_id;
  const other = await testPerson(server, { [elsewhere]: 'owner' });
  for (const q of ['zebra', `${order}`, 'WEB-77', 'quentin']) {
    expect((await other.ask('GET', `/${elsewhere}/search?q=${q}`)).body).toMatchObject({ hits: [] });
  }
});
