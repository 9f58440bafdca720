import { beforeAll, describe, expect, test } from 'vitest';
import { commerceEndpoints } from '../endpoints.ts';
import { ADDRESS, ENDPOINTS, FIELDS, kindsOf, makeDocumented } from './commerce-document.ts';
import { type TestBody, type TestCompany, testServer } from './harness.ts';

/** What the document of the ecommerce API shows, as tables: one for each of its sections. */

// One of the tests breaks the database on purpose.
const server = testServer({ impatient: true, described: true });
let shop: TestCompany;
let records: Record<string, TestBody>;

beforeAll(async () => {
  shop = await server.company();
  records = await makeDocumented(shop);
});

describe('Resources and their fields', () => {
  test.each(Object.keys(FIELDS))('%s', (name) => {
    expect(kindsOf(name, records[name])).toEqual(FIELDS[name]);
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

describe('Endpoints and their scopes', () => {
  test.each(ENDPOINTS)('%s %s needs %s and nothing else', async (method, path, scope) => {
    const endpoint = commerceEndpoints.find((one) => one.method === method && one.path === path);
    expect(endpoint?.scope).toBe(scope);
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

  test('every scope of the document exists and can be given to a key', async () => {
    const scopes = [...new Set(ENDPOINTS.map(([, , scope]) => scope)), '*'];
    expect(scopes).toHaveLength(10);
    expect((await server.company({ scopes })).key).toMatch(/^tl_live_/);
  });

  test('the scope * gives access to all of them', async () => {
    for (const [method, path] of ENDPOINTS) {
      const response = await shop.commerce(method, path.replace('{id}', '999999'), method === 'GET' ? undefined : {});
      expect([200, 201, 404, 422], `${method} ${path}`).toContain(response.status);
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

  test('every endpoint that returns an array is a list with pages', async () => {
    const lists = commerceEndpoints.filter(
      ({ method, data }) => method === 'GET' && (data as { type?: string }).type === 'array',
    );
    expect(lists.length).toBeGreaterThan(8);
    const coupons = { code: 'COUPONS', type: 'percent', value: 10, is_template: true };
    const paths: Record<string, unknown> = {
      products: records.product!.id,
      customers: records.customer!.id,
      orders: records.order!.id,
      subscriptions: records.subscription!.id,
      'promo-codes': (await shop.commerce('POST', '/promo-codes', coupons)).body.data!.id,
    };
    for (const endpoint of lists) {
      const path = endpoint.path.replace(/([\w-]+)\/\{id\}/, (_all, noun: string) => `${noun}/${paths[noun]}`);
      const { status, body } = await shop.commerce('GET', `${path}?page=2&per_page=1`);
      expect([status, body.meta!.pagination], path).toMatchObject([200, { page: 2, per_page: 1 }]);
      expect(body.meta!.pagination!.total_pages, path).toBe(body.meta!.pagination!.total);
    }
  });

  test.each(['/products', '/orders', '/customers/{id}/orders'])('%s has pages of 25, at most 100', async (path) => {
    const address = path.replace('{id}', String(records.customer!.id));
    const page = async (query: string) => {
      const { status, body } = await shop.commerce('GET', `${address}?${query}`);
      return [status, body.data?.length, body.meta?.pagination];
    };
    const total = path === '/products' ? 2 : 1;
    expect(await page('')).toEqual([200, total, { page: 1, per_page: 25, total, total_pages: 1 }]);
    expect(await page('per_page=100')).toEqual([200, total, { page: 1, per_page: 100, total, total_pages: 1 }]);
    expect(await page('per_page=101')).toEqual([200, total, { page: 1, per_page: 100, total, total_pages: 1 }]);
    const far = { page: 1_000_000_000, per_page: 100, total, total_pages: 1 };
    expect(await page('page=1000000000&per_page=100')).toEqual([200, 0, far]);
    for (const wrong of ['page=0', 'page=-1', 'page=1.5', 'page=', 'per_page=0', 'per_page=x']) {
      expect(await page(wrong), wrong).toEqual([400, undefined, undefined]);
    }
  });
});

describe('Statuses', () => {
  const limited = (key: string) => server.request('GET', '/commerce/v1/products', { headers: { 'x-api-key': key } });

  test.each([
    [200, 'success', () => shop.commerce('GET', '/products')],
    [201, 'created', () => shop.commerce('POST', '/products', { name: 'New', price: 1 })],
  ] as const)('%d %s', async (status, _meaning, request) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect(response.body).toEqual({ success: true, data: expect.anything(), meta: expect.any(Object) });
  });

  test.each([
    [400, 'bad request', () => shop.commerce('GET', '/orders?status=nowhere')],
    [401, 'missing key', () => server.request('GET', '/commerce/v1/products')],
    [401, 'invalid key', () => limited('nonsense')],
    [403, 'insufficient permissions', async () => limited((await server.company({ scopes: ['orders:read'] })).key)],
    [404, 'not found', () => shop.commerce('GET', '/customers/999999')],
    [422, 'validation errors', () => shop.commerce('POST', '/customers', { email: 'no address' })],
    [
      ...([429, 'rate limit exceeded'] as const),
      async () => {
        const { key } = await server.company({ requestsPerHour: 1 });
        await limited(key);
        return limited(key);
      },
    ],
    [
      ...([500, 'internal server error'] as const),
      async () => {
        await server.rows('alter table price_history rename to lost');
        const response = await shop.commerce('POST', '/products', { name: 'Unlucky', price: 1 });
        await server.rows('alter table lost rename to price_history');
        return response;
      },
    ],
  ] as const)('%d %s', async (status, _meaning, request) => {
    const response = await request();
    const details = expect.objectContaining({ reason: expect.any(String), request_id: expect.any(String) });
    expect([response.status, response.body]).toEqual([
      status,
      { success: false, error: { message: expect.any(String), code: status, details } },
    ]);
  });
});

describe('Versioning', () => {
  test('every response carries the version 1.25, which can be asked for', async () => {
    const asked = await shop.commerce('GET', '/products', undefined, { 'api-version': '1.25' });
    const refused = await shop.commerce('GET', '/products', undefined, { 'api-version': '1.24' });
    const unknown = await server.request('GET', '/commerce/v1/nowhere');
    expect([asked.status, refused.status, unknown.status]).toEqual([200, 400, 401]);
    for (const { headers } of [asked, refused, unknown]) expect(headers.get('api-version')).toBe('1.25');
  });
});

describe('Filters of the lists', () => {
  test.each([
    ['/products?category=drinks', 1],
    ['/products?category=books', 0],
    ['/products?search=BEAN', 1],
    ['/products?search=coff', 1],
    ['/products?search=tea', 0],
    ['/products?in_stock=true&subscription_enabled=true', 1],
    ['/products?in_stock=false&category=drinks', 0],
    ['/products?subscription_enabled=false&category=drinks', 0],
    ['/orders?status=shipped', 1],
    ['/orders?status=pending', 0],
    ['/orders?date_from=2026-03-15&date_to=2026-03-15', 1],
    ['/orders?date_from=2026-03-16', 0],
    ['/orders?date_to=2026-03-14', 0],
    ['/orders?is_subscription=true', 0],
    ['/orders?is_subscription=false', 1],
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

describe('States', () => {
  test('every status of an order is taken and can be filtered by; a subscription is active', async () => {
    const statuses = ['pending', 'processing', 'shipped', 'delivered', 'cancelled'];
    const own = await server.company();
    const product_id = (await own.commerce('POST', '/products', { name: 'A', price: 1, stock_qty: 9 })).body.data!.id;
    const customer_id = (await own.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!.id;
    for (const status of statuses) {
      const body = { customer_id, items: [{ product_id, qty: 1 }], ...ADDRESS };
      const { id } = (await own.commerce('POST', '/orders', body)).body.data!;
      if (status === 'delivered') await own.commerce('PATCH', `/orders/${id}/status`, { status: 'shipped' });
      const moved = await own.commerce('PATCH', `/orders/${id}/status`, { status });
      expect([moved.status, moved.body.data!.status]).toEqual([200, status]);
      const listed = await own.commerce('GET', `/orders?status=${status}`);
      expect(listed.body.data!.map((order: TestBody) => order.id)).toEqual([id]);
    }
    expect(records.subscription!.status).toBe('active');
  });
});
