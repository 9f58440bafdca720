import type { TestBody, TestCompany } from './harness.ts';

/** What the document of the ecommerce API shows, as tables, and records to look at. */

export const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Springfield',
  shipping_state: 'IL',
  shipping_zip: '62701',
  shipping_country: 'US',
};

/** The resources' fields and their types. */
export const FIELDS: Record<string, Record<string, string>> = {
  product: {
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
  inventory: { product_id: 'integer', stock_qty: 'integer', in_stock: 'boolean' },
  order: {
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
  customer: {
    id: 'integer',
    email: 'string',
    first_name: 'string',
    last_name: 'string',
    phone: 'string',
    created_at: 'string',
  },
  loyalty: { customer_id: 'integer', current_balance: 'integer', lifetime_points: 'integer', dollar_value: 'number' },
  settings: { points_per_dollar: 'integer', point_value: 'number', min_redeem_points: 'integer', enabled: 'boolean' },
  subscription: {
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
};

/** The endpoints and the scopes that they need. */
export const ENDPOINTS = [
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

/** The kinds of the document's fields in a record. */
export function kindsOf(resource: string, record: unknown): Record<string, string> {
  const values = record as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(FIELDS[resource]!).map(([field, wanted]) => [field, kindOf(values[field], wanted)]),
  );
}

function kindOf(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) && wanted === 'integer' ? 'integer' : 'number';
  return typeof value;
}

/** One record of each resource, by the names in FIELDS. */
export async function makeDocumented(shop: TestCompany): Promise<Record<string, TestBody>> {
  const records: Record<string, TestBody> = {};
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
  // Half of the products have variants.
  await data('POST', '/products', {
    name: 'Mug',
    options: [{ name: 'Size', values: ['S', 'L'] }],
    variants: ['S', 'L'].map((value) => ({ options: [{ name: 'Size', value }], price: 5, stock_qty: 1 })),
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
  return records;
}
