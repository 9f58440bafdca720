-- Companies, keys, and the mechanisms that every part shares. company_id leads every key.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table companies (
  company_id bigint generated always as identity primary key,
  name text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  currency_exponent smallint not null check (currency_exponent between 0 and 4),
  time_zone text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  settings jsonb not null default '{}',
  created_at timestamptz not null
);

-- One row per company that changes whenever anything changes that processes keep in memory (keys, settings, taxes,
-- flows …). changed_in lets a poll see every change in commit order: rows of transactions that were open at the last
-- look are read again.
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

-- Makes every write to the table raise the version of the companies concerned.
create procedure watch_configuration(watched regclass) language plpgsql as $$
begin
  execute format('create trigger touch_on_insert after insert on %s referencing new table as changed for each statement execute function touch_company_version()', watched);
  execute format('create trigger touch_on_update after update on %s referencing new table as changed for each statement execute function touch_company_version()', watched);
  execute format('create trigger touch_on_delete after delete on %s referencing old table as changed for each statement execute function touch_company_version()', watched);
end $$;

call watch_configuration('companies');

-- Secrets are ciphertext (AES-256-GCM, the master key is outside the database).
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
-- The one look-up that comes before the company is known.
create unique index api_keys_hash on api_keys (hash);
call watch_configuration('api_keys');

-- What a key has used: apart from api_keys, so that use does not count as a change of configuration.
create table api_key_usage (
  company_id bigint not null,
  api_key_id bigint not null,
  window_start timestamptz not null,
  leased bigint not null,
  last_used_at timestamptz not null,
  primary key (company_id, api_key_id)
) with (fillfactor = 50);

-- Takes a slice of the key's hour for one process: a twentieth of what is left, `most` at most. Slices shrink towards the
-- end, so that little lies unused with one process while another has to refuse. Whatever is handed out counts as used: a
-- process that dies loses the rest of its slice, and no key ever gets more than its limit.
create function lease_requests(company bigint, api_key bigint, at timestamptz, most bigint, hourly bigint,
  out window_started timestamptz, out granted bigint, out total_leased bigint) language plpgsql as $$
begin
  insert into api_key_usage (company_id, api_key_id, window_start, leased, last_used_at)
  values (company, api_key, at, 0, at) on conflict do nothing;
  select window_start, leased into window_started, total_leased
  from api_key_usage where company_id = company and api_key_id = api_key for update;
  if window_started + interval '1 hour' <= at then
    window_started := at;
    total_leased := 0;
  end if;
  granted := greatest(0, least(most, (hourly - total_leased + 19) / 20));
  total_leased := total_leased + granted;
  update api_key_usage set window_start = window_started, leased = total_leased, last_used_at = greatest(last_used_at, at)
  where company_id = company and api_key_id = api_key;
end $$;

create table idempotency_keys (
  company_id bigint not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (company_id, key)
);
create index idempotency_keys_created_at on idempotency_keys using brin (created_at);

-- Administrative deeds, append-only, each row sealed with the hash of the one before it.
create table audit_log (
  company_id bigint not null,
  id bigint not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text not null,
  details jsonb not null default '{}',
  previous_hash bytea,
  hash bytea not null,
  primary key (company_id, id)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger append_only before update or delete or truncate on audit_log for each statement execute function refuse_change();

-- Exact totals of long lists. Writers append what they changed (triggers below each listed table), a worker folds it
-- in; a reader adds both in one snapshot. A bucket is a range of 4096 ids, so that a page number leads to a key without
-- walking over the pages before it.
create table list_counts (
  company_id bigint not null,
  list text not null,
  bucket bigint not null,
  day date not null,
  facet text not null,
  n bigint not null,
  primary key (company_id, list, bucket, day, facet)
) with (fillfactor = 70);
create table list_count_deltas (
  company_id bigint not null,
  list text not null,
  bucket bigint not null,
  day date not null,
  facet text not null,
  n bigint not null
);
create index list_count_deltas_list on list_count_deltas (company_id, list);

create function fold_list_counts() returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows in different orders.
  if not pg_try_advisory_xact_lock(7265319403) then return 0; end if;
  with gone as (delete from list_count_deltas returning *),
  sums as (
    select company_id, list, bucket, day, facet, sum(n) as n, count(*) as deltas from gone
    group by company_id, list, bucket, day, facet order by 1, 2, 3, 4, 5
  ),
  written as (
    insert into list_counts as c (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, day, facet, n from sums
    on conflict (company_id, list, bucket, day, facet) do update set n = c.n + excluded.n
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;

-- The total of a list under its kept filters, and where the page that starts at row `skip` begins: the page's rows have
-- ids below `below`, after leaving out `rest` of them (rest < 4096). No row of the list has an id under `lowest`: without
-- this bound, a page that the list does not fill would look for more of them through all that is older. facets and days
-- null: all.
create function locate_page(company bigint, list_name text, facets text[], first_day date, last_day date, skip bigint,
  out total bigint, out below bigint, out rest bigint, out lowest bigint) language plpgsql stable as $$
declare counted record;
begin
  total := 0;
  below := 0;
  rest := 0;
  lowest := 0;
  for counted in
    select bucket, sum(n)::bigint as n from (
      select bucket, n from list_counts
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
        and (first_day is null or day >= first_day) and (last_day is null or day <= last_day)
      union all
      select bucket, n from list_count_deltas
      where company_id = company and list = list_name and (facets is null or facet = any (facets))
        and (first_day is null or day >= first_day) and (last_day is null or day <= last_day)
    ) rows
    group by bucket order by bucket desc
  loop
    if skip >= total and skip < total + counted.n then
      below := (counted.bucket + 1) * 4096;
      rest := skip - total;
    end if;
    if counted.n > 0 then lowest := counted.bucket * 4096; end if;
    total := total + counted.n;
  end loop;
end $$;

-- What one side did that the other must hear of, written in the transaction of the deed and taken out in that of its
-- consequences.
create table outbox (
  company_id bigint not null,
  id bigint generated always as identity,
  topic text not null,
  payload jsonb not null,
  occurred_at timestamptz not null,
  primary key (company_id, id)
);
-- Events of the outbox that the other side refused: kept with the reason, shown by the doctor.
create table outbox_refusals (
  company_id bigint not null,
  id bigint not null,
  topic text not null,
  payload jsonb not null,
  occurred_at timestamptz not null,
  reason text not null,
  refused_at timestamptz not null,
  primary key (company_id, id)
);
