-- What the events of days past come to, by contact and type, so that "five times ever" and "spent over 500" need not count
-- them all: whoever asks adds the events since `added_up_to` in one snapshot. Nothing is written here when an event is
-- stored; a chore adds up the days that are over.
create table event_totals (
  company_id bigint not null,
  event_type text not null,
  contact_id bigint not null,
  n bigint not null,
  amount numeric not null,
  -- With the totals, so that a count reads the index alone.
  primary key (company_id, event_type, contact_id) include (n, amount)
) with (fillfactor = 85);

-- One row, for all companies: every event received before that moment is in the totals, null while none is.
create table event_totals_state (
  one boolean primary key default true check (one),
  added_up_to timestamptz
);
insert into event_totals_state default values;

-- Adds up the next month that has events, or what there is of it before `newest` and before the last 24 hours of the
-- database's own clock: no transaction that could still bring an event of that time is under way. Gives whether there is more.
create function add_up_events(newest timestamptz) returns boolean language plpgsql as $$
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
  insert into event_totals as t (company_id, event_type, contact_id, n, amount)
  select company_id, event_type, contact_id, count(*), coalesce(sum(amount), 0) from events
  where received_at >= coalesce(since, '-infinity') and received_at < until
  group by company_id, event_type, contact_id
  on conflict (company_id, event_type, contact_id) do update set n = t.n + excluded.n, amount = t.amount + excluded.amount;
  update event_totals_state set added_up_to = until;
  return until < reach;
end $$;

-- A merge gives events to another contact, an erasure takes their amounts away: the totals follow. Of its owner's rights,
-- since the state belongs to no company.
create function keep_event_totals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7265319406);
  if old.received_at < (select added_up_to from event_totals_state) then
    insert into event_totals as t (company_id, event_type, contact_id, n, amount)
    values (old.company_id, old.event_type, old.contact_id, -1, -coalesce(old.amount, 0))
    on conflict (company_id, event_type, contact_id) do update set n = t.n - 1, amount = t.amount + excluded.amount;
    if tg_op = 'UPDATE' then
      insert into event_totals as t (company_id, event_type, contact_id, n, amount)
      values (new.company_id, new.event_type, new.contact_id, 1, coalesce(new.amount, 0))
      on conflict (company_id, event_type, contact_id) do update set n = t.n + 1, amount = t.amount + excluded.amount;
    end if;
  end if;
  return null;
end $$;
create trigger event_changed after update on events for each row
  when (old.contact_id <> new.contact_id or old.amount is distinct from new.amount)
  execute function keep_event_totals();
create trigger event_gone after delete on events for each row execute function keep_event_totals();

-- With the moment at which an event was received, so that what came since is told from the index alone.
drop index events_type;
create index events_type on events (company_id, event_type, occurred_at) include (contact_id, amount, received_at);
