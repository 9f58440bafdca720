-- Kept totals (see list_counts): an endpoint's webhook deliveries and a flow's runs, by status. Rows that are there already are counted in the background (see migration 0068).

create function totals_of_delivery(endpoint_id bigint, id bigint, status text) returns list_total[] language sql stable as $$
  select array[('webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, 1)::list_total]
$$;
-- The status that runs are listed by: a run that came due while its flow is paused is shown as active.
create function run_state(status text) returns text language sql immutable parallel safe as $$
  select case status when 'paused' then 'active' else status end
$$;
create function totals_of_run(flow_id bigint, id bigint, status text) returns list_total[] language sql stable as $$
  select array[('flow-runs:' || flow_id, id / 4096, '2000-01-01', run_state(status), 1)::list_total]
$$;

create function count_webhook_deliveries() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'webhook_deliveries') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'webhook_deliveries', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, count(*) from later group by 1, 2, 3, 5;
  elsif tg_op = 'DELETE' then
    if exists (select from open_count_jobs where source = 'webhook_deliveries') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'webhook_deliveries', id, '', totals_of_delivery(endpoint_id, id, status) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'webhook-deliveries:' || endpoint_id, id / 4096, '2000-01-01', status, -count(*) from before group by 1, 2, 3, 5;
  else
    if exists (select from open_count_jobs where source = 'webhook_deliveries') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'webhook_deliveries', id, '', totals_of_delivery(endpoint_id, id, status) from before
      on conflict do nothing;
    end if;
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
insert into count_jobs (source, finished_at)
  values ('webhook_deliveries', case when not exists (select from webhook_deliveries) then now() end);

create function count_flow_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'flow_runs') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'flow_runs', id, '', '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'flow-runs:' || flow_id, id / 4096, '2000-01-01', run_state(status), count(*) from later group by 1, 2, 3, 5;
  else
    if exists (select from open_count_jobs where source = 'flow_runs') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'flow_runs', id, '', totals_of_run(flow_id, id, status) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'flow-runs:' || flow_id, id / 4096, '2000-01-01', run_state(status), -count(*) from before group by 1, 2, 3, 5;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on flow_runs referencing new table as later
  for each statement execute function count_flow_runs();
create trigger count_deleted after delete on flow_runs referencing old table as before
  for each statement execute function count_flow_runs();

-- A run changes its status once or twice, and its row with every step: a trigger for each statement would cost every step.
create function count_moved_run() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'flow_runs') then
    insert into count_job_rows (company_id, source, id, part, totals)
    values (old.company_id, 'flow_runs', old.id, '', totals_of_run(old.flow_id, old.id, old.status))
    on conflict do nothing;
  end if;
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  values (new.company_id, 'flow-runs:' || new.flow_id, new.id / 4096, '2000-01-01', run_state(old.status), -1),
    (new.company_id, 'flow-runs:' || new.flow_id, new.id / 4096, '2000-01-01', run_state(new.status), 1);
  return null;
end $$;
create trigger count_moved after update on flow_runs for each row
  when (run_state(old.status) <> run_state(new.status)) execute function count_moved_run();
insert into count_jobs (source, finished_at)
  values ('flow_runs', case when not exists (select from flow_runs) then now() end);
