-- Events, event types and segments, and the rule language's readings of texts.

create table event_types (
  company_id bigint not null references companies,
  event_type text not null,
  required_keys text[] not null,
  created_at timestamptz not null,
  primary key (company_id, event_type)
);
call watch_configuration('event_types');

-- No foreign keys: a check per row would lock the contact, and a contact that is erased leaves its events without data.
create sequence event_ids;
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
  -- What a purchase was worth: in the index below, so that "total spent" never reads the events themselves.
  amount numeric generated always as (
    case when event_type = 'order_placed' and jsonb_typeof(data -> 'total') = 'number' then (data ->> 'total')::numeric end
  ) stored,
  primary key (company_id, event_id, received_at)
) partition by range (received_at);
create index events_contact on events (company_id, contact_id, event_id);
create index events_type on events (company_id, event_type, occurred_at) include (contact_id, amount);
-- For moments that no month was made for: never an event lost for want of a partition.
create table events_default partition of events default;

-- Makes the month of `first` and the `ahead` months after it; gives how many were missing. A month that has rows in the
-- default partition already stays there.
create function ensure_event_partitions(first date, ahead int) returns int language plpgsql as $$
declare
  month date;
  made int := 0;
begin
  perform pg_advisory_xact_lock(7265319404);
  for i in 0 .. ahead loop
    month := (date_trunc('month', first::timestamp) + make_interval(months => i))::date;
    continue when to_regclass(to_char(month, '"events_"YYYY"_"MM')) is not null;
    continue when exists (
      select 1 from events_default
      where received_at >= month::timestamp at time zone 'UTC'
        and received_at < (month + interval '1 month') at time zone 'UTC'
    );
    execute format('create table %I partition of events for values from (%L) to (%L)', to_char(month, '"events_"YYYY"_"MM'),
      month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00');
    made := made + 1;
  end loop;
  return made;
end $$;
select ensure_event_partitions((now() at time zone 'UTC')::date, 3);

-- By what an event is known again: a hash of the caller's id, of the natural key or of the whole event (see
-- marketing/events/keys.ts). A key past its time is free.
create table event_keys (
  company_id bigint not null,
  key uuid not null,
  event_id bigint not null,
  expires_at timestamptz not null,
  primary key (company_id, key)
);
create index event_keys_expires_at on event_keys (expires_at);

create table segments (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  name text not null,
  conditions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (company_id, id)
);

-- A text as the rule language's number, or null: marketing/rules/values.ts has the same grammar. Not declared strict:
-- PostgreSQL would not inline it then.
create function rule_number(value text) returns numeric language sql immutable parallel safe as $$
  select case when value ~ '^-?(0|[1-9][0-9]*)(\.[0-9]+)?$' and length(translate(value, '-.', '')) <= 15 then value::numeric end
$$;

-- A text as the rule language's moment, in milliseconds since 1970, or null: the same grammar as in values.ts.
create function rule_moment(value text) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  part text[];
  month int;
  day int;
  days int;
  zone text;
begin
  part := regexp_match(value, '^([1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$');
  if part is null then return null; end if;
  month := part[2];
  day := part[3];
  days := extract(day from make_date(part[1]::int, month, 1) + interval '1 month' - interval '1 day');
  if day > days then return null; end if;
  zone := coalesce(nullif(part[8], 'Z'), '+00:00');
  return (make_date(part[1]::int, month, day) - date '1970-01-01') * 86400000::float8
    + coalesce(part[4]::int, 0) * 3600000 + coalesce(part[5]::int, 0) * 60000 + coalesce(part[6]::int, 0) * 1000
    + coalesce(left(rpad(part[7], 3, '0'), 3)::int, 0)
    - (case when left(zone, 1) = '-' then -1 else 1 end)
      * (substr(zone, 2, 2)::int * 3600000 + right(zone, 2)::int * 60000);
end $$;
