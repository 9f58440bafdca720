-- One action on everything that matches filters, done in the background: a row each, and the progress of each is in its row.
create table bulk_actions (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  action text not null check (action in ('ship_orders', 'archive_products')),
  filters jsonb not null,
  status text not null check (status in ('running', 'done', 'cancelled')),
  -- The last id that is looked at, and the last one that matched when it began: what comes later is left alone.
  position bigint not null default 0,
  upto bigint not null,
  total int not null,
  changed int not null default 0,
  refused int not null default 0,
  -- Of the first hundred: [{id, message}].
  refusals jsonb not null default '[]',
  actor text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Raised by each worker that takes it; only that one may go on.
  epoch int not null default 0,
  lease_until timestamptz,
  primary key (company_id, id)
);
create index bulk_actions_running on bulk_actions (company_id, id) where status = 'running';
