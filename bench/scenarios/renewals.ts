import type { Drain } from './drain.ts';
import { orderRandom } from './orders.ts';

const SUBSCRIPTIONS = 5_000;
const FILL = `
  with made as (
    insert into subscriptions (company_id, customer_id, product_id, frequency_id, quantity, price, status, anchor,
      next_billing_date, due_at, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
      created_at, updated_at)
    select $1, $2 + n % $3, $4 + n % $5, 1, 1, 999, 'active', current_date, current_date, now(), '1 Main Street',
      'Springfield', '', '12345', 'US', now(), now()
    from generate_series(1, ${SUBSCRIPTIONS}) n
    returning 1
  )
  select count(*)::int as made from made`;

/** Due subscriptions become orders through the same code as other orders. */
export const renewals: Drain = {
  name: 'renewals',
  title: 'renewals of subscriptions, one product each of 10,000',
  async fill({ shop }, client) {
    const customers = shop.lastCustomer - shop.firstCustomer + 1;
    const products = shop.lastProduct - shop.firstProduct + 1;
    const { rows } = await client.query<{ made: number }>(FILL, [
      shop.companyId,
      shop.firstCustomer,
      customers,
      shop.firstProduct,
      products,
    ]);
    return rows[0]!.made;
  },
  async done({ shop }, client) {
    const { rows } = await client.query<{ done: boolean }>(
      'select not exists (select from subscriptions where company_id = $1 and due_at <= now()) as done',
      [shop.companyId],
    );
    return rows[0]!.done;
  },
  goal: { ratio: 0.5, of: orderRandom },
};
