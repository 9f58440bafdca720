-- Of two first orders that a customer placed at the same time, neither was counted as one of a returning customer: ids do not tell
-- which committed first. Placing locks the customer's account before it writes orders, so an order finds all that committed before.
create or replace function add_sales_inserted() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select company_id, slot_of(created_at), sum(placed), sum(cancelled), sum(revenue), sum(returning_orders) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders
    from added group by 1, 2
    union all
    -- All of a customer's orders, but for one where they had none before.
    select a.company_id, a.created_at, 0, 0, 0, a.n - (known.n = a.n)::int
    from (select company_id, customer_id, min(created_at) as created_at, count(*) as n from added group by 1, 2) a,
    lateral (
      select count(*) as n from (
        select from orders o where o.company_id = a.company_id and o.customer_id = a.customer_id limit a.n + 1
      ) few
    ) known
  ) changes
  group by 1, 2;
  return null;
end $$;

-- Deliveries that failed are counted for the admin app's first page.
create index webhook_deliveries_failed on webhook_deliveries (company_id, id) where status = 'failed';

-- What was lost is given to the slot of the company's first order.
insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
select company_id, o.slot, 0, 0, 0, o.returning_orders - k.returning_orders
from (
  select company_id, slot_of(min(created_at)) as slot, count(*) - count(distinct customer_id) as returning_orders
  from orders group by 1
) o join (
  select company_id, sum(returning_orders) as returning_orders from (
    select company_id, returning_orders from sales_totals union all select company_id, returning_orders from sales_deltas
  ) kept group by 1
) k using (company_id)
where o.returning_orders <> k.returning_orders;
