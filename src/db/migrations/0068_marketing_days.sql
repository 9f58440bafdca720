-- What the home page of the admin app shows of marketing, kept by day (UTC) in list_counts. Of a million messages each took seconds to
-- count. A year is read at once, so that what is asked for together stands together:
--   marketing-days     `sent:email`, `refused:email`, `bounced:email`, `complained:email` (by channel), `orders:flow`, `revenue:flow`,
--                      `orders:campaign`, `revenue:campaign` (minor units), `subscribed` and `unsubscribed` (contacts)
--   marketing-sources  `orders:flow:7`, `revenue:campaign:12`
--   list-growth        `subscribed:3` and `unsubscribed:3`, by the list's id
-- Triggers of their own: those that keep the other totals stay as they are.

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

-- Of its owner's rights, since the jobs belong to no company.
create function is_counting(table_name text) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from count_jobs where source = table_name and finished_at is null)
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

-- Messages by the day on which they were sent: `sent:email`.
create function count_marketing_days() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if is_counting('messages') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'messages', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date, 'sent:' || channel, count(*)
    from later where status = 'sent' and coalesce(handed_over_at, ended_at) is not null group by 1, 4, 5;
  elsif tg_op = 'UPDATE' then
    if is_counting('messages') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'messages', id, '', totals_of_message(status, channel, coalesce(handed_over_at, ended_at)) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, day, 'sent:' || channel, sum(n) from (
      select company_id, channel, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date as day, -1 as n
      from before where status = 'sent'
      union all
      select company_id, channel, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date, 1
      from later where status = 'sent'
    ) changes
    where day is not null group by company_id, day, channel having sum(n) <> 0;
  else
    if is_counting('messages') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'messages', id, '', totals_of_message(status, channel, coalesce(handed_over_at, ended_at)) from before
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
create trigger count_days_inserted after insert on messages referencing new table as later for each statement execute function count_marketing_days();
create trigger count_days_updated after update on messages referencing old table as before new table as later for each statement execute function count_marketing_days();
-- Counts nothing: for the job alone.
create trigger count_days_deleted after delete on messages referencing old table as before for each statement execute function count_marketing_days();

create function count_marketing_activity() returns trigger language plpgsql as $$
begin
  if is_counting('message_activity') then
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
create function count_growth_of_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if is_counting('contacts') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'contacts', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, (updated_at at time zone 'UTC')::date, 'subscribed', count(*)
    from later where status <> 'unsubscribed' group by 1, 4;
  elsif tg_op = 'UPDATE' then
    if is_counting('contacts') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'contacts', id, '', totals_of_contact(status, email_consent, created_at, email_consent_at) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, day, case when goes then 'unsubscribed' else 'subscribed' end, count(*) from (
      select company_id, max(day) as day, bool_or(is_new and gone) as goes from (
        select company_id, id, null::date as day, false as is_new, status = 'unsubscribed' as gone from before
        union all
        select company_id, id, (updated_at at time zone 'UTC')::date, true, status = 'unsubscribed' from later
      ) states
      group by company_id, id having bool_or(gone) and not bool_and(gone)
    ) changes
    group by 1, 4, 5;
  else
    if is_counting('contacts') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'contacts', id, '', totals_of_contact(status, email_consent, created_at, email_consent_at) from before
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
create trigger count_growth_inserted after insert on contacts referencing new table as later for each statement execute function count_growth_of_contacts();
create trigger count_growth_updated after update on contacts referencing old table as before new table as later for each statement execute function count_growth_of_contacts();
-- Counts nothing: for the job alone.
create trigger count_growth_deleted after delete on contacts referencing old table as before for each statement execute function count_growth_of_contacts();

-- Memberships of lists. One that is older than its row came with a merged contact, and was counted as theirs.
create function count_growth_of_lists() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if is_counting('list_memberships') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'list_memberships', contact_id, list_id::text, '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list-growth', 0, (updated_at at time zone 'UTC')::date, 'subscribed:' || list_id, count(*)
    from later where status = 'active' and created_at = updated_at group by 1, 4, 5;
  elsif tg_op = 'UPDATE' then
    if is_counting('list_memberships') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'list_memberships', contact_id, list_id::text, totals_of_membership(list_id, status, created_at, updated_at)
      from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list-growth', 0, day,
      case status when 'active' then 'subscribed:' else 'unsubscribed:' end || list_id, count(*)
    from (
      select company_id, list_id, max(day) as day, max(becomes) as status from (
        select company_id, list_id, contact_id, null::date as day, status as was, null as becomes from before
        union all
        select company_id, list_id, contact_id, (updated_at at time zone 'UTC')::date, null, status from later
      ) states
      group by company_id, list_id, contact_id having max(was) <> max(becomes) and max(becomes) in ('active', 'unsubscribed')
    ) changes
    group by 1, 4, 5;
  else
    if is_counting('list_memberships') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'list_memberships', contact_id, list_id::text, totals_of_membership(list_id, status, created_at, updated_at)
      from before
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
create trigger count_growth_inserted after insert on list_memberships referencing new table as later for each statement execute function count_growth_of_lists();
create trigger count_growth_updated after update on list_memberships referencing old table as before new table as later for each statement execute function count_growth_of_lists();
-- Counts nothing: for the job alone.
create trigger count_growth_deleted after delete on list_memberships referencing old table as before for each statement execute function count_growth_of_lists();

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
