-- migrate: incompatible
-- migrate: blocks messages: replaces the primary key by an index that exists already, which takes a moment
-- migrate: blocks list_counts: counters replace it
-- migrate: blocks list_count_deltas: counters replace it
-- migrate: blocks list_spans: counters replace it
-- migrate: blocks flow_stats: counters replace it
-- migrate: blocks flow_stat_deltas: counters replace it
-- One mechanism for counters: rows that are appended, one function that folds them into totals, and a view that adds both.

alter table messages drop constraint messages_pkey, add constraint messages_pkey primary key using index messages_listed;

-- Exact counters. Triggers and transactions append deltas, so that no two of them wait for each other; a background job folds the
-- deltas into totals. The prefix of a counter, up to the first colon, is its kind. By day (UTC) if that is what readers ask for.
-- orders, products, messages and so on: rows of a list; contacts, list:3: the same by status
-- marketing-days: `sent:email`, `refused:email`, `bounced:email`, `complained:email` (by channel), `orders:flow`, `revenue:flow`,
-- `orders:campaign`, `revenue:campaign` (minor units), `subscribed` and `unsubscribed` (contacts)
-- marketing-sources: `orders:flow:7`, `revenue:campaign:12`
-- list-growth: `subscribed:3` and `unsubscribed:3`, by the id of the list
-- campaign-messages:12, campaign-activity:12 and so on: reports of campaigns
-- flow:7:step: figures of a step of a flow; flow:7: those of the flow itself
create table counter_totals (
  company_id bigint not null,
  counter text collate "C" not null,
  day date not null,
  key text not null,
  n bigint not null,
  primary key (company_id, counter, day, key)
) with (fillfactor = 70);

create table counter_deltas (
  company_id bigint not null,
  counter text collate "C" not null,
  day date not null default '2000-01-01',
  key text not null default '',
  n bigint not null
);
create index counter_deltas_counter on counter_deltas (company_id, counter);

-- Current values are sums over this view: a row that is not folded yet is one more addend. Missing rows are 0.
create view counters with (security_invoker = true) as
select company_id, counter, day, key, n from counter_totals
union all
select company_id, counter, day, key, n from counter_deltas;

-- Orders count at the quarter of an hour in which they were placed.
create view sales with (security_invoker = true) as
select company_id, slot, placed, cancelled, revenue, returning_orders from sales_totals
union all
select company_id, slot, placed, cancelled, revenue, returning_orders from sales_deltas;

-- Adds up to `at_most` rows of NAME_deltas to NAME_totals and returns their number. The primary key of NAME_totals identifies a
-- total; its other columns are sums. Totals that become 0 are deleted, because every reader would visit them.
create function fold_deltas(name text, at_most bigint default null) returns bigint language plpgsql as $$
declare
  totals text := quote_ident(name || '_totals');
  keys text;
  sums text;
  columns text;
  added text;
  is_empty text;
  same_key text;
  folded bigint;
  empty text;
begin
  -- One fold of a table at a time: two could deadlock.
  if not pg_try_advisory_xact_lock(726531940, hashtext(name)) then return 0; end if;
  select string_agg(col, ', ' order by attnum) filter (where is_key),
    string_agg(col, ', ' order by attnum) filter (where not is_key),
    string_agg(format('sum(%1$s)::bigint as %1$s', col), ', ' order by attnum) filter (where not is_key),
    string_agg(format('%1$s = t.%1$s + excluded.%1$s', col), ', ' order by attnum) filter (where not is_key),
    string_agg(format('(t).%s = 0', col), ' and ') filter (where not is_key),
    string_agg(format('t.%1$s = e.%1$s', col), ' and ') filter (where is_key)
  into keys, columns, sums, added, is_empty, same_key
  from (
    select quote_ident(a.attname) as col, a.attnum, a.attnum = any(i.indkey) as is_key
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum > 0 and not a.attisdropped
    where i.indrelid = totals::regclass and i.indisprimary
  ) found;
  execute format('
    with taken as (
      delete from %1$I where ctid = any(array(select ctid from %1$I limit $1)) returning *
    ),
    sums as (
      select %2$s, %3$s, count(*) as deltas from taken group by %2$s order by %2$s
    ),
    written as (
      insert into %4$s as t (%2$s, %5$s) select %2$s, %5$s from sums
      on conflict (%2$s) do update set %6$s
      returning t
    )
    select (select coalesce(sum(deltas), 0) from sums), array(select t from written where %7$s)::text',
    name || '_deltas', keys, sums, totals, columns, added, is_empty) into folded, empty using at_most;
  -- The previous statement cannot delete rows that it has written itself.
  if empty <> '{}' then
    execute format('delete from %1$s t using unnest($1::%1$s[]) e where %2$s', totals, same_key) using empty;
  end if;
  return folded;
end $$;

-- Tells browsers that a list or a report has changed (see live_marks).
create function mark_counters() returns trigger language plpgsql as $$
begin
  insert into live_marks as m (company_id, kind, n)
  select distinct company_id, split_part(counter, ':', 1), 1 from changed order by 1, 2
  on conflict (company_id, kind) do update set n = m.n + 1;
  return null;
end $$;
create trigger mark_inserted after insert on counter_totals referencing new table as changed
  for each statement execute function mark_counters();
create trigger mark_updated after update on counter_totals referencing new table as changed
  for each statement execute function mark_counters();

-- The values until now. A writer that waits for these locks runs a function that inserts into a table deleted below: it fails with
-- undefined_table (42P01), its transaction is rolled back, and the client tries again.
lock table list_count_deltas in access exclusive mode;
lock table flow_stat_deltas in access exclusive mode;
insert into counter_totals (company_id, counter, day, key, n)
select company_id, counter, day, key, sum(n) from (
  select company_id,
    case when facet like 'link:%' then 'campaign-links:' || split_part(list, ':', 2) else list end as counter,
    day, case when list = 'messages' then '' when facet like 'link:%' then substr(facet, 6) else facet end as key, n
  from (
    select company_id, list, day, facet, n from list_counts
    union all
    select company_id, list, day, facet, n from list_count_deltas
  ) lists where list not like 'flow-messages:%'
  union all
  select company_id, 'flow:' || flow_id || ':' || step_id, date '2000-01-01', metric, n from (
    select company_id, flow_id, step_id, metric, n from flow_stats
    union all
    select company_id, flow_id, step_id, metric, n from flow_stat_deltas
  ) flows
) counted
group by 1, 2, 3, 4 having sum(n) <> 0;

-- Triggers that keep the count of a list: of the rows of a table, or of those whose column `gone_at` is null.
create or replace function count_rows() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, n) select company_id, tg_table_name, count(*) from added group by 1;
  else
    insert into counter_deltas (company_id, counter, n) select company_id, tg_table_name, -count(*) from removed group by 1;
  end if;
  return null;
end $$;

-- Counts a row that enters (1) or leaves (-1) the list without being inserted or deleted, or reports that it changed (0).
create or replace function count_row() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, n)
  values (coalesce(new.company_id, old.company_id), tg_table_name, tg_argv[0]::bigint);
  return null;
end $$;

-- Counts new and deleted contacts. A bounce, or an address that replaces a bounced one, is not a decision of the contact.
create or replace function count_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(n) from (
      select company_id, status, (updated_at at time zone 'UTC')::date as came_on, count(*) as n from later group by 1, 2, 3
    ) sums, lateral (values ('contacts', date '2000-01-01', status),
      ('marketing-days', came_on, case when status <> 'unsubscribed' then 'subscribed' end)) as c (counter, day, key)
    where c.key is not null group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'contacts', status, -count(*) from before group by 1, 3;
  else
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'contacts', status, sum(n) from (
      select company_id, status, -1 as n from before
      union all
      select company_id, status, 1 from later
    ) changes
    group by 1, 3 having sum(n) <> 0;
  end if;
  return null;
end $$;

create or replace function count_changed_contact() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, day, key, n)
  values (new.company_id, 'marketing-days', (new.updated_at at time zone 'UTC')::date,
    case when new.status = 'unsubscribed' then 'unsubscribed' else 'subscribed' end, 1);
  return null;
end $$;

-- Counts memberships. A membership that is older than its row came from a merged contact and has been counted there.
create or replace function count_list_memberships() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(n) from (
      select company_id, list_id, status,
        case when status = 'active' and created_at = updated_at then (updated_at at time zone 'UTC')::date end as came_on, count(*) as n
      from later group by 1, 2, 3, 4
    ) sums, lateral (values ('list:' || list_id, date '2000-01-01', status),
      ('list-growth', came_on, 'subscribed:' || list_id)) as c (counter, day, key)
    where c.day is not null group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'list:' || list_id, status, -count(*) from before group by 1, 2, 3;
  else
    insert into counter_deltas (company_id, counter, key, n)
    select company_id, 'list:' || list_id, status, sum(n) from (
      select company_id, list_id, status, -1 as n from before
      union all
      select company_id, list_id, status, 1 from later
    ) changes
    group by company_id, list_id, status having sum(n) <> 0;
  end if;
  return null;
end $$;

create or replace function count_changed_membership() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, day, key, n)
  values (new.company_id, 'list-growth', (new.updated_at at time zone 'UTC')::date,
    case new.status when 'active' then 'subscribed:' else 'unsubscribed:' end || new.list_id, 1);
  return null;
end $$;

-- Counts messages: all of them, and those of a campaign by status and variant, day and reason. A change of status reports that the
-- list of messages has changed (0).
create or replace function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(c.n) from (
      select company_id, channel, campaign_id, variant, status,
        case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
        case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, count(*) as n
      from later group by 1, 2, 3, 4, 5, 6, 7
    ) sums, lateral (values ('messages', date '2000-01-01', '', n), ('marketing-days', sent_on, 'sent:' || channel, n),
      ('campaign-messages:' || campaign_id, '2000-01-01', status || ':' || coalesce(variant, ''), n),
      ('campaign-days:' || campaign_id, sent_on, 'sent', n),
      ('campaign-reasons:' || campaign_id, '2000-01-01', status || ':' || why, n)) as c (counter, day, key, n)
    where c.counter is not null and c.day is not null and c.key is not null group by 1, 2, 3, 4;
  else
    insert into counter_deltas (company_id, counter, day, key, n)
    select company_id, c.counter, c.day, c.key, sum(c.n) from (
      select company_id, channel, campaign_id, variant, status, sent_on, why, sum(n) as n from (
        select company_id, channel, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, -1 as n
        from before
        union all
        select company_id, channel, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end, 1
        from later
      ) changes group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0
    ) sums, lateral (values ('messages', date '2000-01-01', '', 0), ('marketing-days', sent_on, 'sent:' || channel, n),
      ('campaign-messages:' || campaign_id, '2000-01-01', status || ':' || coalesce(variant, ''), n),
      ('campaign-days:' || campaign_id, sent_on, 'sent', n),
      ('campaign-reasons:' || campaign_id, '2000-01-01', status || ':' || why, n)) as c (counter, day, key, n)
    where c.counter is not null and c.day is not null and c.key is not null
    group by 1, 2, 3, 4 having sum(c.n) <> 0 or c.counter = 'messages';
  end if;
  return null;
end $$;

-- Deleted messages leave the lists. Reports of campaigns count them under campaign-removed, so that their figures stay.
create or replace function count_messages_removed() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, key, n)
  select company_id, c.counter, c.key, sum(c.n) from (
    select company_id, campaign_id, variant, status, count(*) as n from gone group by 1, 2, 3, 4
  ) sums, lateral (values ('messages', '', -n),
    ('campaign-messages:' || campaign_id, status || ':' || coalesce(variant, ''), -n),
    ('campaign-removed:' || campaign_id, status || ':' || coalesce(variant, ''), n)) as c (counter, key, n)
  where c.counter is not null group by 1, 2, 3;
  return null;
end $$;

-- Counts activity: of a campaign by variant, day (UTC) and link, of a flow by step. Revenue in minor units.
create or replace function count_message_activity() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, day, key, n)
  select company_id, c.counter, c.day, c.key, sum(c.n)
  from (
    select a.company_id, a.type, a.amount, a.reference, (a.created_at at time zone 'UTC')::date as at,
      nullif(a.type, 'link_clicked') as shown, m.campaign_id, m.flow_id, m.step_id, m.channel, coalesce(m.variant, '') as variant,
      case when a.type <> 'converted' then null when m.flow_id is not null then 'flow' when m.campaign_id is not null then 'campaign' end as source,
      coalesce(m.flow_id, m.campaign_id) as source_id
    from added a join messages m on m.company_id = a.company_id and m.id = a.message_id
  ) happened, lateral (values
    ('campaign-activity:' || campaign_id, date '2000-01-01', shown || ':' || variant, 1),
    ('campaign-activity:' || campaign_id, '2000-01-01', 'revenue:' || variant, amount),
    ('campaign-links:' || campaign_id, '2000-01-01', case when type = 'link_clicked' then reference::text end, 1),
    ('campaign-days:' || campaign_id, at, shown, 1),
    ('campaign-days:' || campaign_id, at, 'revenue', amount),
    ('flow-activity:' || flow_id, '2000-01-01', type || ':' || step_id, 1),
    ('flow-activity:' || flow_id, '2000-01-01', 'revenue:' || step_id, amount),
    ('marketing-days', at, case when type in ('refused', 'bounced', 'complained') then type || ':' || channel end, 1),
    ('marketing-days', at, 'orders:' || source, 1),
    ('marketing-days', at, 'revenue:' || source, amount),
    ('marketing-sources', at, 'orders:' || source || ':' || source_id, 1),
    ('marketing-sources', at, 'revenue:' || source || ':' || source_id, amount)) as c (counter, day, key, n)
  where c.counter is not null and c.key is not null and c.n is not null
  group by 1, 2, 3, 4;
  return null;
end $$;

create or replace function exit_flow_runs(of_company bigint, ids bigint[], why text, at_moment timestamptz) returns bigint
language plpgsql as $$
declare ended bigint;
begin
  -- A merge of contacts without runs, as most are.
  if cardinality(ids) = 0 then return 0; end if;
  with gone as (
    update flow_runs set status = 'exited', reason = why, awaits = null, ended_at = at_moment, seq = seq + 1
    where company_id = of_company and id = any(ids) and status in ('active', 'paused')
    returning id, flow_id, version, step_id, seq
  ),
  types as (
    select g.flow_id, g.version, step ->> 'step_id' as step_id, step ->> 'type' as type
    from (select distinct flow_id, version from gone) g
    join flow_versions v on v.company_id = of_company and v.flow_id = g.flow_id and v.version = g.version
    cross join jsonb_array_elements(v.definition -> 'steps') step
  ),
  logged as (
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select of_company, id, seq, at_moment, jsonb_build_array(jsonb_build_object('step_id', step_id, 'type', type,
      'result', 'exited', 'detail', why))
    from gone left join types using (flow_id, version, step_id)
  ),
  counted as (
    insert into counter_deltas (company_id, counter, key, n)
    select of_company, 'flow:' || flow_id || ':' || at_step, metric, sum(n) from gone cross join lateral (values
      (step_id, 'waiting', -1), (step_id, 'exited', 1), ('', 'active', -1), ('', 'exited', 1)) c (at_step, metric, n)
    where at_step is not null group by flow_id, at_step, metric
  )
  select count(*) into ended from gone;
  return ended;
end $$;

drop function locate_page(bigint, text, text[], date, date, bigint), fold_list_counts(bigint), fold_flow_stats(bigint), fold_sales(bigint);
drop table list_spans;
drop table list_counts;
drop function sum_list_counts();
drop table list_count_deltas;
drop table flow_stats;
drop table flow_stat_deltas;
