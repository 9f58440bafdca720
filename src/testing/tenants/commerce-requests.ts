import { type Requests, ref } from './requests.ts';
import { ADDRESS, orderOf, type SeededCompany, subscriptionOf } from './seed.ts';

/** A valid request for every endpoint of the commerce API. */

const BASKET = {
  customer_id: ref('customer'),
  items: [{ product_id: ref('product'), qty: 2 }],
  ...ADDRESS,
  promo_code: ref('code'),
  shipping_method_id: ref('method'),
};

const fresh =
  (record: string, path: string, body: (company: SeededCompany) => object) => async (company: SeededCompany) => {
    const { id } = await company.make('commerce', 'POST', path, body(company));
    return { [record]: id };
  };
let customers = 0;
const freshCustomer = fresh('customer', '/customers', () => ({ email: `fresh${++customers}@example.com` }));
const freshOrder = fresh('order', '/orders', ({ ids }) => orderOf(ids));
let codes = 0;
const freshPromo = fresh('promo', '/promo-codes', () => ({ code: `FRESH${++codes}`, type: 'percent', value: 5 }));
const freshZone = fresh('zone', '/shipping-zones', () => ({ name: 'Fresh', countries: ['FR'] }));
const freshMethod = fresh('method', '/shipping-methods', ({ ids }) => {
  return { zone_id: ids.zone, name: 'Fresh', type: 'flat', cost: 1, position: 9 };
});
const freshTax = fresh('tax', '/tax-rules', () => ({ name: 'Fresh', country: 'FR', rate: 0.2 }));
const freshSubscription = async ({ ids, make }: SeededCompany) => ({ subscription: await subscriptionOf(ids, make) });
const pausedSubscription = async (company: SeededCompany) => {
  const ids = await freshSubscription(company);
  await company.make('commerce', 'POST', `/subscriptions/${ids.subscription}/pause`);
  return ids;
};

const PRODUCTS: Requests = {
  'GET /products': [{}, { query: { category: ref('category') }, mayBeAbsent: ['query.category'] }],
  'GET /products/{id}': [{ of: 'product' }, { of: 'slug' }],
  'GET /products/{id}/inventory': [{ of: 'product' }, { of: 'slug' }],
  'POST /products': [{ body: { name: 'Tea', price: 3, stock_qty: 5 } }],
  'PATCH /products/{id}': [{ of: 'product', body: { price: 13 } }],
};

const CUSTOMERS: Requests = {
  'GET /customers': [{}],
  'GET /customers/{id}': [{ of: 'customer' }],
  'POST /customers': [{ body: { email: 'new@example.com', ...ADDRESS } }],
  'PATCH /customers/{id}': [{ of: 'customer', body: { phone: '+4930901820' } }],
  'DELETE /customers/{id}': [{ of: 'customer', before: freshCustomer }],
  'GET /customers/{id}/export': [{ of: 'customer' }],
  'POST /customers/{id}/password': [{ of: 'customer', body: { password: 'a long enough password' } }],
  'POST /customers/{id}/verify-password': [{ of: 'customer', body: { password: 'a long enough password' } }],
  'GET /customers/{id}/loyalty': [{ of: 'customer' }],
  'GET /customers/{id}/loyalty/ledger': [{ of: 'customer' }],
  'POST /customers/{id}/loyalty/adjust': [{ of: 'customer', body: { points: 5 } }],
  'GET /loyalty/settings': [{}],
  'PATCH /loyalty/settings': [{ body: { points_per_dollar: 2 } }],
};

const ORDERS: Requests = {
  'POST /orders': [{ body: BASKET }],
  'GET /orders': [{}, { query: { customer_id: ref('customer') }, mayBeAbsent: ['query.customer_id'] }],
  'GET /customers/{id}/orders': [{ of: 'customer' }],
  'GET /orders/{id}': [{ of: 'order' }],
  'GET /orders/{id}/history': [{ of: 'order' }],
  'PATCH /orders/{id}/status': [{ of: 'order', body: { status: 'processing' }, before: freshOrder }],
  'POST /promo-codes/validate': [{ body: BASKET }],
};

const SUBSCRIPTIONS: Requests = {
  'GET /subscription-frequencies': [{}],
  'GET /subscriptions': [{}, { query: { customer_id: ref('customer') }, mayBeAbsent: ['query.customer_id'] }],
  'GET /subscriptions/{id}': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/upcoming': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/orders': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/history': [{ of: 'subscription' }],
  'POST /subscriptions': [{ body: { customer_id: ref('customer'), product_id: ref('product'), frequency_id: 3 } }],
  'PATCH /subscriptions/{id}': [{ of: 'subscription', body: { quantity: 2, frequency_id: 2 } }],
  'POST /subscriptions/{id}/cancel': [{ of: 'subscription', body: { reason: 'too much' }, before: freshSubscription }],
  'POST /subscriptions/{id}/pause': [{ of: 'subscription', before: freshSubscription }],
  'POST /subscriptions/{id}/resume': [{ of: 'subscription', before: pausedSubscription }],
  'POST /subscriptions/{id}/skip': [{ of: 'subscription', before: freshSubscription }],
};

const SETTINGS: Requests = {
  'GET /settings': [{}],
  'PATCH /settings': [{ body: { tax_rounding: 'order' } }],
  'GET /promo-codes': [{}],
  'GET /promo-codes/{id}': [{ of: 'promo' }],
  'POST /promo-codes': [
    { body: { code: 'NEW10', type: 'percent', value: 10, scope: 'products', product_ids: [ref('product')] } },
  ],
  'PATCH /promo-codes/{id}': [
    { of: 'promo', body: { scope: 'products', product_ids: [ref('product')] }, before: freshPromo },
  ],
  'DELETE /promo-codes/{id}': [{ of: 'promo', before: freshPromo }],
  'GET /shipping-zones': [{}],
  'GET /shipping-zones/{id}': [{ of: 'zone' }],
  'POST /shipping-zones': [{ body: { name: 'New', countries: ['AT'] } }],
  'PATCH /shipping-zones/{id}': [{ of: 'zone', body: { position: 3 } }],
  'DELETE /shipping-zones/{id}': [{ of: 'zone', before: freshZone }],
  'GET /shipping-methods': [{}, { query: { zone_id: ref('zone') }, mayBeAbsent: ['query.zone_id'] }],
  'GET /shipping-methods/{id}': [{ of: 'method' }],
  'POST /shipping-methods': [{ body: { zone_id: ref('zone'), name: 'New', type: 'flat', cost: 2, position: 8 } }],
  'PATCH /shipping-methods/{id}': [{ of: 'method', body: { zone_id: ref('zone'), cost: 3 } }],
  'DELETE /shipping-methods/{id}': [{ of: 'method', before: freshMethod }],
  'GET /tax-rules': [{}],
  'GET /tax-rules/{id}': [{ of: 'tax' }],
  'POST /tax-rules': [{ body: { name: 'New', country: 'AT', rate: 0.2 } }],
  'PATCH /tax-rules/{id}': [{ of: 'tax', body: { rate: 0.07 } }],
  'DELETE /tax-rules/{id}': [{ of: 'tax', before: freshTax }],
};

export const COMMERCE: Requests = { ...PRODUCTS, ...CUSTOMERS, ...ORDERS, ...SUBSCRIPTIONS, ...SETTINGS };
