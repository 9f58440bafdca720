-- Kept totals (see list_counts): an endpoint's webhook deliveries by status, and a flow's runs, which change their status too often to
-- be kept by it.

create function count_webhook_deliveries() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, count(*) from later group by 1, 2, 3, 5;
  elsif tg_op = 'DELETE' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, -count(*) from before group by 1, 2, 3, 5;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'webhook-deliveries:' || endpoint_id, bucket, '2000-01-01', facet, sum(n) from (
      select company_id, endpoint_id, id / 4096 as bucket, status as facet, -1 as n from before
      union all
      select company_id, endpoint_id, id / 4096, status, 1 from later
    ) changes
    group by company_id, endpoint_id, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on webhook_deliveries referencing new table as later
  for each statement execute function count_webhook_deliveries();
create trigger count_updated after update on webhook_deliveries referencing old table as before new table as later
  for each statement execute function count_webhook_deliveries();
create trigger count_deleted after delete on webhook_deliveries referencing old table as before
  for each statement execute function count_webhook_deliveries();
insert into list_counts (company_id, list, bucket, day, facet, n)
select company_id, 'webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, count(*)
from webhook_deliveries group by 1, 2, 3, 5;

create function count_flow_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'flow-runs:' || flow_id, id / 4096, '2000-01-01', '', count(*) from later group by 1, 2, 3;
  else
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'flow-runs:' || flow_id, id / 4096, '2000-01-01', '', -count(*) from before group by 1, 2, 3;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on flow_runs referencing new table as later
  for each statement execute function count_flow_runs();
create trigger count_deleted after delete on flow_runs referencing old table as before
  for each statement execute function count_flow_runs();
insert into list_counts (company_id, list, bucket, day, facet, n)
select company_id, 'flow-runs:' || flow_id, id / 4096, '2000-01-01', '', count(*) from flow_runs group by 1, 2, 3;
