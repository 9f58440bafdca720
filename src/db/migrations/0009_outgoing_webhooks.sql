-- Where a company wants to be told of what its shop does, and every telling.

create table webhook_endpoints (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  url text not null,
  -- Empty: all.
  event_types text[] not null default '{}',
  description text not null default '',
  -- AES-256-GCM under the master key.
  secret bytea not null,
  active boolean not null default true,
  disabled_reason text,
  -- Since when no delivery has succeeded; null after a success.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

create table webhook_deliveries (
  company_id bigint not null,
  id bigint generated always as identity,
  endpoint_id bigint not null,
  -- The receiver knows a repeated delivery by it.
  message_id text not null,
  event_type text not null,
  -- What the event is about (`order:7`): deliveries about one thing go out one after the other.
  entity text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  due_at timestamptz not null,
  -- Until when the delivery is tried again.
  give_up_at timestamptz not null,
  lease_until timestamptz,
  epoch int not null default 0,
  response_status int,
  response_body text,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, endpoint_id) references webhook_endpoints (company_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (due_at, company_id) where status = 'pending';
create index webhook_deliveries_order on webhook_deliveries (company_id, endpoint_id, entity, id) where status = 'pending';
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;
create index webhook_deliveries_log on webhook_deliveries (company_id, endpoint_id, id);
