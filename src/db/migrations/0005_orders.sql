-- Orders, and what is computed from them: sales totals and product recommendations.

create table orders (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'shipped', 'delivered', 'cancelled')),
  subtotal bigint not null check (subtotal >= 0),
  discount bigint not null check (discount >= 0),
  tax bigint not null check (tax >= 0),
  shipping bigint not null check (shipping >= 0),
  total bigint not null check (total >= 0),
  promo_code_id bigint,
  promo_code text,
  points_redeemed bigint not null default 0,
  shipping_address text not null,
  shipping_city text not null,
  shipping_state text not null default '',
  shipping_zip text not null,
  shipping_country text not null,
  shipping_method text,
  tax_lines jsonb not null default '[]',
  tracking_number text,
  external_id text,
  metadata jsonb not null default '{}',
  subscription_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The order was placed in another shop system, which has taken the stock.
  imported boolean not null default false,
  -- With the columns that the list filters by, so that any filtered list is counted by an index-only scan.
  primary key (company_id, id) include (status, subscription_id, created_at),
  check (total = subtotal - discount + tax + shipping)
) with (fillfactor = 85);
-- Includes the columns that the list filters by, so that 100,000 orders of one customer are counted with an index-only scan.
create index orders_customer on orders (company_id, customer_id, id) include (status, subscription_id, created_at);
create index orders_status on orders (company_id, status, id);
create index orders_renewals on orders (company_id, id) where subscription_id is not null;
create index orders_subscription on orders (company_id, subscription_id, id) where subscription_id is not null;
create index orders_promo on orders (company_id, promo_code_id, customer_id) where promo_code_id is not null;
create unique index orders_external_id on orders (company_id, external_id) where external_id is not null;
create index orders_imported on orders (company_id, id) where imported;
-- Finds orders by tracking number, ignoring case and spaces. New orders have none and do not write to this index.
create index orders_tracking
  on orders (company_id, lower(replace(tracking_number, ' ', ''))) where tracking_number is not null;

call count_list('orders');
-- Browsers that watch the list are told of a new status (see live_marks).
create trigger count_changed after update on orders for each row when (old.status <> new.status) execute function count_row('0');

create function slot_of(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select date_bin('15 minutes', at, timestamptz '2000-01-01 00:00:00+00')
$$;

-- Whether a customer is returning is decided from committed orders, because ids do not tell the commit order of two concurrent
-- first orders. Placing an order locks the account of the customer first, so that it sees all orders committed before.
create function add_sales_inserted() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select company_id, slot_of(created_at), sum(placed), sum(cancelled), sum(revenue), sum(returning_orders) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders
    from added group by 1, 2
    union all
    -- All new orders of a customer, minus one if the customer had none before.
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

create function add_sales_removed() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select company_id, slot_of(created_at), -sum(placed), -sum(cancelled), -sum(revenue), -sum(returning_orders) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders
    from gone group by 1, 2
    union all
    -- All removed orders of a customer, minus one if none remains.
    select g.company_id, g.created_at, 0, 0, 0, g.n - (not exists (
      select from orders o where o.company_id = g.company_id and o.customer_id = g.customer_id))::int
    from (select company_id, customer_id, min(created_at) as created_at, count(*) as n from gone group by 1, 2) g
  ) changes
  group by 1, 2;
  return null;
end $$;
create trigger sales_removed after delete on orders referencing old table as gone
  for each statement execute function add_sales_removed();

create function note_placed_figures() returns trigger language plpgsql as $$
begin
  insert into customer_figure_deltas (company_id, customer_id, spent, last_order_at)
  select company_id, customer_id, case when status = 'cancelled' then 0 else total end, created_at from added;
  return null;
end $$;
create trigger figures_placed after insert on orders referencing new table as added
  for each statement execute function note_placed_figures();

create function note_changed_figures() returns trigger language plpgsql as $$
begin
  if old.customer_id = new.customer_id then
    insert into customer_figure_deltas (company_id, customer_id, spent)
    values (new.company_id, new.customer_id,
      case when new.status = 'cancelled' then 0 else new.total end - case when old.status = 'cancelled' then 0 else old.total end);
  else
    insert into customer_figure_deltas (company_id, customer_id, anew)
    values (old.company_id, old.customer_id, true), (new.company_id, new.customer_id, true);
  end if;
  return null;
end $$;
create trigger figures_changed after update on orders for each row
  when (old.customer_id <> new.customer_id or old.total <> new.total
    or (old.status = 'cancelled') <> (new.status = 'cancelled'))
  execute function note_changed_figures();

create function note_removed_figures() returns trigger language plpgsql as $$
begin
  insert into customer_figure_deltas (company_id, customer_id, anew)
  select distinct company_id, customer_id, true from gone;
  return null;
end $$;
create trigger figures_gone after delete on orders referencing old table as gone
  for each statement execute function note_removed_figures();

create table order_items (
  company_id bigint not null,
  order_id bigint not null,
  line smallint not null,
  product_id bigint not null,
  product_name text not null,
  qty int not null check (qty > 0),
  price bigint not null check (price >= 0),
  subtotal bigint not null,
  discount bigint not null default 0 check (discount >= 0),
  tax bigint not null default 0 check (tax >= 0),
  primary key (company_id, order_id, line)
);
-- The newest orders of a product.
create index order_items_of_product on order_items (company_id, product_id, order_id);

create table order_history (
  company_id bigint not null,
  order_id bigint not null,
  id bigint generated always as identity,
  type text not null,
  from_status text,
  to_status text,
  actor text not null,
  message text,
  created_at timestamptz not null,
  primary key (company_id, order_id, id)
);

-- Sales by quarter of an hour, from which days, weeks and months in every time zone can be added up. Orders append changes to
-- sales_deltas and a worker folds them in; readers add both in one snapshot. Later changes of an order count at the time it was
-- placed.
create table sales_totals (
  company_id bigint not null references companies,
  slot timestamptz not null,
  placed bigint not null,
  cancelled bigint not null,
  -- In minor units, without cancelled orders.
  revenue bigint not null,
  -- Orders of customers who had ordered before.
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

create function fold_sales(at_most bigint) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One fold at a time: two could deadlock.
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

-- The progress of computing recommendations for a company. A pass begins every few hours and proceeds through its steps in
-- slices.
create table recommendation_passes (
  company_id bigint primary key references companies,
  -- Incremented when a pass begins. Rows that a pass has not updated are deleted at its end.
  pass bigint not null,
  step text not null check (step in ('sales', 'categories', 'together', 'forget', 'done')),
  -- Counts orders placed since then; all of them have at least this id.
  since timestamptz not null,
  lowest bigint not null,
  -- Where the next slice begins: below this order in the sales step, above this product in the step of product pairs; null at the
  -- beginning.
  position bigint,
  -- The last category that was ranked.
  category text,
  -- The number of orders that the pass has read.
  looked_at int not null default 0,
  next_at timestamptz not null
) with (fillfactor = 50);

-- Sales of each product. Rows of the current pass are incomplete during its first step.
create table product_sales (
  company_id bigint not null references companies,
  product_id bigint not null,
  pass bigint not null,
  qty bigint not null,
  primary key (company_id, product_id)
) with (fillfactor = 70);

-- The best-selling products of each category; '' is the whole shop.
create table best_sellers (
  company_id bigint not null references companies,
  category text not null,
  place smallint not null,
  product_id bigint not null,
  pass bigint not null,
  primary key (company_id, category, place)
);

-- The products most often ordered together with a product.
create table products_together (
  company_id bigint not null references companies,
  product_id bigint not null,
  other_id bigint not null,
  orders int not null,
  primary key (company_id, product_id, other_id)
);
