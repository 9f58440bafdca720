import { beforeAll, describe, expect, test } from 'vitest';
import { commerceRoutes } from '../routes.ts';
import { type TestBody, type TestCompany, testServer } from './harness.ts';

/** What the document of the ecommerce interface shows, as tables: one for each of its sections. */

const server = testServer();
let shop: TestCompany;
const records: Record<string, TestBody> = {};

const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_state: 'IL',
  shipping_zip: '62701',
  shipping_country: 'US',
};

beforeAll(async () => {
  shop = await server.company();
  const data = async (method: string, path: string, body?: unknown) =>
    (await shop.commerce(method, path, body)).body.data!;
  records.product = await data('POST', '/products', {
    name: 'Coffee',
    slug: 'coffee',
    description: 'Beans',
    price: 12.5,
    stock_qty: 50,
    subscription_enabled: true,
    categories: ['drinks'],
    images: [{ url: 'https://img.example/1.png' }],
  });
  records.customer = await data('POST', '/customers', {
    email: 'ada@example.com',
    password: 'a long secret',
    first_name: 'Ada',
    last_name: 'Byron',
    phone: '+12025550123',
  });
  const items = [{ product_id: records.product.id, qty: 2 }];
  records.order = await data('POST', '/orders', { customer_id: records.customer.id, items, ...ADDRESS });
  await shop.commerce('PATCH', `/orders/${records.order.id}/status`, { status: 'shipped', tracking_number: 'T-1' });
  records.order = await data('GET', `/orders/${records.order.id}`);
  records.inventory = await data('GET', '/products/coffee/inventory');
  records.loyalty = await data('GET', `/customers/${records.customer.id}/loyalty`);
  records.settings = await data('GET', '/loyalty/settings');
  records.subscription = await data('POST', '/subscriptions', {
    customer_id: records.customer.id,
    product_id: records.product.id,
    frequency_id: 3,
    quantity: 1,
    start_date: '2026-04-01',
    ...ADDRESS,
  });
});

describe('Resources and their fields', () => {
  test.each([
    [
      'product',
      {
        id: 'integer',
        name: 'string',
        slug: 'string',
        price: 'number',
        description: 'string',
        stock_qty: 'integer',
        subscription_enabled: 'boolean',
        categories: 'array',
        images: 'array',
      },
    ],
    ['inventory', { product_id: 'integer', stock_qty: 'integer', in_stock: 'boolean' }],
    [
      'order',
      {
        id: 'integer',
        customer_id: 'integer',
        status: 'string',
        subtotal: 'number',
        tax: 'number',
        shipping: 'number',
        total: 'number',
        tracking_number: 'string',
        items: 'array',
        shipping_address: 'string',
        shipping_city: 'string',
        shipping_state: 'string',
        shipping_zip: 'string',
        created_at: 'string',
      },
    ],
    [
      'customer',
      {
        id: 'integer',
        email: 'string',
        first_name: 'string',
        last_name: 'string',
        phone: 'string',
        created_at: 'string',
      },
    ],
    [
      'loyalty',
      { customer_id: 'integer', current_balance: 'integer', lifetime_points: 'integer', dollar_value: 'number' },
    ],
    [
      'settings',
      { points_per_dollar: 'integer', point_value: 'number', min_redeem_points: 'integer', enabled: 'boolean' },
    ],
    [
      'subscription',
      {
        id: 'integer',
        customer_id: 'integer',
        product_id: 'integer',
        frequency_id: 'integer',
        frequency_name: 'string',
        quantity: 'integer',
        price: 'number',
        status: 'string',
        next_billing_date: 'string',
        created_at: 'string',
      },
    ],
  ])('%s', (name, fields) => {
    const record = records[name] as unknown as Record<string, unknown>;
    const kinds = Object.fromEntries(
      Object.keys(fields).map((field) => [field, kindOf(record[field], fields[field as never])]),
    );
    expect(kinds).toEqual(fields);
  });

  test('images, order items, timestamps and dates have the shapes shown; a password is not returned', () => {
    expect(records.product!.categories).toEqual(['drinks']);
    expect(records.product!.images![0]).toEqual({ url: 'https://img.example/1.png', is_primary: true });
    expect(records.order!.items![0]).toMatchObject({
      product_id: records.product!.id,
      product_name: 'Coffee',
      qty: 2,
      price: 12.5,
      subtotal: 25,
    });
    for (const name of ['order', 'customer', 'subscription']) {
      expect(records[name]!.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(records.subscription!.next_billing_date).toBe('2026-04-01');
    expect(records.subscription!.status).toBe('active');
    expect(records.customer).not.toHaveProperty('password');
    expect(JSON.stringify(records)).not.toContain('a long secret');
  });
});

function kindOf(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) && wanted === 'integer' ? 'integer' : 'number';
  return typeof value;
}

describe('Endpoints and their scopes', () => {
  const table = [
    ['GET', '/products', 'products:read'],
    ['GET', '/products/{id}', 'products:read'],
    ['GET', '/products/{id}/inventory', 'products:read'],
    ['POST', '/products', 'products:write'],
    ['PATCH', '/products/{id}', 'products:write'],
    ['GET', '/orders', 'orders:read'],
    ['GET', '/orders/{id}', 'orders:read'],
    ['POST', '/orders', 'orders:write'],
    ['PATCH', '/orders/{id}/status', 'orders:write'],
    ['GET', '/customers/{id}', 'customers:read'],
    ['GET', '/customers/{id}/orders', 'customers:read'],
    ['GET', '/customers/{id}/loyalty', 'customers:read'],
    ['POST', '/customers', 'customers:write'],
    ['PATCH', '/customers/{id}', 'customers:write'],
    ['GET', '/subscriptions/{id}', 'subscriptions:read'],
    ['GET', '/subscriptions/{id}/upcoming', 'subscriptions:read'],
    ['POST', '/subscriptions', 'subscriptions:write'],
    ['PATCH', '/subscriptions/{id}', 'subscriptions:write'],
    ['POST', '/subscriptions/{id}/cancel', 'subscriptions:write'],
    ['GET', '/loyalty/settings', 'loyalty:read'],
  ] as const;

  test.each(table)('%s %s needs %s and nothing else', async (method, path, scope) => {
    const route = commerceRoutes.find(({ endpoint }) => endpoint.method === method && endpoint.path === path);
    expect(route?.endpoint.scope).toBe(scope);
    const holder = await server.company({ scopes: [scope] });
    const lacking = await server.company({ scopes: [scope === 'loyalty:read' ? 'orders:read' : 'loyalty:read'] });
    const address = path.replace('{id}', '1');
    const body = method === 'GET' ? undefined : {};
    expect((await holder.commerce(method, address, body)).status).not.toBe(403);
    const refused = await lacking.commerce(method, address, body);
    expect([refused.status, refused.body.error!.details]).toEqual([
      403,
      expect.objectContaining({ reason: 'missing_scope', required: scope }),
    ]);
  });

  test('the scope * gives access to all of them', async () => {
    for (const [method, path] of table) {
      const answer = await shop.commerce(method, path.replace('{id}', '999999'), method === 'GET' ? undefined : {});
      expect([200, 201, 404, 422], `${method} ${path}`).toContain(answer.status);
    }
  });
});

describe('Envelopes and pagination', () => {
  test('success holds success, data and meta; lists add meta.pagination of four integers', async () => {
    const one = await shop.commerce('GET', '/products/coffee');
    expect(one.body).toMatchObject({ success: true, data: { slug: 'coffee' }, meta: {} });
    const list = await shop.commerce('GET', '/orders');
    expect(list.body.meta!.pagination).toEqual({ page: 1, per_page: 25, total: 1, total_pages: 1 });
    expect((await shop.commerce('GET', '/orders?per_page=1000')).body.meta!.pagination!.per_page).toBe(100);
  });

  test('every endpoint that answers with an array is a list with pages', async () => {
    const lists = commerceRoutes.filter(({ endpoint }) => (endpoint.data as { type?: string }).type === 'array');
    expect(lists.length).toBeGreaterThan(8);
    const paths = {
      customers: records.customer!.id,
      orders: records.order!.id,
      subscriptions: records.subscription!.id,
    };
    for (const { endpoint } of lists) {
      const path = endpoint.path.replace(/(\w+)\/\{id\}/, (_all, noun: keyof typeof paths) => `${noun}/${paths[noun]}`);
      const { status, body } = await shop.commerce('GET', `${path}?page=2&per_page=1`);
      expect([status, body.meta!.pagination], path).toMatchObject([200, { page: 2, per_page: 1 }]);
      expect(body.meta!.pagination!.total_pages, path).toBe(body.meta!.pagination!.total);
    }
  });

  test('an error holds success false and message, code, details', async () => {
    const answer = await shop.commerce('GET', '/orders/999999');
    expect(answer.body).toEqual({
      success: false,
      error: {
        message: expect.any(String),
        code: 404,
        details: { reason: 'not_found', request_id: expect.any(String) },
      },
    });
  });
});

describe('Statuses', () => {
  test.each([
    [200, 'success', () => shop.commerce('GET', '/products')],
    [201, 'created', () => shop.commerce('POST', '/products', { name: 'New', price: 1 })],
    [400, 'bad request', () => shop.commerce('GET', '/orders?status=nowhere')],
    [401, 'missing key', () => server.request('GET', '/commerce/v1/products')],
    [
      401,
      'invalid key',
      () => server.request('GET', '/commerce/v1/products', { headers: { 'x-api-key': 'nonsense' } }),
    ],
    [404, 'not found', () => shop.commerce('GET', '/customers/999999')],
    [422, 'validation errors', () => shop.commerce('POST', '/customers', { email: 'no address' })],
  ] as const)('%d %s', async (status, _meaning, request) => {
    expect((await request()).status).toBe(status);
  });
});

describe('Filters of the lists', () => {
  test.each([
    ['/products?category=drinks', 1],
    ['/products?category=books', 0],
    ['/products?search=BEAN', 1],
    ['/products?in_stock=true&subscription_enabled=true', 1],
    ['/orders?status=shipped', 1],
    ['/orders?status=pending', 0],
    ['/orders?date_from=2026-03-15&date_to=2026-03-15', 1],
    ['/orders?date_from=2026-03-16', 0],
    ['/orders?is_subscription=true', 0],
  ])('GET %s finds %d', async (path, found) => {
    const { body } = await shop.commerce('GET', path);
    expect([body.data!.length, body.meta!.pagination!.total]).toEqual([found, found]);
  });

  test('customer_id picks one customer', async () => {
    const { body } = await shop.commerce('GET', `/orders?customer_id=${records.customer!.id}`);
    expect(body.data!.map((order: TestBody) => order.id)).toEqual([records.order!.id]);
  });
});

describe('Limits', () => {
  test('1000 requests an hour by default; the next is 429', async () => {
    const { key } = await limitedKey();
    const ask = () => server.request('GET', '/commerce/v1/products?per_page=1', { headers: { 'x-api-key': key } });
    const first = await ask();
    expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).toEqual([
      '1000',
      '999',
    ]);
    for (let i = 0; i < 9; i++) await Promise.all(Array.from({ length: 111 }, ask));
    const last = await ask();
    const over = await ask();
    expect([last.status, over.status, over.body.error!.details!.reason]).toEqual([429, 429, 'rate_limited']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

async function limitedKey(): Promise<{ key: string }> {
  const limited = await server.company({ requestsPerHour: 1_000 });
  return { key: limited.key };
}
