import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const inventoryInvariants: Invariant[] = [
  {
    id: 'S1.stock',
    promise: 'The stock of a product is the sum of its movements at online locations, and not below 0',
    fix: 'Count the product and set its stock with PATCH /products/{id}',
    violations: sql`
      select s.company_id, 'product ' || s.product_id as subject
      from product_stock s
      left join (
        select m.company_id, m.product_id, sum(m.delta) as moved
        from stock_movements m left join locations l on l.company_id = m.company_id and l.id = m.location_id
        where l.online is not false group by m.company_id, m.product_id
      ) m using (company_id, product_id)
      where s.stock_qty <> coalesce(m.moved, 0) or s.stock_qty < 0
      limit 1000`,
  },
  {
    id: 'S2.levels',
    promise:
      'The level of a product at a location is the sum of its movements there, and the levels of online locations are at most its stock',
    fix: 'Count the product at the location and set it with POST /inventory/adjustments',
    violations: sql`
      select coalesce(v.company_id, m.company_id) as company_id,
        'product ' || coalesce(v.product_id, m.product_id) || ' location ' || coalesce(v.location_id, m.location_id) as subject
      from stock_levels v
      full join (
        select company_id, product_id, location_id, sum(delta) as moved from stock_movements
        where location_id is not null group by company_id, product_id, location_id
      ) m using (company_id, product_id, location_id)
      where coalesce(v.available, 0) <> coalesce(m.moved, 0) or v.available < 0
      union all
      select v.company_id, 'product ' || v.product_id
      from stock_levels v join locations l on l.company_id = v.company_id and l.id = v.location_id
      left join product_stock s on s.company_id = v.company_id and s.product_id = v.product_id
      where l.online or l.main
      group by v.company_id, v.product_id, s.stock_qty
      having sum(v.available) > coalesce(s.stock_qty, 0) or bool_or(l.main)
      limit 1000`,
  },
  {
    id: 'S3.lines',
    promise:
      'Every line that took stock moved it by its quantity, and back if the order was cancelled or a refund restocked it; no other line did. Where it was taken is known',
    fix: 'Compare the order with its stock movements and set the stock with PATCH /products/{id}',
    violations: sql`
      select company_id, coalesce('order ' || i.order_id, 'no order') || ' product ' || product_id as subject
      from (
        select i.company_id, i.id, i.order_id, i.product_id, i.qty,
          case when o.status = 'cancelled' then i.qty else r.restocked end as back
        from order_items i join orders o on o.company_id = i.company_id and o.id = i.order_id
        left join (
          select company_id, line_id, sum(restocked) as restocked from refund_lines where restocked > 0 group by company_id, line_id
        ) r on r.company_id = i.company_id and r.line_id = i.id
        where i.tracked
      ) i
      full join (
        select company_id, reference_id as id, product_id, sum(delta) filter (where kind = 'order') as taken,
          sum(delta) filter (where kind in ('cancel', 'restock')) as back
        from stock_movements where kind in ('order', 'cancel', 'restock') group by company_id, reference_id, product_id
      ) moved using (company_id, id, product_id)
      where moved.taken is distinct from -i.qty
        or moved.back is distinct from i.back
      union all
      select a.company_id, 'order ' || a.order_id || ' line ' || a.line_id
      from order_allocations a
      left join order_items i on i.company_id = a.company_id and i.order_id = a.order_id and i.id = a.line_id
      group by a.company_id, a.order_id, a.line_id, i.qty having sum(a.qty) is distinct from i.qty or bool_or(a.returned > a.qty)
      limit 1000`,
  },
  {
    id: 'S4.reservations',
    promise: 'A reserved item took its quantity from the stock, and one that has ended took nothing',
    fix: 'Compare the movements of the item with its reservation',
    violations: sql`
      select company_id, 'product ' || product_id || ' item ' || id as subject
      from (select company_id, id, product_id, qty from reservation_items) i
      full join (
        select company_id, reference_id as id, product_id, sum(delta) as moved
        from stock_movements where kind in ('reserve', 'release') group by company_id, reference_id, product_id
      ) m using (company_id, id, product_id)
      where coalesce(m.moved, 0) <> -coalesce(i.qty, 0)
      limit 1000`,
  },
  {
    id: 'S5.transfers',
    promise:
      'Of the units that a transfer sent, each was received, is missing, was returned or is on its way, and its movements agree',
    fix: 'Compare the transfer with its movements',
    violations: sql`
      with lines as (
        select t.company_id, t.id, t.status, t.sent_at, t.from_location_id, t.to_location_id, l.*,
          l.qty - l.received - l.missing - l.returned as open
        from stock_transfers t cross join lateral jsonb_to_recordset(t.lines) as l (
          product_id bigint, qty int, received int, missing int, returned int)
      ),
      moved as (
        select m.company_id, m.reference_id as id, m.product_id, coalesce(m.location_id, l.id) as location_id, sum(m.delta) as delta
        from stock_movements m join locations l on l.company_id = m.company_id and l.main
        where m.kind = 'transfer' group by 1, 2, 3, 4
      ),
      expected as (
        select l.company_id, l.id, l.product_id, at.location_id, at.delta
        from lines l
        cross join lateral (
          values (l.from_location_id, l.returned - l.qty), (l.to_location_id, l.received)
        ) as at (location_id, delta)
        where l.sent_at is not null
      )
      select company_id, 'transfer ' || id || ' product ' || product_id as subject
      from lines
      where open < 0 or (open <> qty and sent_at is null) or (open <> 0 and sent_at is not null and status <> 'in_transit')
      union all
      select company_id, 'transfer ' || id || ' product ' || product_id
      from expected e full join moved m using (company_id, id, product_id, location_id)
      where coalesce(e.delta, 0) <> coalesce(m.delta, 0)
      limit 1000`,
  },
  {
    id: 'S6.in_stock',
    promise: 'A product counts as in stock exactly when it has stock or its stock is not tracked',
    fix: 'Set products.in_stock to what the stock says',
    violations: sql`
      select p.company_id, 'product ' || p.id as subject
      from products p left join product_stock s on s.company_id = p.company_id and s.product_id = p.id
      where p.variant_count = 0 and p.in_stock is distinct from (s.stock_qty > 0 or not p.track_stock)
      limit 1000`,
  },
];
