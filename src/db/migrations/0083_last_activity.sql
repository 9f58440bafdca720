-- What the list of contacts is sorted by: the last event of each. A narrow row of each contact, which the background writes from the
-- events themselves, so that no event costs more than before.
create table contact_last_activity (
  company_id bigint not null references companies,
  contact_id bigint not null,
  -- '-infinity' before the first, so that those stand last.
  last_activity_at timestamptz not null default '-infinity',
  primary key (company_id, contact_id)
) with (fillfactor = 85);
create index contact_last_activity_at on contact_last_activity (company_id, last_activity_at, contact_id);

create function list_last_activity() returns trigger language plpgsql as $$
begin
  insert into contact_last_activity (company_id, contact_id) select company_id, id from added on conflict do nothing;
  return null;
end $$;
create trigger activity_inserted after insert on contacts referencing new table as added
  for each statement execute function list_last_activity();

create function drop_last_activity() returns trigger language plpgsql as $$
begin
  delete from contact_last_activity a using gone g where a.company_id = g.company_id and a.contact_id = g.id;
  return null;
end $$;
create trigger activity_deleted after delete on contacts referencing old table as gone
  for each statement execute function drop_last_activity();

-- How far the background has come.
create table contact_activity_state (
  only_row boolean primary key default true check (only_row),
  -- Events up to this id were read; those behind `again_from` are read once more, a pass later: an event may be committed after one
  -- that has a higher id.
  read_to bigint not null,
  again_from bigint not null,
  -- No event behind `again_from` was received before.
  since timestamptz not null,
  -- The last of the contacts that were there before, whose events are gone through; null once all are.
  passed_company bigint,
  passed_contact bigint
);
insert into contact_activity_state (read_to, again_from, since, passed_company, passed_contact)
select last_value - 1, last_value - 1, '-infinity', 0, 0 from event_ids;

-- Reads the next events, at most so many ids of them; gives whether there are more.
create function fold_last_activity(at_most bigint, moment timestamptz) returns boolean language plpgsql as $$
declare
  state contact_activity_state;
  newest bigint;
  until bigint;
begin
  -- One folder at a time.
  select * into state from contact_activity_state for update skip locked;
  if not found then return false; end if;
  select last_value into newest from event_ids;
  until := least(newest, state.read_to + at_most);
  update contact_last_activity a set last_activity_at = n.at
  from (
    select e.company_id, e.contact_id, max(least(e.occurred_at, e.received_at)) as at
    from companies c cross join lateral (
      select company_id, contact_id, occurred_at, received_at from events
      where company_id = c.company_id and event_id > state.again_from and event_id <= until
        and received_at >= state.since and source <> 'flow'
    ) e
    group by 1, 2 order by 1, 2
  ) n
  where a.company_id = n.company_id and a.contact_id = n.contact_id and a.last_activity_at < n.at;
  update contact_activity_state set again_from = state.read_to, read_to = until,
    since = case when until = newest then least(moment, now()) - interval '1 hour' else since end;
  return until < newest;
end $$;

-- Goes through the events of the next contacts that were there before, or that were loaded; gives whether there are more.
create function backfill_last_activity(at_most bigint) returns boolean language plpgsql as $$
declare
  state contact_activity_state;
  passed bigint;
begin
  select * into state from contact_activity_state where passed_company is not null for update skip locked;
  if not found then return false; end if;
  with next as materialized (
    select company_id, id from contacts where (company_id, id) > (state.passed_company, state.passed_contact)
    order by company_id, id limit at_most
  ),
  written as (
    insert into contact_last_activity as a (company_id, contact_id, last_activity_at)
    select n.company_id, n.id, coalesce((
      select max(least(e.occurred_at, e.received_at)) from events e
      where e.company_id = n.company_id and e.contact_id = n.id and e.source <> 'flow'), '-infinity')
    from next n order by 1, 2
    on conflict (company_id, contact_id) do update set last_activity_at = greatest(a.last_activity_at, excluded.last_activity_at)
  ),
  last as (select company_id, id from next order by company_id desc, id desc limit 1),
  moved as (
    update contact_activity_state set passed_company = (select company_id from last), passed_contact = (select id from last)
  )
  select count(*) into passed from next;
  return passed = at_most;
end $$;
