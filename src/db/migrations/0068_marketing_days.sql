-- What the home page of the admin app shows of marketing, kept by day (UTC) in list_counts. Of a million messages each took seconds to
-- count. A year is read at once, so that what is asked for together stands together:
--   marketing-days     `sent:email`, `refused:email`, `bounced:email`, `complained:email` (by channel), `orders:flow`, `revenue:flow`,
--                      `orders:campaign`, `revenue:campaign` (minor units), `subscribed` and `unsubscribed` (contacts)
--   marketing-sources  `orders:flow:7`, `revenue:campaign:12`
--   list-growth        `subscribed:3` and `unsubscribed:3`, by the list's id
-- Triggers of their own: those that keep the other totals stay as they are.

-- What others write meanwhile would be counted neither by the triggers nor below.
lock table contacts, list_memberships, messages, message_activity in share row exclusive mode;

-- Messages by the day on which they were sent: `sent:email`.
create function count_marketing_days() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date, 'sent:' || channel, count(*)
    from later where status = 'sent' and coalesce(handed_over_at, ended_at) is not null group by 1, 4, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, day, 'sent:' || channel, sum(n) from (
      select company_id, channel, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date as day, -1 as n
      from before where status = 'sent'
      union all
      select company_id, channel, (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date, 1
      from later where status = 'sent'
    ) changes
    where day is not null group by company_id, day, channel having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_days_inserted after insert on messages referencing new table as later for each statement execute function count_marketing_days();
create trigger count_days_updated after update on messages referencing old table as before new table as later for each statement execute function count_marketing_days();

create function count_marketing_activity() returns trigger language plpgsql as $$
begin
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
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'marketing-days', 0, (updated_at at time zone 'UTC')::date, 'subscribed', count(*)
    from later where status <> 'unsubscribed' group by 1, 4;
  else
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
  end if;
  return null;
end $$;
create trigger count_growth_inserted after insert on contacts referencing new table as later for each statement execute function count_growth_of_contacts();
create trigger count_growth_updated after update on contacts referencing old table as before new table as later for each statement execute function count_growth_of_contacts();

-- Memberships of lists. One that is older than its row came with a merged contact, and was counted as theirs.
create function count_growth_of_lists() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'list-growth', 0, (updated_at at time zone 'UTC')::date, 'subscribed:' || list_id, count(*)
    from later where status = 'active' and created_at = updated_at group by 1, 4, 5;
  else
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
  end if;
  return null;
end $$;
create trigger count_growth_inserted after insert on list_memberships referencing new table as later for each statement execute function count_growth_of_lists();
create trigger count_growth_updated after update on list_memberships referencing old table as before new table as later for each statement execute function count_growth_of_lists();

-- What is there already. Of campaigns the days are kept, those of messages that were removed for their age among them; orders that followed
-- messages of flows are counted as long as the messages are there.
with sold as (
  select company_id, day, case facet when 'converted' then 'orders' else 'revenue' end as kind, 'campaign' as source,
    split_part(list, ':', 2) as source_id, n
  from (
    select company_id, list, day, facet, n from list_counts union all select company_id, list, day, facet, n from list_count_deltas
  ) kept
  where list like 'campaign-days:%' and facet in ('converted', 'revenue')
  union all
  select a.company_id, (a.created_at at time zone 'UTC')::date, kept.kind, 'flow', m.flow_id::text, sum(kept.n)
  from message_activity a join messages m on m.company_id = a.company_id and m.id = a.message_id,
    lateral (values ('orders', 1), ('revenue', a.amount)) as kept (kind, n)
  where a.type = 'converted' and m.flow_id is not null and kept.n is not null
  group by 1, 2, 3, 5
)
insert into list_counts (company_id, list, bucket, day, facet, n)
select company_id, list, 0, day, facet, sum(n) from (
  select company_id, 'marketing-days' as list, day, kind || ':' || source as facet, n from sold
  union all
  select company_id, 'marketing-sources', day, kind || ':' || source || ':' || source_id, n from sold
  union all
  select company_id, 'marketing-days', (coalesce(handed_over_at, ended_at) at time zone 'UTC')::date, 'sent:' || channel, count(*)
  from messages where status = 'sent' and coalesce(handed_over_at, ended_at) is not null group by 1, 3, 4
  union all
  select a.company_id, 'marketing-days', (a.created_at at time zone 'UTC')::date, a.type || ':' || m.channel, count(*)
  from message_activity a join messages m on m.company_id = a.company_id and m.id = a.message_id
  where a.type in ('refused', 'bounced', 'complained') group by 1, 3, 4
  -- Of earlier changes of contacts and memberships only the last is known: when each came, and when those who are gone went.
  union all
  select company_id, 'list-growth', (created_at at time zone 'UTC')::date, 'subscribed:' || list_id, count(*)
  from list_memberships where status <> 'pending' group by 1, 3, 4
  union all
  select company_id, 'list-growth', (updated_at at time zone 'UTC')::date, 'unsubscribed:' || list_id, count(*)
  from list_memberships where status = 'unsubscribed' group by 1, 3, 4
  union all
  select company_id, 'marketing-days', (created_at at time zone 'UTC')::date, 'subscribed', count(*)
  from contacts where status <> 'unsubscribed' group by 1, 3
  union all
  select company_id, 'marketing-days', (email_consent_at at time zone 'UTC')::date, 'unsubscribed', count(*)
  from contacts where status = 'unsubscribed' and email_consent = 'unsubscribed' and email_consent_at is not null group by 1, 3
) days
group by company_id, list, day, facet having sum(n) <> 0;
