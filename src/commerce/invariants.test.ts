import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { testServer } from '../testing/harness.ts';
import { commerceInvariants } from './invariants.ts';

const server = testServer();

/** Creates a shop that has every kind of row: orders, one of them cancelled, with a promo code and points. */
async function busyShop() {
  const shop = await server.company();
  const product = (await shop.commerce('POST', '/products', { name: 'Thing', price: 200, stock_qty: 50 })).body.data!
    .id;
  const customer = (await shop.commerce('POST', '/customers', { email: 'a@example.com' })).body.data!.id;
  await shop.commerce('POST', '/tax-rules', { name: 'VAT', country: 'US', rate: 0.1, applies_to_shipping: true });
  await shop.commerce('POST', '/promo-codes', { code: 'TEN', type: 'percent', value: 10, usage_limit: 5 });
  const order = async (rest: object, headers = {}) => {
    const body = {
      customer_id: customer,
      items: [{ product_id: product, qty: 2 }],
      shipping_address: '1 Main',
      shipping_city: 'X',
      shipping_zip: '1',
    };
    const made = await shop.commerce('POST', '/orders', { ...body, ...rest }, headers);
    expect(made.status).toBe(201);
    return made.body.data!.id;
  };
  const kept = await order({ promo_code: 'ten' }, { 'idempotency-key': 'kept' });
  await order({ redeem_points: 100 });
  await shop.commerce('PATCH', `/orders/${await order({ promo_code: 'TEN' })}/status`, { status: 'cancelled' });
  const monthly = {
    customer_id: customer,
    product_id: product,
    frequency_id: 3,
    shipping_address: '1',
    shipping_city: 'X',
    shipping_zip: '1',
  };
  await shop.commerce('PATCH', `/products/${product}`, { subscription_enabled: true });
  const subscription = (await shop.commerce('POST', '/subscriptions', monthly)).body.data!.id;
  await server.app.workers.find((worker) => worker.name === 'renewals')!.runOnce();
  return { shop, product, customer, kept, subscription };
}

test('a healthy shop violates no invariant', async () => {
  await busyShop();
  expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
});

const DAMAGES = [
  ['I1.answers', 'delete from orders where id = $1', 'kept'],
  ['I3.totals', 'update order_items set subtotal = subtotal + 1 where order_id = $1', 'kept'],
  ['I3.totals', 'update orders set discount = discount + 1, total = total - 1 where id = $1', 'kept'],
  ['I3.totals', 'update orders set tax = tax + 1, total = total + 1 where id = $1', 'kept'],
  ['I3.totals', 'update order_items set tax = tax + 100000 where order_id = $1', 'kept'],
  ['I3.totals', 'delete from orders where id = $1', 'kept'],
  ['I4.balance', 'update customer_accounts set points_balance = points_balance + 1 where customer_id = $1', 'customer'],
  ['I4.reversal', "delete from loyalty_ledger where type = 'reverse_earn' and customer_id = $1", 'customer'],
  ['I4.balance', "delete from loyalty_ledger where type = 'earn' and order_id = $1", 'kept'],
  [
    'I4.redeemed',
    "update loyalty_ledger set points = points - 1 where type = 'redeem' and customer_id = $1",
    'customer',
  ],
  ['I4.redeemed', 'update orders set points_redeemed = 7 where id = $1', 'kept'],
  ['I4.orders', 'update customer_accounts set order_count = 0 where customer_id = $1', 'customer'],
  ['I4.figures', 'update customer_figures set spent = spent + 1 where customer_id = $1', 'customer'],
  ['I5.promos', 'update promo_codes set used_count = used_count + 1 where company_id = $1', 'company'],
  ['I6.cycles', 'delete from subscription_cycles where subscription_id = $1', 'subscription'],
  ['I6.due', 'update subscriptions set due_at = null where id = $1', 'subscription'],
  [
    'I6.due',
    'insert into subscription_cycles select company_id, id, next_billing_date, $$skipped$$, null, null, now() from subscriptions where id = $1',
    'subscription',
  ],
  ...(['orders', 'products', 'customers', 'subscriptions'] as const).map(
    (list) =>
      [`lists.${list}`, `insert into counter_deltas values ($1, '${list}', '2026-01-01', '', 1)`, 'company'] as const,
  ),
] as const;

test('every invariant has a test that damages a row', () => {
  expect([...new Set(DAMAGES.map(([id]) => id))]).toEqual(['I1.answers', ...commerceInvariants.map(({ id }) => id)]);
});

test.each(DAMAGES)('%s fails when a row is damaged: %s', async (id, damage, subject) => {
  const { shop, product, customer, kept, subscription } = await busyShop();
  const ids = { product, customer, kept, subscription, company: shop.company_id };
  await server.rows(damage, [ids[subject]]);
  const finding = (await checkInvariants(server.app.db)).find((one) => one.id === id);
  expect(finding).toMatchObject({ ok: false });
  expect(finding!.examples.map((example) => example.company_id)).toContain(shop.company_id);
});
