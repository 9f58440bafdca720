-- Customers of the shop, their accounts, notes about them, and the figures that the customer list is sorted by.

create table customers (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  email text,
  first_name text not null default '',
  last_name text not null default '',
  phone text,
  password_hash text,
  accepts_marketing boolean not null default false,
  address text,
  city text,
  state text,
  zip text,
  country text,
  metadata jsonb not null default '{}',
  search text not null,
  erased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Set if the customer was merged into another. The rest of the row is empty. Never refers to a customer who was merged.
  merged_into bigint,
  -- Every edit increments it, for If-Match. Orders, points and the password do not.
  revision bigint not null default 1,
  primary key (company_id, id) include (erased_at)
);
create unique index customers_email on customers (company_id, lower(email)) where email is not null;
create index customers_search on customers using gin (company_id, search gin_trgm_ops) with (fastupdate = off);
create index customers_search_grams on customers using gin (search_grams(company_id, search));
alter index customers_search_grams alter column 1 set statistics 0;
create index customers_merged on customers (company_id, merged_into) where merged_into is not null;

call count_list('customers', 'erased_at');
create trigger raise_revision before update on customers for each row
  execute function raise_revision('password_hash', 'search', 'erased_at', 'merged_into', 'updated_at');

-- The values of a customer that orders change.
create table customer_accounts (
  company_id bigint not null,
  customer_id bigint not null,
  order_count bigint not null default 0,
  points_balance bigint not null default 0,
  points_lifetime bigint not null default 0,
  -- The customer was merged. A transaction that read the customer before the merge fails when it writes here; its retry no longer
  -- finds the customer.
  closed boolean not null default false,
  primary key (company_id, customer_id)
) with (fillfactor = 50);

create function refuse_closed_account() returns trigger language plpgsql as $$
begin
  raise exception 'The customer was merged' using errcode = 'serialization_failure';
end $$;
create trigger refuse_closed before update on customer_accounts for each row when (old.closed)
  execute function refuse_closed_account();

-- Attempts at the password of a customer in the window that starts with the first attempt; correct ones are subtracted.
create table password_attempts (
  company_id bigint not null,
  customer_id bigint not null,
  window_start timestamptz not null,
  attempts int not null,
  primary key (company_id, customer_id)
) with (fillfactor = 50);

create table loyalty_ledger (
  company_id bigint not null,
  customer_id bigint not null,
  id bigint generated always as identity,
  type text not null check (type in ('earn', 'redeem', 'reverse_earn', 'restore', 'adjust')),
  points bigint not null,
  order_id bigint,
  reason text,
  actor text not null,
  created_at timestamptz not null,
  primary key (company_id, customer_id, id)
);
create unique index loyalty_ledger_order on loyalty_ledger (company_id, order_id, type) where order_id is not null;

-- What staff write down about a customer or one of the customer's orders.
create table notes (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- For a note on an order, the customer of the order: erasures and exports find every note by it.
  customer_id bigint not null,
  order_id bigint,
  text text not null check (length(text) between 1 and 5000),
  actor text not null,
  -- The name of the person at that time; null for an API key.
  actor_name text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index notes_customer on notes (company_id, customer_id, id);
create index notes_order on notes (company_id, order_id, id) where order_id is not null;

-- The values that the customer list is sorted by: the amount spent and the time of the last order. One narrow row per listed
-- customer. Orders only append to customer_figure_deltas, so that orders of the same customer do not wait for each other.
create table customer_figures (
  company_id bigint not null references companies,
  customer_id bigint not null,
  -- In minor units, without cancelled orders.
  spent bigint not null default 0,
  -- Includes cancelled orders. '-infinity' without orders, so that those customers are sorted last.
  last_order_at timestamptz not null default '-infinity',
  primary key (company_id, customer_id)
) with (fillfactor = 85);
create index customer_figures_spent on customer_figures (company_id, spent, customer_id);
create index customer_figures_last_order on customer_figures (company_id, last_order_at, customer_id);

create function list_customer_figures() returns trigger language plpgsql as $$
begin
  insert into customer_figures (company_id, customer_id)
  select company_id, id from added where erased_at is null on conflict do nothing;
  return null;
end $$;
create trigger figures_inserted after insert on customers referencing new table as added
  for each statement execute function list_customer_figures();

create function drop_customer_figures() returns trigger language plpgsql as $$
begin
  delete from customer_figures where company_id = old.company_id and customer_id = old.id;
  return null;
end $$;
create trigger figures_erased after update on customers for each row
  when (old.erased_at is null and new.erased_at is not null) execute function drop_customer_figures();
create trigger figures_removed after delete on customers for each row execute function drop_customer_figures();

create table customer_figure_deltas (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  spent bigint not null default 0,
  last_order_at timestamptz not null default '-infinity',
  -- The orders of the customer must be added up again, because some were removed or came from another customer.
  anew boolean not null default false,
  -- One index for both purposes, because every order writes to it.
  primary key (company_id, customer_id, id)
);

-- Adds deltas to customer_figures and returns how many. Orders of a customer are added up again in the same snapshot that takes
-- all of the customer's deltas, so that none counts twice.
create function fold_customer_figures(at_most bigint) returns bigint language plpgsql as $$
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
    returning d.company_id, d.customer_id, d.spent, d.last_order_at
  ),
  -- Later deltas of customers whose orders are added up again are included in the orders.
  known as (
    delete from customer_figure_deltas d using renewed r
    where d.company_id = r.company_id and d.customer_id = r.customer_id
      and not exists (select from some_deltas o where o.company_id = d.company_id and o.customer_id = d.customer_id and o.id = d.id)
  ),
  figures as (
    select t.company_id, t.customer_id, sum(t.spent)::bigint as spent, max(t.last_order_at) as last_order_at, false as anew
    from taken t
    where not exists (select from renewed r where r.company_id = t.company_id and r.customer_id = t.customer_id)
    group by 1, 2
    union all
    select r.company_id, r.customer_id, o.spent, o.last_order_at, true
    from renewed r
    cross join lateral (
      select coalesce(sum(total) filter (where status <> 'cancelled'), 0)::bigint as spent,
        coalesce(max(created_at), '-infinity') as last_order_at
      from orders o where o.company_id = r.company_id and o.customer_id = r.customer_id
    ) o
  ),
  written as (
    update customer_figures f
    set spent = case when n.anew then 0 else f.spent end + n.spent,
      last_order_at = case when n.anew then n.last_order_at else greatest(f.last_order_at, n.last_order_at) end
    from figures n where f.company_id = n.company_id and f.customer_id = n.customer_id
  )
  select count(*) into folded from taken;
  return folded;
end $$;
