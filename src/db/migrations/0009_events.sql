-- Events of contacts, partitioned by month, and totals of past events.

create table event_types (
  company_id bigint not null references companies,
  event_type text not null,
  required_keys text[] not null,
  created_at timestamptz not null,
  primary key (company_id, event_type)
);
call watch_configuration('event_types');

create sequence event_ids;

-- No foreign keys: a check per row would lock the contact, and events of an erased contact are kept without their data.
create table events (
  company_id bigint not null,
  event_id bigint not null,
  received_at timestamptz not null,
  occurred_at timestamptz not null,
  contact_id bigint not null,
  event_type text not null,
  source text not null check (source in ('api', 'webhook', 'shop', 'flow')),
  external_id text,
  data jsonb not null,
  -- The value of a purchase. Included in an index, so that "total spent" does not read the events.
  amount numeric generated always as (
    case when event_type = 'order_placed' and jsonb_typeof(data -> 'total') = 'number' then (data ->> 'total')::numeric end
  ) stored,
  primary key (company_id, event_id, received_at)
) partition by range (received_at);
create index events_contact on events (company_id, contact_id, event_id);
create index events_type on events (company_id, event_type, occurred_at) include (contact_id, amount, received_at);

-- A contact loses all events of a type or none (by a merge), so first and last do not depend on remaining events.
create function keep_event_totals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7265319406);
  if old.received_at < (select added_up_to from event_totals_state) then
    insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
    values (old.company_id, old.event_type, old.contact_id, -1, -coalesce(old.amount, 0), old.occurred_at, old.occurred_at)
    on conflict (company_id, event_type, contact_id) do update set n = t.n - 1, amount = t.amount + excluded.amount;
    if tg_op = 'UPDATE' then
      insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
      values (new.company_id, new.event_type, new.contact_id, 1, coalesce(new.amount, 0), new.occurred_at, new.occurred_at)
      on conflict (company_id, event_type, contact_id) do update set n = t.n + 1, amount = t.amount + excluded.amount,
        first_at = case when t.n > 0 then least(t.first_at, excluded.first_at) else excluded.first_at end,
        last_at = case when t.n > 0 then greatest(t.last_at, excluded.last_at) else excluded.last_at end;
    end if;
  end if;
  return null;
end $$;
create trigger event_changed after update on events for each row
  when (old.contact_id <> new.contact_id or old.amount is distinct from new.amount)
  execute function keep_event_totals();

-- For timestamps outside the existing months, so that a missing partition never loses an event.
create table events_default partition of events default;

-- No query filters by the whole data or by external ids; their statistics took most of the time of ANALYZE. Statistics of a month
-- hardly change when it grows by a tenth.
create procedure thin_statistics(month text) language plpgsql as $$
begin
  execute format('alter table %I alter column data set statistics 0, alter column external_id set statistics 0', month);
  execute format('alter table %I set (autovacuum_analyze_scale_factor = 0.2)', month);
end $$;

-- Creates the month of `first` and the `ahead` months after it, and returns how many were missing. A month that has rows in the
-- default partition stays there.
create function ensure_event_partitions(first date, ahead int) returns int language plpgsql as $$
declare
  month date;
  name text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(7265319404);
  for i in 0 .. ahead loop
    month := (date_trunc('month', first::timestamp) + make_interval(months => i))::date;
    name := to_char(month, '"events_"YYYY"_"MM');
    continue when to_regclass(name) is not null;
    continue when exists (
      select 1 from events_default
      where received_at >= month::timestamp at time zone 'UTC'
        and received_at < (month + interval '1 month') at time zone 'UTC'
    );
    execute format('create table %I partition of events for values from (%L) to (%L)', name,
      month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00');
    call thin_statistics(name);
    made := made + 1;
  end loop;
  return made;
end $$;
-- The program's database user owns no tables and cannot create any, so this function runs with the owner's rights.
alter function ensure_event_partitions(date, int) security definer set search_path = public, pg_temp;
-- The program's database user owns no tables and cannot create any, so this function runs with the owner's rights.
revoke execute on function ensure_event_partitions(date, int) from public;

-- Recognizes repeated events: a hash of the caller's id, the natural key, or the whole event (marketing/events/keys.ts). An
-- expired key can be used again.
create table event_keys (
  company_id bigint not null,
  key uuid not null,
  event_id bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, key)
);

-- Totals of events from past days by contact and type, so that "five times ever" and "spent over 500" need not count all events:
-- readers add the events since `added_up_to` in one snapshot. A background job adds up completed days; storing an event writes
-- nothing here.
create table event_totals (
  company_id bigint not null,
  event_type text not null,
  contact_id bigint not null,
  n bigint not null,
  amount numeric not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (company_id, event_type, contact_id) include (n, amount, first_at, last_at)
) with (fillfactor = 85);

-- One row for all companies: events received before `added_up_to` are included in the totals; null: none are.
create table event_totals_state (
  one boolean primary key default true check (one),
  added_up_to timestamptz
);
insert into event_totals_state default values;

-- Adds up the next month with events, as far as it is before `newest` and at least 24 hours old by the database's clock: no open
-- transaction can still add events of that time. Returns whether there is more.
create function add_up_events(newest timestamptz) returns boolean language plpgsql as $$
declare
  -- Whole days, so that it happens once a day.
  reach timestamptz := date_trunc('day', least(newest, now()) - interval '24 hours', 'UTC');
  since timestamptz;
  until timestamptz;
begin
  -- Transactions that change added-up events hold it in shared mode.
  perform pg_advisory_xact_lock(7265319406);
  select added_up_to into since from event_totals_state;
  if since >= reach then return false; end if;
  until := least(reach, date_trunc('month', coalesce(since, (select min(received_at) from events)), 'UTC') + interval '1 month');
  insert into event_totals as t (company_id, event_type, contact_id, n, amount, first_at, last_at)
  select company_id, event_type, contact_id, count(*), coalesce(sum(amount), 0), min(occurred_at), max(occurred_at)
  from events
  where received_at >= coalesce(since, '-infinity') and received_at < until
  group by company_id, event_type, contact_id
  on conflict (company_id, event_type, contact_id) do update set n = t.n + excluded.n, amount = t.amount + excluded.amount,
    first_at = case when t.n > 0 then least(t.first_at, excluded.first_at) else excluded.first_at end,
    last_at = case when t.n > 0 then greatest(t.last_at, excluded.last_at) else excluded.last_at end;
  update event_totals_state set added_up_to = until;
  return until < reach;
end $$;

-- For transactions of a company, which cannot read event_totals_state. Stable, so that it uses the snapshot of the calling
-- statement.
create function events_added_up_to() returns timestamptz language sql stable security definer
set search_path = public, pg_temp as $$
  select coalesce(added_up_to, '-infinity') from event_totals_state
$$;

-- Drops the oldest month of events that ends before `until`, unless it has rows of the companies in `wanted_by`. Returns its
-- name, or null. Waits at most 50 ms for statements that read events, so that others do not wait longer.
create function drop_month_of_events(until timestamptz, wanted_by bigint[]) returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '50ms' as $$
declare
  month record;
  wanted boolean;
begin
  perform pg_advisory_xact_lock(7265319404);
  for month in
    select inhrelid::regclass::text as name, to_date(right(c.relname, 7), 'YYYY_MM') as first
    from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{4}_[0-9]{2}$'
    order by 2
  loop
    exit when (month.first + interval '1 month') at time zone 'UTC' > least(until, events_added_up_to());
    execute format('select exists (select from unnest($1) company (id), lateral (
      select from %s e where e.company_id = company.id limit 1) one)', month.name) into wanted using wanted_by;
    continue when wanted;
    execute format('drop table %s', month.name);
    return month.name;
  end loop;
  return null;
end $$;
revoke execute on function drop_month_of_events(timestamptz, bigint[]) from public;

-- The values of recency, number and amount of orders at which the scores 2 to 5 begin. Each score contains a fifth of the
-- company's buyers, as far as equal values allow. Null without buyers.
create table rfm_boundaries (
  company_id bigint primary key references companies,
  computed_at timestamptz not null,
  buyers bigint not null,
  recency timestamptz[],
  frequency bigint[],
  monetary numeric[]
);

-- Uses at most 50,000 buyers, sampled by a hash of their ids, so that any company takes less than a second. Erased contacts are
-- left out.
create function compute_rfm_boundaries(company bigint, at timestamptz) returns void language plpgsql as $$
declare
  share bigint;
begin
  select 1 + count(*) / 50000 into share from event_totals
  where company_id = company and event_type = 'order_placed' and n > 0;
  insert into rfm_boundaries as b (company_id, computed_at, buyers, recency, frequency, monetary)
  with buyers as materialized (
    select t.n, t.amount, t.last_at from event_totals t
    where t.company_id = company and t.event_type = 'order_placed' and t.n > 0
      and (hashint8(t.contact_id) & 2147483647) % share = 0
      and exists (select from contacts c where c.company_id = company and c.id = t.contact_id)
  ),
  cuts as materialized (
    select percentile_disc(array[0.2, 0.4, 0.6, 0.8]) within group (order by last_at) as recency,
      percentile_disc(array[0.2, 0.4, 0.6, 0.8]) within group (order by n) as frequency,
      percentile_disc(array[0.2, 0.4, 0.6, 0.8]) within group (order by amount) as monetary
    from buyers
  )
  select company, at, (select count(*) * share from buyers),
    (select array_agg(coalesce((select min(last_at) from buyers where last_at > cut), 'infinity') order by i)
      from cuts, unnest(recency) with ordinality as u (cut, i)),
    (select array_agg(coalesce((select min(n) from buyers where n > cut), 9223372036854775807) order by i)
      from cuts, unnest(frequency) with ordinality as u (cut, i)),
    (select array_agg(coalesce((select min(amount) from buyers where amount > cut), 'infinity') order by i)
      from cuts, unnest(monetary) with ordinality as u (cut, i))
  on conflict (company_id) do update set computed_at = excluded.computed_at, buyers = excluded.buyers,
    recency = excluded.recency, frequency = excluded.frequency, monetary = excluded.monetary;
end $$;

call thin_statistics('events_default');

-- The current and the next three months.
select ensure_event_partitions((now() at time zone 'UTC')::date, 3);
