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
