import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const cartInvariants: Invariant[] = [
  {
    id: 'K1.placed',
    promise: 'A cart is placed exactly when it has an order',
    fix: 'Compare the cart with its order, and report the difference',
    violations: sql`
      select company_id, 'cart ' || c.id as subject
      from carts c
      where (c.status = 'placed') <> exists (
        select from orders o where o.company_id = c.company_id and o.cart_id = c.id)
      limit 1000`,
  },
  {
    id: 'K2.reserved',
    promise: 'A cart is being paid exactly when it has a reservation and a payment that is under way',
    fix: 'Reopen the cart with POST /carts/{id}/reopen, or report the difference',
    violations: sql`
      select coalesce(c.company_id, r.company_id, p.company_id) as company_id, 'cart ' || coalesce(c.id, r.cart_id, p.cart_id) as subject
      from (select company_id, id from carts where status = 'paying') c
      full join reservations r on r.company_id = c.company_id and r.cart_id = c.id
      full join (
        select company_id, cart_id from payments p
        where order_id is null and status in ('created', 'action_required', 'processing', 'authorized')
          -- Its service has not said that nothing will come of it.
          and not exists (
            select from carts e where e.company_id = p.company_id and e.id = p.cart_id and e.status = 'expired')
      ) p on p.company_id = coalesce(c.company_id, r.company_id) and p.cart_id = coalesce(c.id, r.cart_id)
      where c.id is null or r.cart_id is null or p.cart_id is null
      limit 1000`,
  },
  {
    id: 'K3.points',
    promise: "The points that a customer's carts have reserved are those of their reservations",
    fix: 'Set points_reserved of the account to the sum over the reservations',
    violations: sql`
      select coalesce(a.company_id, r.company_id) as company_id, 'customer ' || coalesce(a.customer_id, r.customer_id) as subject
      from (select company_id, customer_id, points_reserved from customer_accounts where points_reserved <> 0) a
      full join (
        select company_id, customer_id, sum(points) as points from reservations
        where points > 0 group by company_id, customer_id
      ) r on r.company_id = a.company_id and r.customer_id = a.customer_id
      where coalesce(a.points_reserved, 0) <> coalesce(r.points, 0)
      limit 1000`,
  },
  {
    id: 'K5.frozen',
    promise: 'The lines and amounts of an order are those of the cart that it was placed from',
    fix: 'Compare the order with its cart, and report the difference',
    violations: sql`
      select o.company_id, 'order ' || o.id as subject
      from carts c join orders o on o.company_id = c.company_id and o.cart_id = c.id
      where (o.subtotal, o.discount, o.tax, o.shipping, o.total, o.points_redeemed) is distinct from (
        (c.frozen ->> 'subtotal')::bigint, (c.frozen ->> 'discount')::bigint, (c.frozen ->> 'tax')::bigint,
        (c.frozen ->> 'shipping')::bigint, (c.frozen ->> 'total')::bigint, (c.frozen ->> 'points_redeemed')::bigint)
      or (
        select jsonb_agg(jsonb_build_array(i.product_id, i.qty, i.price, i.subtotal, i.discount, i.tax) order by i.product_id)
        from order_items i where i.company_id = o.company_id and i.order_id = o.id
      ) is distinct from (
        select jsonb_agg(jsonb_build_array(l.product_id, l.qty, l.price, l.subtotal, l.discount, l.tax) order by l.product_id)
        from jsonb_to_recordset(c.frozen -> 'lines')
          as l (product_id bigint, qty int, price bigint, subtotal bigint, discount bigint, tax bigint))
      limit 1000`,
  },
];
