-- Imports: files that people and programs upload, what became of their rows, and what it takes to undo them.

create table imports (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  format text not null,
  file_name text not null,
  -- Of the uploaded chunks so far.
  bytes bigint not null default 0,
  chunks int not null default 0,
  status text not null check (status in
    ('uploading', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'failed', 'cancelled')),
  -- The choices that the file does not make.
  options jsonb not null default '{}',
  -- The columns of the file, and the field of each; known once the check has begun.
  header text[] not null default '{}',
  mapping text[] not null default '{}',
  -- Of the check or the run: rows of the file that are done. What is behind them is written by the same transaction.
  position bigint not null default 0,
  -- Rows of the file, known once it was checked.
  total bigint,
  created bigint not null default 0,
  updated bigint not null default 0,
  unchanged bigint not null default 0,
  skipped bigint not null default 0,
  refused bigint not null default 0,
  -- New contacts whose address is suppressed: they get no marketing.
  suppressed bigint not null default 0,
  -- By an undo: records removed or restored, and records left alone because they changed since.
  undone bigint not null default 0,
  kept bigint not null default 0,
  findings bigint not null default 0,
  journal bigint not null default 0,
  error text,
  actor text not null,
  -- By the database's time. Who holds the lease names the epoch in every write.
  lease_until timestamptz,
  epoch bigint not null default 0,
  created_at timestamptz not null,
  checked_at timestamptz,
  -- Every record that the import writes carries this moment as updated_at: one with another was changed since.
  started_at timestamptz,
  finished_at timestamptz,
  primary key (company_id, id)
);
create index imports_open on imports (company_id, id) where status in ('checking', 'running', 'undoing');
create index imports_with_file on imports (company_id, id) where chunks > 0;

create table import_chunks (
  company_id bigint not null,
  import_id bigint not null,
  n int not null,
  data bytea not null,
  primary key (company_id, import_id, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);
-- Compressing a chunk takes longer than writing it.
alter table import_chunks alter column data set storage external;

-- What is to be said of single rows: of the check, the run and the undo.
create table import_findings (
  company_id bigint not null,
  import_id bigint not null,
  phase text not null check (phase in ('check', 'run', 'undo')),
  n bigint not null,
  row bigint not null,
  field text,
  reason text not null,
  -- The row as it was in the file; null where it was too long to be kept.
  cells text[],
  primary key (company_id, import_id, phase, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);

-- What the import wrote: the ids of new records by the batch, and of each changed record what it was before.
create table import_journal (
  company_id bigint not null,
  import_id bigint not null,
  n bigint not null,
  kind text not null check (kind in ('contact', 'customer', 'product', 'order')),
  record_ids bigint[] not null,
  before jsonb,
  primary key (company_id, import_id, n),
  foreign key (company_id, import_id) references imports (company_id, id) on delete cascade
);
create index import_journal_before on import_journal (company_id, kind, (record_ids[1])) where before is not null;

-- Placed elsewhere before: its stock was taken there.
alter table orders add column imported boolean not null default false;
create index orders_imported on orders (company_id, id) where imported;

-- Undone imports take records out of the lists again.
create function count_removed_records() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'products' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'products', id / 4096, '2000-01-01', product_facet(archived_at, subscription_enabled, in_stock), -count(*)
    from gone group by 1, 3, 5;
  elsif tg_table_name = 'customers' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'customers', id / 4096, '2000-01-01', '', -count(*) from gone where erased_at is null group by 1, 3;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'orders', id / 4096, (created_at at time zone 'UTC')::date,
      status || case when subscription_id is null then ':single' else ':subscription' end, -count(*)
    from gone group by 1, 3, 4, 5;
  end if;
  return null;
end $$;
create trigger count_removed after delete on products referencing old table as gone
  for each statement execute function count_removed_records();
create trigger count_removed after delete on customers referencing old table as gone
  for each statement execute function count_removed_records();
create trigger count_removed after delete on orders referencing old table as gone
  for each statement execute function count_removed_records();

create function add_sales_removed() returns trigger language plpgsql as $$
begin
  insert into sales_deltas (company_id, slot, placed, cancelled, revenue, returning_orders)
  select company_id, slot_of(created_at), -sum(placed), -sum(cancelled), -sum(revenue), -sum(returning_orders) from (
    select company_id, created_at, count(*) as placed, count(*) filter (where status = 'cancelled') as cancelled,
      coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue, 0 as returning_orders
    from gone group by 1, 2
    union all
    -- All of a customer's orders, but for one where none remains.
    select g.company_id, g.created_at, 0, 0, 0, g.n - (not exists (
      select from orders o where o.company_id = g.company_id and o.customer_id = g.customer_id))::int
    from (select company_id, customer_id, min(created_at) as created_at, count(*) as n from gone group by 1, 2) g
  ) changes
  group by 1, 2;
  return null;
end $$;
create trigger sales_removed after delete on orders referencing old table as gone
  for each statement execute function add_sales_removed();
