-- What was given back of orders that messages led to: `refunded` activity, by the event of the refund and at the time of the order.
-- Kept beside revenue: `refunded:variant` of campaign-activity, `refunded` of campaign-days, `refunded:step` of flow-activity,
-- `refunded:flow` and `refunded:campaign` of marketing-days, `refunded:flow:7` of marketing-sources; in minor units.
alter table message_activity drop constraint message_activity_type_check;
alter table message_activity add constraint message_activity_type_check check (type in (
  'refused', 'bounced', 'complained', 'unsubscribed', 'opened', 'machine_opened', 'clicked', 'link_clicked', 'converted', 'refunded'
)) not valid;

create or replace function count_message_activity() returns trigger language plpgsql as $$
begin
  insert into counter_deltas (company_id, counter, day, key, n)
  select company_id, c.counter, c.day, c.key, sum(c.n)
  from (
    select a.company_id, a.type, a.reference, (a.created_at at time zone 'UTC')::date as at,
      case when a.type not in ('link_clicked', 'refunded') then a.type end as shown,
      case a.type when 'converted' then 'revenue' when 'refunded' then 'refunded' end as money, a.amount,
      m.campaign_id, m.flow_id, m.step_id, m.channel, coalesce(m.variant, '') as variant,
      case when a.type not in ('converted', 'refunded') then null when m.flow_id is not null then 'flow' when m.campaign_id is not null then 'campaign' end as source,
      coalesce(m.flow_id, m.campaign_id) as source_id
    from added a join messages m on m.company_id = a.company_id and m.id = a.message_id
  ) happened, lateral (values
    ('campaign-activity:' || campaign_id, date '2000-01-01', shown || ':' || variant, 1),
    ('campaign-activity:' || campaign_id, '2000-01-01', money || ':' || variant, amount),
    ('campaign-links:' || campaign_id, '2000-01-01', case when type = 'link_clicked' then reference::text end, 1),
    ('campaign-days:' || campaign_id, at, shown, 1),
    ('campaign-days:' || campaign_id, at, money, amount),
    ('flow-activity:' || flow_id, '2000-01-01', case when type <> 'refunded' then type || ':' || step_id end, 1),
    ('flow-activity:' || flow_id, '2000-01-01', money || ':' || step_id, amount),
    ('marketing-days', at, case when type in ('refused', 'bounced', 'complained') then type || ':' || channel end, 1),
    ('marketing-days', at, case when type = 'converted' then 'orders:' || source end, 1),
    ('marketing-days', at, money || ':' || source, amount),
    ('marketing-sources', at, case when type = 'converted' then 'orders:' || source || ':' || source_id end, 1),
    ('marketing-sources', at, money || ':' || source || ':' || source_id, amount)) as c (counter, day, key, n)
  where c.counter is not null and c.key is not null and c.n is not null
  group by 1, 2, 3, 4;
  return null;
end $$;
