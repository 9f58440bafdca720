-- What the home page of the admin app shows of marketing, kept by day (UTC) in list_counts. Of a million messages each took seconds to
-- count. A year is read at once, so that what is asked for together stands together:
--   marketing-days     `sent:email`, `refused:email`, `bounced:email`, `complained:email` (by channel), `orders:flow`, `revenue:flow`,
--                      `orders:campaign`, `revenue:campaign` (minor units), `subscribed` and `unsubscribed` (contacts)
--   marketing-sources  `orders:flow:7`, `revenue:campaign:12`
--   list-growth        `subscribed:3` and `unsubscribed:3`, by the list's id
-- By the triggers that keep the other totals of these tables where that is possible: a second one would cost as much again (decision 261).

-- Rows that were there before the triggers that count them are counted in the background (src/db/counting, decision 258): one job for each
-- table, whole ids of one company at a time. Nobody waits for them.
create table count_jobs (
  -- The table.
  source text primary key,
  -- The company whose rows are being counted, or the last one before; and the last id of it that was counted.
  after_company_id bigint not null default 0,
  after_id bigint not null default 0,
  counted bigint not null default 0,
  finished_at timestamptz
);

create type list_total as (list text, bucket bigint, day date, facet text, n bigint);

-- What rows that were changed since came to when the job began, so that it counts the state of that moment: nothing for those that were
-- added. Emptied as the job goes on.
create table count_job_rows (
  company_id bigint not null,
  source text not null,
  -- What the job goes by, such as the message of an activity.
  id bigint not null,
  -- Tells rows of one id apart.
  part text not null,
  totals list_total[] not null,
  primary key (company_id, source, id, part)
);

-- With its owner's rights, since the jobs belong to no company; a function with them costs triggers more. `offset` lets nobody write to it.
create view open_count_jobs as select source from count_jobs where finished_at is null offset 0;
create function is_counting(table_name text) returns boolean language sql stable as $$
  select exists (select from open_count_jobs where source = table_name)
$$;

create function totals_of_message(status text, channel text, sent_at timestamptz) returns list_total[] language sql stable as $$
  select case when status = 'sent' and sent_at is not null
    then array[('marketing-days', 0, (sent_at at time zone 'UTC')::date, 'sent:' || channel, 1)::list_total] else '{}' end
$$;

-- Of campaigns the orders are counted already (see below).
create function totals_of_activity(type text, moment timestamptz, amount bigint, channel text, flow_id bigint) returns list_total[]
language sql stable as $$
  select case
    when type = 'converted' and flow_id is not null then array[
      ('marketing-days', 0, (moment at time zone 'UTC')::date, 'orders:flow', 1)::list_total,
      ('marketing-sources', 0, (moment at time zone 'UTC')::date, 'orders:flow:' || flow_id, 1)::list_total]
      || case when amount is null then '{}' else array[
      ('marketing-days', 0, (moment at time zone 'UTC')::date, 'revenue:flow', amount)::list_total,
      ('marketing-sources', 0, (moment at time zone 'UTC')::date, 'revenue:flow:' || flow_id, amount)::list_total] end
    when type in ('refused', 'bounced', 'complained')
    then array[('marketing-days', 0, (moment at time zone 'UTC')::date, type || ':' || channel, 1)::list_total]
    else '{}' end
$$;

-- Of earlier changes of contacts and memberships only the last is known: when each came, and when those who are gone went.
create function totals_of_contact(status text, email_consent text, created_at timestamptz, email_consent_at timestamptz)
returns list_total[] language sql stable as $$
  select case
    when status <> 'unsubscribed'
    then array[('marketing-days', 0, (created_at at time zone 'UTC')::date, 'subscribed', 1)::list_total]
    when email_consent = 'unsubscribed' and email_consent_at is not null
    then array[('marketing-days', 0, (email_consent_at at time zone 'UTC')::date, 'unsubscribed', 1)::list_total]
    else '{}' end
$$;
create function totals_of_membership(list_id bigint, status text, created_at timestamptz, updated_at timestamptz)
returns list_total[] language sql stable as $$
  select case when status = 'pending' then '{}' else
    array[('list-growth', 0, (created_at at time zone 'UTC')::date, 'subscribed:' || list_id, 1)::list_total] end
    || case when status = 'unsubscribed'
    then array[('list-growth', 0, (updated_at at time zone 'UTC')::date, 'unsubscribed:' || list_id, 1)::list_total] else '{}' end
$$;

-- What others write meanwhile would be counted neither by the triggers nor by the jobs.
lock table contacts, list_memberships, messages, message_activity in share row exclusive mode;

-- Messages by the day on which they were sent: `sent:email`, by the triggers that keep their other totals.
create or replace function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'messages') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'messages', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, kept.bucket, kept.day, kept.facet, n from (
      select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status,
        case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
        case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, count(*) as n
      from later group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ) sums, lateral (values ('messages', bucket, date '2000-01-01', status || ':' || channel),
      ('flow-messages:' || flow_id, bucket, '2000-01-01', status || ':'),
      ('campaign-messages:' || campaign_id, bucket, '2000-01-01', status || ':' || coalesce(variant, '')),
      ('campaign-days:' || campaign_id, 0, sent_on, 'sent'), ('marketing-days', 0, sent_on, 'sent:' || channel),
      ('campaign-reasons:' || campaign_id, 0, '2000-01-01', status || ':' || why)) as kept (list, bucket, day, facet)
    where kept.list is not null and kept.day is not null and kept.facet is not null;
  else
    if exists (select from open_count_jobs where source = 'messages') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'messages', id, '', totals_of_message(status, channel, coalesce(handed_over_at, ended_at)) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, kept.bucket, kept.day, kept.facet, n from (
      select company_id, bucket, channel, flow_id, campaign_id, variant, status, sent_on, why, sum(n) as n from (
        select company_id, id / 4096 as bucket, channel, flow_id, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end as sent_on,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end as why, -1 as n
        from before
        union all
        select company_id, id / 4096, channel, flow_id, campaign_id, variant, status,
          case when status = 'sent' then (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date end,
          case when status in ('failed', 'skipped', 'unknown') then coalesce(reason, '') end, 1
        from later
      ) changes group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum(n) <> 0
    ) sums, lateral (values ('messages', bucket, date '2000-01-01', status || ':' || channel),
      ('flow-messages:' || flow_id, bucket, '2000-01-01', status || ':'),
      ('campaign-messages:' || campaign_id, bucket, '2000-01-01', status || ':' || coalesce(variant, '')),
      ('campaign-days:' || campaign_id, 0, sent_on, 'sent'), ('marketing-days', 0, sent_on, 'sent:' || channel),
      ('campaign-reasons:' || campaign_id, 0, '2000-01-01', status || ':' || why)) as kept (list, bucket, day, facet)
    where kept.list is not null and kept.day is not null and kept.facet is not null;
  end if;
  return null;
end $$;

-- Counts nothing: for the job alone.
create function note_removed_messages() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'messages') then
    insert into count_job_rows (company_id, source, id, part, totals)
    select company_id, 'messages', id, '', totals_of_message(status, channel, coalesce(handed_over_at, ended_at)) from before
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger note_removed after delete on messages referencing old table as before
  for each statement execute function note_removed_messages();

create function count_marketing_activity() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'message_activity') then
    insert into count_job_rows (company_id, source, id, part, totals)
    select company_id, 'message_activity', message_id, type || ':' || reference, '{}' from added
    on conflict do nothing;
  end if;
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, kept.list, 0, day, kept.facet, sum(kept.n)
  from (
    select m.company_id, (a.created_at at time zone 'UTC')::date as day, a.type, m.channel,
      case when a.type <> 'converted' then null when m.flow_id is not null then 'flow' when m.campaign_id is not null then 'campaign' end as source,
      coalesce(m.flow_id, m.campaign_id) as source_id, count(*) as n, sum(a.amount) as amount
    from added a join messages m on m.company_id = a.company_id and m.id = a.message_id
    where a.type in ('refused', 'bounced', 'complained', 'converted')
    group by 1, 2, 3, 4, 5, 6
  ) sums, lateral (values
    ('marketing-days', case when type <> 'converted' then type || ':' || channel end, n),
    ('marketing-days', 'orders:' || source, n), ('marketing-days', 'revenue:' || source, amount),
    ('marketing-sources', 'orders:' || source || ':' || source_id, n),
    ('marketing-sources', 'revenue:' || source || ':' || source_id, amount)) as kept (list, facet, n)
  where kept.facet is not null and kept.n is not null
  group by 1, 2, 4, 5;
  return null;
end $$;
create trigger count_days_inserted after insert on message_activity referencing new table as added for each statement execute function count_marketing_activity();

-- Contacts who come and go. A bounce is nobody's word, and neither is an address that replaces it.
create or replace function count_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'contacts') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'contacts', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(n) from (
      select company_id, id / 4096 as bucket, status, (updated_at at time zone 'UTC')::date as came_on, count(*) as n
      from later group by 1, 2, 3, 4
    ) sums, lateral (values ('contacts', bucket, date '2000-01-01', status),
      ('marketing-days', 0, came_on, case when status <> 'unsubscribed' then 'subscribed' end)) as kept (list, bucket, day, facet)
    where kept.facet is not null group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    if exists (select from open_count_jobs where source = 'contacts') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'contacts', id, '', totals_of_contact(status, email_consent, created_at, email_consent_at) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'contacts', id / 4096, '2000-01-01', status, -count(*) from before group by 1, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'contacts', bucket, '2000-01-01', facet, sum(n) from (
      select company_id, id / 4096 as bucket, status as facet, -1 as n from before
      union all
      select company_id, id / 4096, status, 1 from later
    ) changes
    group by company_id, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;

-- By row, since hardly any change of a contact is about this.
create function count_changed_contact() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'contacts') then
    insert into count_job_rows (company_id, source, id, part, totals)
    values (old.company_id, 'contacts', old.id, '',
      totals_of_contact(old.status, old.email_consent, old.created_at, old.email_consent_at))
    on conflict do nothing;
  end if;
  if (old.status = 'unsubscribed') <> (new.status = 'unsubscribed') then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    values (new.company_id, 'marketing-days', 0, (new.updated_at at time zone 'UTC')::date,
      case when new.status = 'unsubscribed' then 'unsubscribed' else 'subscribed' end, 1);
  end if;
  return null;
end $$;
create trigger count_growth_updated after update on contacts for each row
  when (old.status <> new.status or old.email_consent <> new.email_consent
    or old.email_consent_at is distinct from new.email_consent_at or old.created_at <> new.created_at)
  execute function count_changed_contact();

-- Memberships of lists. One that is older than its row came with a merged contact, and was counted as theirs.
create or replace function count_list_memberships() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'list_memberships') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'list_memberships', contact_id, list_id::text, '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(n) from (
      select company_id, list_id, contact_id / 4096 as bucket, status,
        case when status = 'active' and created_at = updated_at then (updated_at at time zone 'UTC')::date end as came_on, count(*) as n
      from later group by 1, 2, 3, 4, 5
    ) sums, lateral (values ('list:' || list_id, bucket, date '2000-01-01', status),
      ('list-growth', 0, came_on, 'subscribed:' || list_id)) as kept (list, bucket, day, facet)
    where kept.day is not null group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    if exists (select from open_count_jobs where source = 'list_memberships') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'list_memberships', contact_id, list_id::text,
        totals_of_membership(list_id, status, created_at, updated_at) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list:' || list_id, contact_id / 4096, '2000-01-01', status, -count(*) from before group by 1, 2, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, list, bucket, '2000-01-01', facet, sum(n) from (
      select company_id, 'list:' || list_id as list, contact_id / 4096 as bucket, status as facet, -1 as n from before
      union all
      select company_id, 'list:' || list_id, contact_id / 4096, status, 1 from later
    ) changes
    group by company_id, list, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;

create function count_changed_membership() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'list_memberships') then
    insert into count_job_rows (company_id, source, id, part, totals)
    values (old.company_id, 'list_memberships', old.contact_id, old.list_id::text,
      totals_of_membership(old.list_id, old.status, old.created_at, old.updated_at)),
      -- One that went to another contact stands there as well: it was nothing there.
      (new.company_id, 'list_memberships', new.contact_id, new.list_id::text, '{}')
    on conflict do nothing;
  end if;
  if new.status in ('active', 'unsubscribed') and old.status <> new.status
    and (old.list_id, old.contact_id) = (new.list_id, new.contact_id) then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    values (new.company_id, 'list-growth', 0, (new.updated_at at time zone 'UTC')::date,
      case new.status when 'active' then 'subscribed:' else 'unsubscribed:' end || new.list_id, 1);
  end if;
  return null;
end $$;
create trigger count_growth_updated after update on list_memberships for each row
  when (old.status <> new.status or old.updated_at <> new.updated_at or old.created_at <> new.created_at
    or (old.list_id, old.contact_id) <> (new.list_id, new.contact_id))
  execute function count_changed_membership();

-- What is there already. Of campaigns the days are kept, those of messages that were removed for their age among them; they are few. Orders
-- that followed messages of flows are counted as long as the messages are there.
with sold as (
  select company_id, day, case facet when 'converted' then 'orders' else 'revenue' end as kind, split_part(list, ':', 2) as campaign, n
  from (
    select company_id, list, day, facet, n from list_counts union all select company_id, list, day, facet, n from list_count_deltas
  ) kept
  where list like 'campaign-days:%' and facet in ('converted', 'revenue')
)
insert into list_counts (company_id, list, bucket, day, facet, n)
select company_id, list, 0, day, facet, sum(n) from (
  select company_id, 'marketing-days' as list, day, kind || ':campaign' as facet, n from sold
  union all
  select company_id, 'marketing-sources', day, kind || ':campaign:' || campaign, n from sold
) days
group by company_id, list, day, facet having sum(n) <> 0;
insert into count_jobs (source, finished_at) values
  ('messages', case when not exists (select from messages) then now() end),
  ('message_activity', case when not exists (select from message_activity) then now() end),
  ('contacts', case when not exists (select from contacts) then now() end),
  ('list_memberships', case when not exists (select from list_memberships) then now() end);
