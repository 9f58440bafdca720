-- Recipients to whom something happened are listed newest first; a late page of a million walked over all before it. What is counted of a
-- campaign's messages is kept by their ids, as other lists are, so that locate_page finds the page. Clicks of a link and revenue
-- list nobody: they stay in one bucket.

-- Transactions under way count by the function of before.
lock table message_activity in share row exclusive mode;
create or replace function count_message_activity() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'message_activity') then
    insert into count_job_rows (company_id, source, id, part, totals)
    select company_id, 'message_activity', message_id, type || ':' || reference, '{}' from added
    on conflict do nothing;
  end if;
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(kept.n)
  from (
    select a.company_id, a.type, a.amount, a.message_id, a.reference, (a.created_at at time zone 'UTC')::date as at,
      m.campaign_id, m.flow_id, m.step_id, m.channel, coalesce(m.variant, '') as variant,
      case when a.type <> 'converted' then null when m.flow_id is not null then 'flow' when m.campaign_id is not null then 'campaign' end as source,
      coalesce(m.flow_id, m.campaign_id) as source_id
    from added a join messages m on m.company_id = a.company_id and m.id = a.message_id
  ) happened, lateral (values
    ('campaign-activity:' || campaign_id,
      case when type in ('opened', 'clicked', 'bounced', 'refused') then message_id / 4096 else 0 end, date '2000-01-01',
      case type when 'link_clicked' then 'link:' || reference else type || ':' || variant end, 1),
    ('campaign-activity:' || campaign_id, 0, '2000-01-01', 'revenue:' || variant, amount),
    ('campaign-days:' || campaign_id, 0, at, nullif(type, 'link_clicked'), 1),
    ('campaign-days:' || campaign_id, 0, at, 'revenue', amount),
    ('flow-activity:' || flow_id, 0, '2000-01-01', type || ':' || step_id, 1),
    ('flow-activity:' || flow_id, 0, '2000-01-01', 'revenue:' || step_id, amount),
    ('marketing-days', 0, at, case when type in ('refused', 'bounced', 'complained') then type || ':' || channel end, 1),
    ('marketing-days', 0, at, 'orders:' || source, 1),
    ('marketing-days', 0, at, 'revenue:' || source, amount),
    ('marketing-sources', 0, at, 'orders:' || source || ':' || source_id, 1),
    ('marketing-sources', 0, at, 'revenue:' || source || ':' || source_id, amount)) as kept (list, bucket, day, facet, n)
  where kept.list is not null and kept.facet is not null and kept.n is not null
  group by 1, 2, 3, 4, 5;
  return null;
end $$;
-- What it counted is counted there: a second trigger cost as much again.
drop trigger count_days_inserted on message_activity;
drop function count_marketing_activity();

-- Of what was counted before nobody knows where it is: those lists are walked through.
update list_counts set bucket = -1
where list like 'campaign-activity:%' and bucket = 0 and facet ~ '^(opened|clicked|bounced|refused):';
update list_count_deltas set bucket = -1
where list like 'campaign-activity:%' and bucket = 0 and facet ~ '^(opened|clicked|bounced|refused):';
