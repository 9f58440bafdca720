-- What was sold, by quarters of an hour: every time zone's days, weeks and months are sums of those. Writers of orders append
-- what they changed, a worker folds it in; a reader adds both in one snapshot. An order counts at the moment at which it was
-- placed, also what changes later.
create table sales_totals (
  company_id bigint not null references companies,
  slot timestamptz not null,
  placed bigint not null,
  cancelled bigint not null,
  -- Minor units of the orders that are not cancelled.
  revenue bigint not null,
  -- Orders of customers who had placed one before.
  returning_orders bigint not null,
  primary key (company_id, slot)
) with (fillfactor = 70);

create table sales_deltas (
  company_id bigint not null references companies,
  slot timestamptz not null,
  placed bigint not null,
  cancelled bigint not null,
  revenue bigint not null,
  returning_orders bigint not null
);
create index sales_deltas_slot on sales_deltas (company_id, slot);

create function slot_of(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select date_bin('15 minutes', at, timestamptz '2000-01-01 00:00:00+00')
$$;

create function add_sales_inserted() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select o.company_id, slot_of(o.created_at), count(*), count(*) filter (where o.status = 'cancelled'),
    coalesce(sum(o.total) filter (where o.status <> 'cancelled'), 0),
    count(*) filter (where exists (
      select from orders e where e.company_id = o.company_id and e.customer_id = o.customer_id and e.id < o.id))
  from added o group by 1, 2;
  return null;
end $$;
create trigger sales_inserted after insert on orders referencing new table as added
  for each statement execute function add_sales_inserted();

create function add_sales_updated() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select company_id, slot_of(created_at), 0, sum(cancelled), sum(revenue), 0 from (
    select company_id, created_at, -(status = 'cancelled')::int as cancelled,
      -(case when status = 'cancelled' then 0 else total end) as revenue from before
    union all
    select company_id, created_at, (status = 'cancelled')::int, case when status = 'cancelled' then 0 else total end
    from later
  ) changes
  group by 1, 2 having sum(cancelled) <> 0 or sum(revenue) <> 0;
  return null;
end $$;
create trigger sales_updated after update on orders referencing old table as before new table as later
  for each statement execute function add_sales_updated();

create function fold_sales(at_most bigint) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows in different orders.
  if not pg_try_advisory_xact_lock(7265319431) then return 0; end if;
  with gone as (
    delete from sales_deltas where ctid = any(array(select ctid from sales_deltas limit at_most)) returning *
  ),
  sums as (
    select company_id, slot, sum(placed) as placed, sum(cancelled) as cancelled, sum(revenue) as revenue,
      sum(returning_orders) as returning_orders, count(*) as deltas
    from gone group by company_id, slot order by 1, 2
  ),
  written as (
    insert into sales_totals as t (company_id, slot, placed, cancelled, revenue, returning_orders)
    select company_id, slot, placed, cancelled, revenue, returning_orders from sums
    on conflict (company_id, slot) do update set placed = t.placed + excluded.placed,
      cancelled = t.cancelled + excluded.cancelled, revenue = t.revenue + excluded.revenue,
      returning_orders = t.returning_orders + excluded.returning_orders
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;

insert into sales_totals (company_id, slot, placed, cancelled, revenue, returning_orders)
select company_id, slot_of(created_at), count(*), count(*) filter (where status = 'cancelled'),
  coalesce(sum(total) filter (where status <> 'cancelled'), 0), count(*) filter (where nth > 1)
from (
  select company_id, created_at, status, total, row_number() over (partition by company_id, customer_id order by id) as nth
  from orders
) numbered
group by 1, 2;
