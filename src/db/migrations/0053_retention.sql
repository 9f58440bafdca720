-- How far the removal of old rows is, by company and kind of data (src/retention).
create table retention_progress (
  company_id bigint not null references companies,
  kind text not null,
  -- Rows that finished before this moment are removed, or are being removed.
  removed_before timestamptz,
  removed bigint not null default 0,
  -- When they are looked for again, by the program's clock.
  next_at timestamptz not null,
  primary key (company_id, kind)
);
-- The mailbox forgot its messages after 90 days.
insert into retention_progress (company_id, kind, removed_before, next_at)
select company_id, 'mailbox', now() - interval '89 days', '-infinity' from companies;

-- What is left of messages that were removed: "opened five times ever", "has never received any". Whoever asks adds the messages
-- that are still there.
create table message_totals (
  company_id bigint not null,
  type text not null check (type in ('received', 'opened', 'clicked')),
  contact_id bigint not null,
  n bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- With the totals, so that a count reads the index alone.
  primary key (company_id, type, contact_id) include (n, first_at, last_at)
) with (fillfactor = 85);
create index message_totals_contact on message_totals (company_id, contact_id);

-- Removed messages leave the lists. A campaign's report counts them under campaign-removed, so that its numbers stay.
create function count_messages_removed() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, list, kept.bucket, '2000-01-01', facet, sum(kept.n) from (
    select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status, count(*) as n
    from gone group by 1, 2, 3, 4, 5, 6, 7
  ) sums, lateral (values ('messages', sums.bucket, status || ':' || channel, -sums.n),
    ('flow-messages:' || flow_id, sums.bucket, status || ':', -sums.n),
    ('campaign-messages:' || campaign_id, sums.bucket, status || ':' || coalesce(variant, ''), -sums.n),
    ('campaign-removed:' || campaign_id, 0, status || ':' || coalesce(variant, ''), sums.n)) as kept (list, bucket, facet, n)
  where kept.list is not null
  group by 1, 2, 3, 5;
  return null;
end $$;
create trigger count_deleted after delete on messages referencing old table as gone for each statement execute function count_messages_removed();

-- Events are removed for their age alone, and their totals stay.
drop trigger event_gone on events;

-- Removes the oldest month of events whose last moment lies before `until`, where nobody wants it any more: no rows of the companies
-- in `wanted_by`. Gives its name, null where there is none. It waits 50 ms for the statements that read events, and nobody waits
-- longer for it.
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

-- Old rows are found by their keys, which are in the order of time.
drop index mailbox_messages_age;
drop index webhook_deliveries_finished;
