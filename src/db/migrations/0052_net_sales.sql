-- migrate: blocks orders: only orders with refunds change
-- Net sales: what was sold, less what was given back of it. See docs/design/payments.md.

-- In minor units. The part of the total that was refunded or charged back; what was paid too much and given back is not part of it.
alter table orders add column given_back bigint not null default 0;
-- Of orders that were not cancelled, like revenue and spent.
alter table sales_totals add column refunded bigint not null default 0;
alter table sales_deltas add column refunded bigint not null default 0;
alter table customer_figures add column refunded bigint not null default 0;
alter table customer_figure_deltas add column refunded bigint not null default 0;

create or replace view sales with (security_invoker = true) as
select company_id, slot, placed, cancelled, revenue, returning_orders, refunded from sales_totals
union all
select company_id, slot, placed, cancelled, revenue, returning_orders, refunded from sales_deltas;

create or replace function add_sales_inserted() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders, refunded)
  select company_id, slot_of(created_at), sum(placed), sum(cancelled), sum(revenue), sum(returning_orders), sum(refunded) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders,
      coalesce(sum(given_back) filter (where status <> 'cancelled'), 0) as refunded
    from added group by 1, 2
    union all
    -- All new orders of a customer, minus one if the customer had none before.
    select a.company_id, a.created_at, 0, 0, 0, a.n - (known.n = a.n)::int, 0
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

create or replace function add_sales_updated() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders, refunded)
  select company_id, slot_of(created_at), 0, sum(cancelled), sum(revenue), 0, sum(refunded) from (
    select company_id, created_at, -(status = 'cancelled')::int as cancelled,
      -(case when status = 'cancelled' then 0 else total end) as revenue,
      -(case when status = 'cancelled' then 0 else given_back end) as refunded from before
    union all
    select company_id, created_at, (status = 'cancelled')::int, case when status = 'cancelled' then 0 else total end,
      case when status = 'cancelled' then 0 else given_back end
    from later
  ) changes
  group by 1, 2 having sum(cancelled) <> 0 or sum(revenue) <> 0 or sum(refunded) <> 0;
  return null;
end $$;

create or replace function add_sales_removed() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders, refunded)
  select company_id, slot_of(created_at), -sum(placed), -sum(cancelled), -sum(revenue), -sum(returning_orders), -sum(refunded) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders,
      coalesce(sum(given_back) filter (where status <> 'cancelled'), 0) as refunded
    from gone group by 1, 2
    union all
    -- All removed orders of a customer, minus one if none remains.
    select g.company_id, g.created_at, 0, 0, 0, g.n - (not exists (
      select from orders o where o.company_id = g.company_id and o.customer_id = g.customer_id))::int, 0
    from (select company_id, customer_id, min(created_at) as created_at, count(*) as n from gone group by 1, 2) g
  ) changes
  group by 1, 2;
  return null;
end $$;

create or replace function note_placed_figures() returns trigger language plpgsql as $$
begin
  insert into customer_figure_deltas (company_id, customer_id, spent, refunded, last_order_at)
  select company_id, customer_id, case when status = 'cancelled' then 0 else total end,
    case when status = 'cancelled' then 0 else given_back end, created_at from added;
  return null;
end $$;

create or replace function note_changed_figures() returns trigger language plpgsql as $$
begin
  if old.customer_id = new.customer_id then
    insert into customer_figure_deltas (company_id, customer_id, spent, refunded)
    values (new.company_id, new.customer_id,
      case when new.status = 'cancelled' then 0 else new.total end - case when old.status = 'cancelled' then 0 else old.total end,
      case when new.status = 'cancelled' then 0 else new.given_back end
        - case when old.status = 'cancelled' then 0 else old.given_back end);
  else
    insert into customer_figure_deltas (company_id, customer_id, anew)
    values (old.company_id, old.customer_id, true), (new.company_id, new.customer_id, true);
  end if;
  return null;
end $$;
create or replace trigger figures_changed after update on orders for each row
  when (old.customer_id <> new.customer_id or old.total <> new.total or old.given_back <> new.given_back
    or (old.status = 'cancelled') <> (new.status = 'cancelled'))
  execute function note_changed_figures();

create or replace function fold_customer_figures(at_most bigint) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One fold at a time: two could deadlock.
  if not pg_try_advisory_xact_lock(7265319432) then return 0; end if;
  with some_deltas as materialized (
    select company_id, customer_id, id, anew from customer_figure_deltas order by company_id, customer_id, id limit at_most
  ),
  renewed as materialized (select distinct company_id, customer_id from some_deltas where anew),
  taken as (
    delete from customer_figure_deltas d using some_deltas o where d.company_id = o.company_id and d.customer_id = o.customer_id and d.id = o.id
    returning d.company_id, d.customer_id, d.spent, d.refunded, d.last_order_at
  ),
  -- Later deltas of customers whose orders are added up again are included in the orders.
  known as (
    delete from customer_figure_deltas d using renewed r
    where d.company_id = r.company_id and d.customer_id = r.customer_id
      and not exists (select from some_deltas o where o.company_id = d.company_id and o.customer_id = d.customer_id and o.id = d.id)
  ),
  figures as (
    select t.company_id, t.customer_id, sum(t.spent)::bigint as spent, sum(t.refunded)::bigint as refunded,
      max(t.last_order_at) as last_order_at, false as anew
    from taken t
    where not exists (select from renewed r where r.company_id = t.company_id and r.customer_id = t.customer_id)
    group by 1, 2
    union all
    select r.company_id, r.customer_id, o.spent, o.refunded, o.last_order_at, true
    from renewed r
    cross join lateral (
      select coalesce(sum(total) filter (where status <> 'cancelled'), 0)::bigint as spent,
        coalesce(sum(given_back) filter (where status <> 'cancelled'), 0)::bigint as refunded,
        coalesce(max(created_at), '-infinity') as last_order_at
      from orders o where o.company_id = r.company_id and o.customer_id = r.customer_id
    ) o
  ),
  written as (
    update customer_figures f
    set spent = case when n.anew then 0 else f.spent end + n.spent,
      refunded = case when n.anew then 0 else f.refunded end + n.refunded,
      last_order_at = case when n.anew then n.last_order_at else greatest(f.last_order_at, n.last_order_at) end
    from figures n where f.company_id = n.company_id and f.customer_id = n.customer_id
  )
  select count(*) into folded from taken;
  return folded;
end $$;

-- The part of an order's total that was given back.
create function given_back_of(total bigint, paid bigint, refunded bigint) returns bigint language sql immutable parallel safe as $$
  select least(total, greatest(0, refunded - greatest(0, paid - total)))
$$;

-- Orders without refunds write no row again.
create function set_given_back() returns trigger language plpgsql as $$
begin
  update orders o set given_back = given_back_of(o.total, new.paid, new.refunded)
  where o.company_id = new.company_id and o.id = new.order_id
    and o.given_back <> given_back_of(o.total, new.paid, new.refunded);
  return null;
end $$;
create trigger given_back_added after insert on order_balances for each row when (new.refunded > 0) execute function set_given_back();
-- An import that is undone takes its payments away.
create function clear_given_back() returns trigger language plpgsql as $$
begin
  update orders set given_back = 0 where company_id = old.company_id and id = old.order_id and given_back <> 0;
  return null;
end $$;
create trigger given_back_removed after delete on order_balances for each row when (old.refunded > 0) execute function clear_given_back();
create trigger given_back_changed after update on order_balances for each row
  when (old.refunded <> new.refunded or old.paid <> new.paid and new.refunded > 0) execute function set_given_back();

update orders o set given_back = given_back_of(o.total, b.paid, b.refunded)
from order_balances b where b.company_id = o.company_id and b.order_id = o.id and b.refunded > 0;
