import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const salesInvariants: Invariant[] = [
  {
    id: 'sales.totals',
    promise: 'The stored totals of sales are the orders, their cancellations and their amounts',
    fix: 'Rebuild sales_totals from the orders',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id,
        'sales of ' || coalesce(kept.slot, counted.slot) as subject
      from (
        select company_id, slot, sum(placed) as placed, sum(cancelled) as cancelled, sum(revenue) as revenue,
          sum(refunded) as refunded
        from sales group by company_id, slot
      ) kept
      full join (
        select company_id, slot_of(created_at) as slot, count(*) as placed,
          count(*) filter (where status = 'cancelled') as cancelled,
          coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue,
          coalesce(sum(given_back) filter (where status <> 'cancelled'), 0) as refunded
        from orders group by 1, 2
      ) counted using (company_id, slot)
      where (coalesce(kept.placed, 0), coalesce(kept.cancelled, 0), coalesce(kept.revenue, 0), coalesce(kept.refunded, 0))
        <> (coalesce(counted.placed, 0), coalesce(counted.cancelled, 0), coalesce(counted.revenue, 0), coalesce(counted.refunded, 0))
      limit 1000`,
  },
  {
    id: 'sales.returning',
    promise: 'All orders but one of each customer count as orders of returning customers',
    fix: 'Rebuild sales_totals from the orders',
    violations: sql`
      select company_id, 'sales' as subject
      from (
        select company_id, sum(returning_orders) as n from sales group by company_id
      ) kept
      full join (
        select company_id, count(*) - count(distinct customer_id) as n from orders group by company_id
      ) counted using (company_id)
      where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
];
