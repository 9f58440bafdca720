-- Recipients to whom something happened are listed newest first; a late page of a million walked over all before it. What is counted of a
-- campaign's messages is kept by their ids, as other lists are, so that locate_page finds the page. Clicks of a link and revenue
-- list nobody: they stay in one bucket.

-- Transactions under way count by the function of before.
lock table message_activity in share row exclusive mode;
create or replace function count_message_activity() returns trigger language plpgsql as $$
begin
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select m.company_id, kept.list, kept.bucket, kept.day, kept.facet, sum(kept.n)
  from added a join messages m on m.company_id = a.company_id and m.id = a.message_id, lateral (values
    ('campaign-activity:' || m.campaign_id,
      case when a.type in ('opened', 'clicked', 'bounced', 'refused') then a.message_id / 4096 else 0 end, date '2000-01-01',
      case a.type when 'link_clicked' then 'link:' || a.reference else a.type || ':' || coalesce(m.variant, '') end, 1),
    ('campaign-activity:' || m.campaign_id, 0, '2000-01-01', 'revenue:' || coalesce(m.variant, ''), a.amount),
    ('campaign-days:' || m.campaign_id, 0, (a.created_at at time zone 'UTC')::date, nullif(a.type, 'link_clicked'), 1),
    ('campaign-days:' || m.campaign_id, 0, (a.created_at at time zone 'UTC')::date, 'revenue', a.amount),
    ('flow-activity:' || m.flow_id, 0, '2000-01-01', a.type || ':' || m.step_id, 1),
    ('flow-activity:' || m.flow_id, 0, '2000-01-01', 'revenue:' || m.step_id, a.amount)) as kept (list, bucket, day, facet, n)
  where kept.list is not null and kept.facet is not null and kept.n is not null
  group by 1, 2, 3, 4, 5;
  return null;
end $$;

-- Of what was counted before nobody knows where it is: those lists are walked through.
update list_counts set bucket = -1
where list like 'campaign-activity:%' and bucket = 0 and facet ~ '^(opened|clicked|bounced|refused):';
update list_count_deltas set bucket = -1
where list like 'campaign-activity:%' and bucket = 0 and facet ~ '^(opened|clicked|bounced|refused):';
