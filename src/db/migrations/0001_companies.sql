-- Companies, their API keys, and what every other file builds on. Every table of a company starts its key with company_id;
-- row-level security is added to all of them after the migrations (src/db/barrier).

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- One row per company. Its version increases with every change to data that processes cache (keys, settings, taxes, flows …).
-- changed_in lets a poll see every change in commit order: rows of transactions that were open at the last poll are read again.
create table company_versions (
  company_id bigint primary key,
  version bigint not null default 1,
  changed_in xid8 not null default pg_current_xact_id()
);
create index company_versions_changed_in on company_versions (changed_in);

create function touch_company_version() returns trigger language plpgsql as $$
begin
  insert into company_versions (company_id)
  select distinct company_id from changed order by company_id
  on conflict (company_id) do update
  set version = company_versions.version + 1, changed_in = pg_current_xact_id();
  return null;
end $$;

-- Makes every write to the table increase the version of the companies concerned.
create procedure watch_configuration(watched regclass) language plpgsql as $$
begin
  execute format('create trigger touch_on_insert after insert on %s referencing new table as changed for each statement execute function touch_company_version()', watched);
  execute format('create trigger touch_on_update after update on %s referencing new table as changed for each statement execute function touch_company_version()', watched);
  execute format('create trigger touch_on_delete after delete on %s referencing old table as changed for each statement execute function touch_company_version()', watched);
end $$;

create table companies (
  company_id bigint generated always as identity primary key,
  name text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  currency_exponent smallint not null check (currency_exponent between 0 and 4),
  time_zone text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  -- Messages of the demo shop always stay in the mailbox, whichever transports are configured.
  is_demo boolean not null default false
);
call watch_configuration('companies');

-- Encrypted with AES-256-GCM. The master key is stored outside the database.
create table company_secrets (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  kind text not null check (kind in ('webhook')),
  ciphertext bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (company_id, id)
);
call watch_configuration('company_secrets');

create table api_keys (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  display text not null,
  hash bytea not null,
  scopes text[] not null,
  requests_per_hour int not null check (requests_per_hour >= 0),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (company_id, id)
);
-- The only lookup that happens before the company is known.
create unique index api_keys_hash on api_keys (hash);
call watch_configuration('api_keys');

-- Usage of each key. Separate from api_keys, so that usage does not count as a change of configuration.
create table api_key_usage (
  company_id bigint not null,
  api_key_id bigint not null,
  window_start timestamptz not null,
  leased bigint not null,
  last_used_at timestamptz not null,
  primary key (company_id, api_key_id)
) with (fillfactor = 50);

-- Leases part of a key's hourly quota to one process: a twentieth of the rest, at most `most`. Leases shrink towards the end of
-- the quota, so that little is left unused in one process while another has to refuse requests. Leased requests count as used: if
-- a process dies, the rest of its lease is lost, and a key never exceeds its limit.
-- A window that starts in the future was written by a clock that was temporarily wrong, and is replaced. Five minutes of
-- difference between the clocks of several machines are tolerated.
create function lease_requests(company bigint, api_key bigint, at timestamptz, most bigint, hourly bigint,
  out window_started timestamptz, out granted bigint, out total_leased bigint) language plpgsql as $$
declare
  latest constant timestamptz := at + interval '5 minutes';
begin
  insert into api_key_usage (company_id, api_key_id, window_start, leased, last_used_at)
  values (company, api_key, at, 0, at) on conflict do nothing;
  select window_start, leased into window_started, total_leased
  from api_key_usage where company_id = company and api_key_id = api_key for update;
  if window_started + interval '1 hour' <= at or window_started > latest then
    window_started := at;
    total_leased := 0;
  end if;
  granted := greatest(0, least(most, (hourly - total_leased + 19) / 20));
  total_leased := total_leased + granted;
  update api_key_usage set window_start = window_started, leased = total_leased,
    last_used_at = case when last_used_at > latest then at else greatest(last_used_at, at) end
  where company_id = company and api_key_id = api_key;
end $$;

create table idempotency_keys (
  company_id bigint not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  -- The id of the API key that sent the request; for signed webhooks, the negated id of the company.
  sent_by bigint not null,
  primary key (company_id, sent_by, key)
);
-- The responses that an erasure searches. Responses to single events are numerous and contain ids only.
create index idempotency_keys_shown on idempotency_keys (company_id, key) where not starts_with(body, '{"event_id":');

-- Requests without a valid credential, by network and minute. Unlogged: a crash of the database loses one minute of counts, and
-- writes cost no WAL.
create unlogged table failed_attempts (
  door text not null,
  network text not null,
  window_start timestamptz not null,
  -- How much of the limit all processes have leased in this window, and the size of the last lease.
  taken smallint not null,
  granted smallint not null,
  primary key (door, network)
);
create index failed_attempts_window_start on failed_attempts (window_start);
