-- When each contact did a thing first and last, with how often: "has not ordered for 60 days", "the next order is due".
-- The totals are added up anew, by the chore, a month at a time; until then all events are counted.
truncate event_totals;
update event_totals_state set added_up_to = null;
alter table event_totals
  add column first_at timestamptz not null,
  add column last_at timestamptz not null,
  drop constraint event_totals_pkey,
  add primary key (company_id, event_type, contact_id) include (n, amount, first_at, last_at);

create or replace function add_up_events(newest timestamptz) returns boolean language plpgsql as $$
declare
  -- Days, so that it is done once in a day.
  reach timestamptz := date_trunc('day', least(newest, now()) - interval '24 hours', 'UTC');
  since timestamptz;
  until timestamptz;
begin
  -- Whoever changes events that were added up holds it shared.
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

-- A contact loses all of its events of a type or none (a merge), so that first and last need no look at those that remain.
create or replace function keep_event_totals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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

-- For transactions of one company, to whom the state's table is closed. Stable: of the snapshot of the statement around it.
create function events_added_up_to() returns timestamptz language sql stable security definer
set search_path = public, pg_temp as $$
  select coalesce(added_up_to, '-infinity') from event_totals_state
$$;

-- By recency, number and amount of orders, the values at which the scores from 2 to 5 begin among a company's buyers:
-- each score has a fifth of them, as far as equal values allow. Null without buyers.
create table rfm_boundaries (
  company_id bigint primary key references companies,
  computed_at timestamptz not null,
  buyers bigint not null,
  recency timestamptz[],
  frequency bigint[],
  monetary numeric[]
);

-- Of at most 50,000 buyers, chosen by a hash of their ids, so that a company of any size takes less than a second. Whoever
-- was erased has no part in it.
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
