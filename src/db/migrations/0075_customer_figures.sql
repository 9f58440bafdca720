-- What the list of customers is sorted by: what each has spent, and when they ordered last. A narrow row for each customer that is
-- listed; orders only leave word in customer_figure_deltas, so that none waits for another of the same customer.
create table customer_figures (
  company_id bigint not null references companies,
  customer_id bigint not null,
  -- Minor units, of orders that were not cancelled.
  spent bigint not null default 0,
  -- Of any order, cancelled ones too; '-infinity' before the first, so that those stand last.
  last_order_at timestamptz not null default '-infinity',
  primary key (company_id, customer_id)
) with (fillfactor = 85);
create index customer_figures_spent on customer_figures (company_id, spent, customer_id);
create index customer_figures_last_order on customer_figures (company_id, last_order_at, customer_id);

create table customer_figure_deltas (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  customer_id bigint not null,
  spent bigint not null default 0,
  last_order_at timestamptz not null default '-infinity',
  -- The customer's orders are to be added up anew: some went, or came from another customer.
  anew boolean not null default false,
  -- One index for both: every order writes it.
  primary key (company_id, customer_id, id)
);

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

-- Adds deltas up; gives how many were taken. A customer's orders are added up anew in the snapshot in which all of their
-- deltas are taken, so that none counts twice.
create function fold_customer_figures(at_most bigint) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows in different orders.
  if not pg_try_advisory_xact_lock(7265319432) then return 0; end if;
  with some_deltas as materialized (
    select company_id, customer_id, id, anew from customer_figure_deltas order by company_id, customer_id, id limit at_most
  ),
  renewed as materialized (select distinct company_id, customer_id from some_deltas where anew),
  taken as (
    delete from customer_figure_deltas d using some_deltas o where d.company_id = o.company_id and d.customer_id = o.customer_id and d.id = o.id
    returning d.company_id, d.customer_id, d.spent, d.last_order_at
  ),
  -- Later deltas of those whose orders are added up anew: they are in the orders.
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
