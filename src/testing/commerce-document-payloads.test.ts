import { beforeAll, expect, test } from 'vitest';
import { ADDRESS, ENDPOINTS, FIELDS, kindsOf, makeDocumented } from './commerce-document.ts';
import { type TestBody, type TestCompany, testServer } from './harness.ts';

/** Requests every endpoint in the ecommerce API's document with what the document shows and nothing else. */

const server = testServer({ described: true });
let shop: TestCompany;
let records: Record<string, TestBody>;

const product = {
  name: 'Tea',
  slug: 'tea',
  description: 'Leaves',
  price: 4.2,
  stock_qty: 9,
  subscription_enabled: true,
};
const changed = {
  name: 'Green tea',
  slug: 'green-tea',
  description: 'More leaves',
  price: 5,
  stock_qty: 8,
  subscription_enabled: false,
  categories: ['tea'],
  images: [{ url: 'https://img.example/t.png', is_primary: true }],
};
const person = { email: 'bob@example.com', first_name: 'Bob', last_name: 'Ray', phone: '+12025550124' };
const renamed = { first_name: 'Rob', last_name: 'May', phone: '+12025550125', email: 'rob@example.com' };
/** The delivery address in an order's response: in the document, only the create request has a country. */
const { shipping_country: _country, ...shown } = ADDRESS;
const of = (name: string) => records[name]!.id;
const order = () => ({ customer_id: of('customer'), items: [{ product_id: of('product'), qty: 3 }], ...ADDRESS });
const subscription = () => ({
  customer_id: of('customer'),
  product_id: of('product'),
  frequency_id: 3,
  quantity: 2,
  start_date: '2026-05-01',
});

interface DocumentedRequest {
  /** The resource of `data`: one record, or a list of records. */
  resource: string | null;
  list?: true;
  id?: () => number | string;
  query?: string;
  body?: () => object;
  /** Fields of the response in addition to those of the resource; those of the body if absent. */
  response?: () => object;
}
const nothing = () => ({});
const REQUESTS: Record<string, DocumentedRequest> = {
  'GET /products': {
    resource: 'product',
    list: true,
    query: 'category=drinks&search=coff&in_stock=true&subscription_enabled=true&page=1&per_page=5',
  },
  'GET /products/{id}': { resource: 'product', id: () => 'coffee', response: () => ({ id: of('product') }) },
  'GET /products/{id}/inventory': { resource: 'inventory', id: () => of('product') },
  'POST /products': { resource: 'product', body: () => product },
  'PATCH /products/{id}': { resource: 'product', id: () => 'tea', body: () => changed },
  'GET /orders': {
    resource: 'order',
    list: true,
    query: 'status=shipped&date_from=2026-03-15&date_to=2026-03-15&is_subscription=false&page=1&per_page=5',
  },
  'GET /orders/{id}': { resource: 'order', id: () => of('order'), response: () => shown },
  'POST /orders': {
    resource: 'order',
    body: () => ({ ...order(), promo_code: 'half' }),
    response: () => ({ ...shown, status: 'pending', subtotal: 37.5, total: 18.75, customer_id: of('customer') }),
  },
  'PATCH /orders/{id}/status': {
    resource: 'order',
    id: () => of('order'),
    body: () => ({ status: 'delivered', tracking_number: 'T-2' }),
  },
  'GET /customers/{id}': { resource: 'customer', id: () => of('customer'), response: () => ({ first_name: 'Ada' }) },
  'GET /customers/{id}/orders': { resource: 'order', list: true, id: () => of('customer') },
  'GET /customers/{id}/loyalty': { resource: 'loyalty', id: () => of('customer') },
  'POST /customers': {
    resource: 'customer',
    body: () => ({ ...person, password: 'another long secret' }),
    response: () => person,
  },
  'PATCH /customers/{id}': { resource: 'customer', id: () => of('customer'), body: () => renamed },
  'GET /subscriptions/{id}': { resource: 'subscription', id: () => of('subscription') },
  'GET /subscriptions/{id}/upcoming': {
    resource: null,
    id: () => of('subscription'),
    response: () => ({ scheduled_date: '2026-04-01', items: [{ product_id: of('product'), qty: 1, price: 12.5 }] }),
  },
  'POST /subscriptions': {
    resource: 'subscription',
    body: () => subscription(),
    response: () => ({ customer_id: of('customer'), quantity: 2, next_billing_date: '2026-05-01', frequency_id: 3 }),
  },
  'PATCH /subscriptions/{id}': {
    resource: 'subscription',
    id: () => of('subscription'),
    body: () => ({ quantity: 4, frequency_id: 1, next_billing_date: '2026-06-01' }),
  },
  'POST /subscriptions/{id}/cancel': {
    resource: null,
    id: () => of('subscription'),
    body: () => ({ reason: 'too much' }),
    response: () => ({ id: of('subscription'), status: 'cancelled' }),
  },
  'GET /loyalty/settings': { resource: 'settings' },
};

beforeAll(async () => {
  shop = await server.company();
  records = await makeDocumented(shop);
  await shop.commerce('POST', '/promo-codes', { code: 'HALF', type: 'percent', value: 50 });
  // The address of a subscription without one of its own.
  await shop.commerce('PATCH', `/customers/${of('customer')}`, ADDRESS);
});

test('are those of the table', () => {
  expect(Object.keys(REQUESTS)).toEqual(ENDPOINTS.map(([method, path]) => `${method} ${path}`));
});

// One after the other: each test changes records that the previous ones created.
test.each(Object.keys(REQUESTS))('%s', async (name) => {
  const [method, path] = name.split(' ') as [string, string];
  const { resource, list, id, query = '', body, response = body ?? nothing } = REQUESTS[name]!;
  const address = `${path.replace('{id}', String(id?.()))}?${query}`;
  const stock = async () => (await shop.commerce('GET', '/products/coffee/inventory')).body.data!.stock_qty;
  const before = await stock();
  const { status, headers, body: given } = await shop.commerce(method, address, body?.());
  expect([status, given.success, headers.get('x-ignored-fields')]).toEqual([
    method === 'POST' && !path.endsWith('/cancel') ? 201 : 200,
    true,
    null,
  ]);
  const found = list ? given.data : [given.data];
  expect(found.length).toBeGreaterThan(0);
  for (const record of found) {
    if (resource !== null) expect(kindsOf(resource, record)).toEqual(shownKinds(resource, record));
    expect(record).toMatchObject(response());
  }
  expect(await stock()).toBe(name === 'POST /orders' ? before - 3 : before);
});

test('an order takes a country by its name, and fails whole where stock is short', async () => {
  const made = await shop.commerce('POST', '/orders', { ...order(), shipping_country: 'Canada' });
  expect(made.status).toBe(201);
  const items = [{ product_id: of('product'), qty: 1_000 }];
  const failed = await shop.commerce('POST', '/orders', { ...order(), items, promo_code: 'HALF' });
  expect([failed.status, failed.body.error!.details!.reason]).toEqual([422, 'insufficient_stock']);
});

/** Kinds as in the document; an order that was not shipped has no tracking number yet. */
function shownKinds(resource: string, record: TestBody): Record<string, string> {
  if (resource !== 'order' || record.tracking_number !== null) return FIELDS[resource]!;
  return { ...FIELDS[resource]!, tracking_number: 'object' };
}
