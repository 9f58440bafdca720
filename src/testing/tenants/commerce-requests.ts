import { type Requests, ref } from './requests.ts';
import {
  ADDRESS,
  cartOf,
  importOf,
  orderOf,
  parentOf,
  type SeededCompany,
  saveMethod,
  subscriptionOf,
  transferOf,
} from './seed.ts';

/** A valid request for every endpoint of the commerce API. */

const BASKET = {
  customer_id: ref('customer'),
  items: [{ product_id: ref('product'), qty: 2 }],
  ...ADDRESS,
  promo_code: ref('code'),
  shipping_method_id: ref('method'),
  location_id: ref('main'),
};

const CART_FIELDS = { customer_id: ref('customer'), shipping_method_id: ref('method'), location_id: ref('main') };
const CART = { ...CART_FIELDS, lines: [{ product_id: ref('product'), qty: 2 }] };

const fresh =
  (record: string, path: string, body: (company: SeededCompany) => object) => async (company: SeededCompany) => {
    const { id } = await company.make('commerce', 'POST', path, body(company));
    return { [record]: id };
  };
let customers = 0;
const freshCustomer = fresh('customer', '/customers', () => ({ email: `fresh${++customers}@example.com` }));
const freshTwin = async ({ make }: SeededCompany) => ({
  twin: (await make('commerce', 'POST', '/customers', { email: `twin${++customers}@example.com` })).id,
});
const freshSavedMethod = async (company: SeededCompany) => ({ saved_method: await saveMethod(company) });
const freshNotes = async ({ ids, make }: SeededCompany) => ({
  customer_note: (await make('commerce', 'POST', `/customers/${ids.customer}/notes`, { text: 'Fresh' })).id,
  order_note: (await make('commerce', 'POST', `/orders/${ids.order}/notes`, { text: 'Fresh' })).id,
});
const freshOrder = fresh('order', '/orders', ({ ids }) => orderOf(ids));
const freshCart = fresh('cart', '/carts', ({ ids }) => cartOf(ids));
/** A cart for which nothing is to be paid, so that no service is called. */
const freeCart = fresh('cart', '/carts', ({ ids }) => {
  const line = { product_id: ids.product, qty: 1, price_override: 0, override_reason: 'Free' };
  return { ...cartOf(ids), lines: [line] };
});
/** A cart that is being paid. */
const freshPayment = async (company: SeededCompany) => {
  const { cart } = await freshCart(company);
  const { payment } = await company.make('commerce', 'POST', `/carts/${cart}/pay`, {
    method_id: company.ids.payment_method,
  });
  return { payment: payment.id };
};
/** A payment by a service that nothing is paid through, which an order's buyer has authorized. */
const authorizedPayment = async (company: SeededCompany) => {
  const order = await company.make('commerce', 'POST', '/orders', orderOf(company.ids));
  const { online_method: method, payment_account: account } = company.ids;
  const amount = Math.round(order.total * 100);
  const [row] = await company.server.rows<{ id: string }>(
    `insert into payments (company_id, order_id, method_id, provider, account_id, mode, label, amount, authorized, status,
       provider_ref, created_at, updated_at)
     values ($1, $2, $3, 'mollie', $4, 'test', 'Online', $5, $5, 'authorized', $6, now(), now()) returning id`,
    [company.shop.company_id, order.id, method, account, amount, `tr_${order.id}`],
  );
  return { payment: Number(row!.id) };
};
/** An order of which money was received. */
const paidOrder = async (company: SeededCompany) => {
  const order = await company.make('commerce', 'POST', '/orders', orderOf(company.ids));
  const money = { method_id: company.ids.payment_method, amount: 5 };
  await company.make('commerce', 'POST', `/orders/${order.id}/payments`, money);
  return { order: order.id, order_line: order.items[0].id };
};
const REFUND = { amount: 1, lines: [{ line_id: ref('order_line'), qty: 1 }] };
let codes = 0;
const freshPromo = fresh('promo', '/promo-codes', () => ({ code: `FRESH${++codes}`, type: 'percent', value: 5 }));
const freshSingle = fresh('single', '/products', () => ({ name: 'Single', price: 4 }));
let parents = 0;
const freshParent = fresh('parent', '/products', () => parentOf(`Fresh shirt ${++parents}`));
const freshCollection = fresh('collection', '/collections', () => ({ name: 'Fresh', kind: 'manual' }));
const freshCategory = async ({ make }: SeededCompany) => ({
  category: (await make('commerce', 'POST', '/categories', { name: 'Fresh' })).slug,
});
const RULES = { rules: [{ field: 'price', comparison: 'less_than', value: 5 }] };
const freshZone = fresh('zone', '/shipping-zones', () => ({ name: 'Fresh', countries: ['FR'] }));
const freshMethod = fresh('method', '/shipping-methods', ({ ids }) => {
  return { zone_id: ids.zone, name: 'Fresh', type: 'flat', cost: 1, position: 9 };
});
const freshSubscription = async ({ ids, make }: SeededCompany) => ({ subscription: await subscriptionOf(ids, make) });
const pausedSubscription = async (company: SeededCompany) => {
  const ids = await freshSubscription(company);
  await company.make('commerce', 'POST', `/subscriptions/${ids.subscription}/pause`);
  return ids;
};

/** Cancels open imports: a company may have three at a time. */
const noImports = async ({ ids, make, shop }: SeededCompany) => {
  const { body } = await shop.commerce('GET', '/imports');
  for (const { id, status } of body.data) {
    const open = ['uploading', 'checking', 'checked', 'running'].includes(status) && id !== ids.import;
    if (open) await make('commerce', 'POST', `/imports/${id}/cancel`);
  }
  return {};
};
const freshImport = async (company: SeededCompany) => {
  await noImports(company);
  const { id } = await company.make('commerce', 'POST', '/imports', { format: 'klaviyo', file_name: 'fresh.csv' });
  return { import: id };
};
const importIn = (steps: ('check' | 'run')[]) => async (company: SeededCompany) => {
  await noImports(company);
  const id = await importOf(company.make, company.mark);
  for (const step of steps) {
    await company.make('commerce', 'POST', `/imports/${id}/${step}`);
    await company.work();
  }
  return { import: id };
};

const PRODUCTS: Requests = {
  'GET /products': [{}, { query: { category: ref('category') }, mayBeAbsent: ['query.category'] }],
  'GET /products/{id}': [{ of: 'product' }, { of: 'slug' }],
  'GET /products/{id}/related': [{ of: 'product' }, { of: 'slug', query: { limit: 3 } }],
  'GET /products/{id}/inventory': [{ of: 'product' }, { of: 'slug' }],
  'GET /products/{id}/price-history': [{ of: 'product' }, { of: 'slug' }],
  'GET /products/{id}/stock-movements': [{ of: 'product' }, { of: 'slug' }],
  'POST /products/{id}/inventory/adjust': [{ of: 'product', body: { delta: 2, reason: 'found' } }],
  'POST /products': [{ body: { name: 'Tea', price: 3, stock_qty: 5 } }, { body: parentOf('Shirt') }],
  'PATCH /products/{id}': [{ of: 'product', body: { price: 13 } }],
  'PATCH /products': [{ body: { products: [{ id: ref('product'), weight_g: 13 }] } }],
  'GET /products/{id}/variants': [{ of: 'parent' }],
  'POST /products/{id}/variants': [
    { of: 'parent', body: { variants: [{ options: [{ name: 'Size', value: 'XL' }], price: 7 }] }, before: freshParent },
  ],
  'PUT /products/{id}/options': [
    { of: 'parent', body: { options: [{ name: 'Size', values: ['M', 'S'] }] }, before: freshParent },
  ],
  'POST /products/group': [
    {
      body: {
        name: 'Grouped',
        options: [{ name: 'Size', values: ['S'] }],
        variants: [{ product_id: ref('single'), options: [{ name: 'Size', value: 'S' }] }],
      },
      before: freshSingle,
    },
  ],
  'POST /products/{id}/ungroup': [{ of: 'parent', before: freshParent }],
  'POST /products/{id}/variants/generate': [
    { of: 'parent', body: { price: 7 }, before: freshParent },
    { of: 'parent', body: { price: 7, dry_run: true } },
  ],
};

const freshLocation = fresh('location', '/locations', () => ({ name: 'Fresh' }));

const freshTransfer =
  (action?: 'send') =>
  async ({ ids, make }: SeededCompany) => {
    const transfer = await transferOf(ids, make);
    if (action !== undefined) await make('commerce', 'POST', `/inventory/transfers/${transfer}/${action}`);
    return { transfer };
  };

const INVENTORY: Requests = {
  'GET /locations': [{}],
  'GET /locations/{id}': [{ of: 'location' }],
  'POST /locations': [{ body: { name: 'Store' } }],
  'PATCH /locations/{id}': [{ of: 'location', body: { name: 'Shop' }, before: freshLocation }],
  'GET /inventory': [
    {},
    { query: { product_id: ref('product') }, mayBeAbsent: ['query.product_id'] },
    { query: { location_id: ref('location') }, mayBeAbsent: ['query.location_id'] },
  ],
  'GET /products/{id}/reservations': [{ of: 'product' }, { of: 'slug' }],
  'GET /inventory/adjustments': [{}],
  'POST /inventory/adjustments': [
    { body: { reason: 'Counted', lines: [{ product_id: ref('product'), location_id: ref('location'), delta: 3 }] } },
  ],
  'GET /inventory/receipts': [{}],
  'GET /inventory/receipts/{id}': [{ of: 'receipt' }],
  'POST /inventory/receipts': [
    { body: { location_id: ref('location'), supplier: 'Mills', lines: [{ product_id: ref('product'), qty: 3 }] } },
  ],
  'GET /inventory/transfers': [{}],
  'GET /inventory/transfers/{id}': [{ of: 'transfer' }],
  'POST /inventory/transfers': [
    {
      body: {
        from_location_id: ref('main'),
        to_location_id: ref('location'),
        lines: [{ product_id: ref('product'), qty: 1 }],
      },
    },
  ],
  'PATCH /inventory/transfers/{id}': [
    {
      of: 'transfer',
      body: {
        from_location_id: ref('location'),
        to_location_id: ref('main'),
        lines: [{ product_id: ref('product'), qty: 2 }],
      },
      before: freshTransfer(),
    },
  ],
  'POST /inventory/transfers/{id}/send': [{ of: 'transfer', before: freshTransfer() }],
  'POST /inventory/transfers/{id}/receive': [
    { of: 'transfer', body: { lines: [{ product_id: ref('product'), qty: 1 }] }, before: freshTransfer('send') },
  ],
  'POST /inventory/transfers/{id}/cancel': [{ of: 'transfer', before: freshTransfer() }],
};

const CUSTOMERS: Requests = {
  'GET /customers': [{}],
  'GET /customers/{id}': [{ of: 'customer' }],
  'POST /customers': [{ body: { email: 'new@example.com', ...ADDRESS } }],
  'PATCH /customers/{id}': [{ of: 'customer', body: { phone: '+4930901820' } }],
  'DELETE /customers/{id}': [{ of: 'customer', before: freshCustomer }],
  'POST /customers/{id}/merge': [{ of: 'customer', body: { from: ref('twin') }, before: freshTwin }],
  'GET /customers/{id}/export': [{ of: 'customer' }],
  'POST /customers/{id}/password': [{ of: 'customer', body: { password: 'a long enough password' } }],
  'POST /customers/{id}/verify-password': [{ of: 'customer', body: { password: 'a long enough password' } }],
  'GET /customers/{id}/account': [{ of: 'customer' }],
  'GET /customers/{id}/figures': [{ of: 'customer' }],
  'POST /customers/{id}/invite': [{ of: 'twin' }],
  'POST /customers/{id}/close-account': [{ of: 'customer' }],
  'POST /customers/{id}/end-sessions': [{ of: 'customer' }],
  'GET /customers/{id}/loyalty': [{ of: 'customer' }],
  'GET /customers/{id}/loyalty/ledger': [{ of: 'customer' }],
  'POST /customers/{id}/loyalty/adjust': [{ of: 'customer', body: { points: 5 } }],
  'GET /customers/{id}/saved-payment-methods': [{ of: 'customer' }],
  'DELETE /customers/{id}/saved-payment-methods/{method_id}': [
    { of: 'customer', part: ref('saved_method'), before: freshSavedMethod },
  ],
  'GET /customers/{id}/notes': [{ of: 'customer' }],
  'POST /customers/{id}/notes': [{ of: 'customer', body: { text: 'Rings twice' } }],
  'DELETE /customer-notes/{id}': [{ of: 'customer_note', before: freshNotes }],
  'GET /loyalty/settings': [{}],
  'PATCH /loyalty/settings': [{ body: { points_per_dollar: 2 } }],
};

const ORDERS: Requests = {
  'GET /carts': [{}, { query: { customer_id: ref('customer') }, mayBeAbsent: ['query.customer_id'] }],
  'POST /carts': [{ body: CART }],
  'GET /carts/{id}': [{ of: 'cart' }],
  'PATCH /carts/{id}': [{ of: 'cart', body: CART_FIELDS, before: freshCart }],
  'DELETE /carts/{id}': [{ of: 'cart', before: freshCart }],
  'POST /carts/{id}/lines': [
    { of: 'cart', body: { lines: [{ product_id: ref('product'), qty: 1 }] }, before: freshCart },
  ],
  'PATCH /carts/{id}/lines/{line_id}': [{ of: 'cart', part: '1', body: { qty: 2 }, before: freshCart }],
  'DELETE /carts/{id}/lines/{line_id}': [{ of: 'cart', part: '1', before: freshCart }],
  'POST /carts/{id}/pay': [
    { of: 'cart', body: { method_id: ref('payment_method') }, before: freshCart },
    {
      of: 'cart',
      body: { method_id: ref('online_method'), saved_method_id: ref('saved_method') },
      before: freeCart,
    },
  ],
  'POST /carts/{id}/confirm': [{ of: 'cart', before: freshCart }],
  'POST /carts/{id}/reopen': [{ of: 'cart', before: freshCart }],
  'POST /carts/{id}/place': [
    { of: 'cart', before: freshCart },
    { of: 'cart', body: { payments: [{ method_id: ref('payment_method'), amount: 1 }] }, before: freshCart },
  ],
  'POST /carts/{id}/pay-link': [{ of: 'cart', before: freshCart }],
  'GET /payments': [{}, { query: { order_id: ref('order') }, mayBeAbsent: ['query.order_id'] }],
  'GET /payments/{id}': [{ of: 'payment' }],
  'POST /payments/{id}/cancel': [{ of: 'payment', before: freshPayment }],
  'POST /payments/{id}/capture': [{ of: 'payment', before: authorizedPayment }],
  'GET /orders/{id}/payments': [{ of: 'order' }],
  'POST /orders/{id}/payments': [{ of: 'order', body: { method_id: ref('payment_method'), amount: 1 } }],
  'POST /orders/{id}/pay-link': [{ of: 'order', before: freshOrder }],
  'GET /orders/{id}/ledger': [{ of: 'order' }],
  'GET /orders/{id}/refunds': [{ of: 'order' }],
  'POST /orders/{id}/refunds': [{ of: 'order', body: REFUND, before: paidOrder }],
  'POST /orders': [
    { body: BASKET },
    { body: { ...BASKET, payments: [{ method_id: ref('payment_method'), amount: 1 }] } },
  ],
  'GET /orders': [{}, { query: { customer_id: ref('customer') }, mayBeAbsent: ['query.customer_id'] }],
  'POST /orders/calculate': [{ body: BASKET }],
  'GET /customers/{id}/orders': [{ of: 'customer' }],
  'GET /orders/{id}': [{ of: 'order' }],
  'GET /orders/{id}/history': [{ of: 'order' }],
  'GET /orders/{id}/notes': [{ of: 'order' }],
  'POST /orders/{id}/notes': [{ of: 'order', body: { text: 'A gift' } }],
  'DELETE /order-notes/{id}': [{ of: 'order_note', before: freshNotes }],
  'PATCH /orders/{id}/status': [{ of: 'order', body: { status: 'processing' }, before: freshOrder }],
  'GET /categories': [{}],
  'GET /categories/{slug}': [{ of: 'category' }],
  'POST /categories': [{ body: { name: 'Gifts' } }],
  'PATCH /categories/{slug}': [{ of: 'category', body: { description: 'For the table' } }],
  'DELETE /categories/{slug}': [{ of: 'category', before: freshCategory }],
  'GET /collections': [{}],
  'GET /collections/{id}': [{ of: 'collection' }],
  'POST /collections': [
    { body: { name: 'Bargains', kind: 'rules', rules: RULES } },
    { body: { name: 'Shown', kind: 'manual', image_media_id: ref('picture') } },
  ],
  'PATCH /collections/{id}': [
    { of: 'collection', body: { description: 'Picked' } },
    { of: 'collection', body: { image_media_id: ref('picture') } },
  ],
  'PUT /collections/{id}/products': [{ of: 'collection', body: { product_ids: [ref('single'), ref('product')] } }],
  'DELETE /collections/{id}': [{ of: 'collection', before: freshCollection }],
  'POST /collections/count': [{ body: { rules: RULES } }],
  'POST /promo-codes/validate': [{ body: BASKET }],
};

const SUBSCRIPTIONS: Requests = {
  'GET /subscriptions': [{}, { query: { customer_id: ref('customer') }, mayBeAbsent: ['query.customer_id'] }],
  'GET /subscriptions/calendar': [{}],
  'GET /subscriptions/{id}': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/upcoming': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/orders': [{ of: 'subscription' }],
  'GET /subscriptions/{id}/history': [{ of: 'subscription' }],
  'POST /subscriptions': [
    { body: { customer_id: ref('customer'), product_id: ref('product'), frequency_id: 3 } },
    {
      body: {
        customer_id: ref('customer'),
        product_id: ref('product'),
        frequency_id: 3,
        saved_method_id: ref('saved_method'),
      },
    },
  ],
  'PATCH /subscriptions/{id}': [
    { of: 'subscription', body: { quantity: 2, frequency_id: 2 } },
    { of: 'subscription', body: { product_id: ref('product') } },
    { of: 'subscription', body: { saved_method_id: ref('saved_method') } },
  ],
  'POST /subscriptions/{id}/cancel': [{ of: 'subscription', body: { reason: 'too much' }, before: freshSubscription }],
  'POST /subscriptions/{id}/pause': [{ of: 'subscription', before: freshSubscription }],
  'POST /subscriptions/{id}/resume': [{ of: 'subscription', before: pausedSubscription }],
  'POST /subscriptions/{id}/skip': [{ of: 'subscription', before: freshSubscription }],
};

const SETTINGS: Requests = {
  'GET /settings': [{}],
  'PATCH /settings': [{ body: { tax_rounding: 'order' } }],
  'GET /checkout-settings': [{}],
  'PATCH /checkout-settings': [{ body: { cart_merge: 'add' } }],
  'GET /payment-methods': [{}],
  'GET /payment-methods/{id}': [{ of: 'payment_method' }],
  'POST /payment-methods': [
    { body: { kind: 'cash', name: 'New' } },
    { body: { provider: 'mollie', kind: 'ideal', name: 'New', account_id: ref('payment_account') } },
  ],
  'PATCH /payment-methods/{id}': [
    { of: 'payment_method', body: { position: 3 } },
    { of: 'online_method', body: { account_id: ref('payment_account') } },
  ],
  'GET /promo-codes': [{}],
  'GET /promo-codes/{id}': [{ of: 'promo' }],
  'POST /promo-codes': [
    { body: { code: 'NEW10', type: 'percent', value: 10, scope: 'products', product_ids: [ref('product')] } },
    { body: { code: 'NEW11', type: 'percent', value: 11, scope: 'collections', collection_ids: [ref('collection')] } },
  ],
  'PATCH /promo-codes/{id}': [
    { of: 'promo', body: { scope: 'products', product_ids: [ref('product')] }, before: freshPromo },
    { of: 'promo', body: { scope: 'collections', collection_ids: [ref('collection')] }, before: freshPromo },
  ],
  'DELETE /promo-codes/{id}': [{ of: 'promo', before: freshPromo }],
  'GET /promo-codes/{id}/coupons': [{ of: 'coupons' }],
  'POST /promo-codes/{id}/coupons': [{ of: 'coupons', body: { count: 2 } }],
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
};

const CHUNK = { n: 0, data: Buffer.from('email\n').toString('base64') };

const IMPORTS: Requests = {
  'GET /import-formats': [{}],
  'GET /imports': [{}],
  'GET /imports/{id}': [{ of: 'import' }],
  'GET /imports/{id}/preview': [{ of: 'import', before: importIn([]) }],
  'GET /imports/{id}/findings': [{ of: 'import' }],
  'POST /imports': [{ body: { format: 'csv-contacts', file_name: 'people.csv' }, before: noImports }],
  'POST /imports/{id}/chunks': [{ of: 'import', body: CHUNK, before: freshImport }],
  'POST /imports/{id}/check': [{ of: 'import', body: { list_id: ref('list') }, before: importIn([]) }],
  'POST /imports/{id}/run': [{ of: 'import', before: importIn(['check']) }],
  'POST /imports/{id}/cancel': [{ of: 'import', before: importIn([]) }],
  'POST /imports/{id}/undo': [{ of: 'import', before: importIn(['check', 'run']) }],
};

export const COMMERCE: Requests = {
  ...PRODUCTS,
  ...INVENTORY,
  ...CUSTOMERS,
  ...ORDERS,
  ...SUBSCRIPTIONS,
  ...SETTINGS,
  ...IMPORTS,
};
