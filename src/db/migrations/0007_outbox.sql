-- Events between the shop and marketing, and webhooks in both directions.

-- Events for the other side (shop or marketing), written in the transaction that causes them and deleted in the transaction that
-- handles them.
create table outbox (
  company_id bigint not null,
  id bigint generated always as identity,
  topic text not null,
  payload jsonb not null,
  occurred_at timestamptz not null,
  -- Whether webhook deliveries of the event have been queued. A refused event that is replayed returns to the outbox with the
  -- same id.
  deliveries_queued boolean not null default false,
  -- The id of the request that caused this work; for traced requests, followed by a space and a W3C `traceparent`. Null if no
  -- request caused it. Read with the row and never searched, so it has no index.
  correlation text,
  primary key (company_id, id)
);

-- Events of the outbox that the other side refused, with the reason. Reported by `tradeloom doctor`.
create table outbox_refusals (
  company_id bigint not null,
  id bigint not null,
  topic text not null,
  payload jsonb not null,
  occurred_at timestamptz not null,
  reason text not null,
  refused_at timestamptz not null,
  deliveries_queued boolean not null default false,
  correlation text,
  primary key (company_id, id)
);

-- Where a company receives notifications about its shop, and each delivery.
create table webhook_endpoints (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  url text not null,
  -- Empty: all types.
  event_types text[] not null default '{}',
  description text not null default '',
  -- Encrypted with AES-256-GCM and the master key.
  secret bytea not null,
  active boolean not null default true,
  disabled_reason text,
  -- The time since which no delivery has succeeded; null after a success.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

create table webhook_deliveries (
  company_id bigint not null,
  id bigint generated always as identity,
  endpoint_id bigint not null,
  -- Lets the receiver recognize a repeated delivery.
  message_id text not null,
  event_type text not null,
  -- The subject of the event (`order:7`): deliveries about one subject are sent in order.
  entity text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  due_at timestamptz not null,
  -- Deliveries are retried until then.
  give_up_at timestamptz not null,
  lease_until timestamptz,
  epoch int not null default 0,
  response_status int,
  response_body text,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  correlation text,
  primary key (company_id, id),
  foreign key (company_id, endpoint_id) references webhook_endpoints (company_id, id) on delete cascade
);
create index webhook_deliveries_order on webhook_deliveries (company_id, endpoint_id, entity, id) where status = 'pending';
create index webhook_deliveries_log on webhook_deliveries (company_id, endpoint_id, id) include (status);
create index webhook_deliveries_due on webhook_deliveries (company_id, due_at, id) where status = 'pending';
-- Failed deliveries are counted on the home page of the admin app.
create index webhook_deliveries_failed on webhook_deliveries (company_id, id) where status = 'failed';

-- When a company last received a webhook whose signature has no timestamp, rounded to the hour. Such a request can be replayed by
-- anyone who saw it.
create table webhook_senders (
  company_id bigint primary key references companies,
  body_only_at timestamptz not null
);

-- Bounce notifications of mail providers that were processed, so that repeated or replayed notifications have no effect. Deleted
-- once a notification would be refused because of its age.
create table bounce_notifications (
  company_id bigint not null,
  -- SHA-256 of the provider and the signed content.
  key bytea not null,
  received_at timestamptz not null,
  primary key (company_id, key)
);
create index bounce_notifications_age on bounce_notifications (received_at);
