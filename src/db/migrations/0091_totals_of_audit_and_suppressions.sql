-- Kept totals (see list_counts): entries of the audit log by action, and each actor's by action; suppressions by channel and cause. Rows that
-- are there already are counted in the background (see migration 0068).

create function totals_of_entry(id bigint, actor text, action text) returns list_total[] language sql stable as $$
  select array[('audit', id / 4096, '2000-01-01', action, 1)::list_total,
    ('audit-actor:' || actor, id / 4096, '2000-01-01', action, 1)::list_total]
$$;
create function count_audit_log() returns trigger language plpgsql as $$
begin
  if exists (select from open_count_jobs where source = 'audit_log') then
    insert into count_job_rows (company_id, source, id, part, totals)
    select company_id, 'audit_log', id, '', '{}' from later
    on conflict do nothing;
  end if;
  insert into list_count_deltas (company_id, list, bucket, day, facet, n)
  select company_id, kept.list, id / 4096, '2000-01-01', action, count(*)
  from later, lateral (values ('audit'), ('audit-actor:' || actor)) as kept (list) group by 1, 2, 3, 5;
  return null;
end $$;
create trigger count_inserted after insert on audit_log referencing new table as later
  for each statement execute function count_audit_log();
insert into count_jobs (source, finished_at)
  values ('audit_log', case when not exists (select from audit_log) then now() end);

-- Suppressions have no ids and are listed by their moments: a bucket is a range of 4096 seconds.
create function suppression_second(moment timestamptz) returns bigint language sql immutable parallel safe as $$
  select floor(extract(epoch from moment - timestamptz 'epoch'))::bigint
$$;
create function totals_of_suppression(moment timestamptz, channel text, cause text) returns list_total[] language sql stable as $$
  select array[('suppressions', suppression_second(moment) / 4096, '2000-01-01', channel || ':' || cause, 1)::list_total]
$$;
create function suppression_part(channel text, hash bytea) returns text language sql immutable parallel safe as $$
  select channel || ':' || encode(hash, 'hex')
$$;
create function count_suppressions() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from open_count_jobs where source = 'suppressions') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'suppressions', suppression_second(created_at), suppression_part(channel, hash), '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'suppressions', suppression_second(created_at) / 4096, '2000-01-01', channel || ':' || cause, count(*)
    from later group by 1, 3, 5;
  elsif tg_op = 'DELETE' then
    if exists (select from open_count_jobs where source = 'suppressions') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'suppressions', suppression_second(created_at), suppression_part(channel, hash),
        totals_of_suppression(created_at, channel, cause) from before
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'suppressions', suppression_second(created_at) / 4096, '2000-01-01', channel || ':' || cause, -count(*)
    from before group by 1, 3, 5;
  else
    if exists (select from open_count_jobs where source = 'suppressions') then
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'suppressions', suppression_second(created_at), suppression_part(channel, hash),
        totals_of_suppression(created_at, channel, cause) from before
      on conflict do nothing;
      -- Where it has moved to it is counted already.
      insert into count_job_rows (company_id, source, id, part, totals)
      select company_id, 'suppressions', suppression_second(created_at), suppression_part(channel, hash), '{}' from later
      on conflict do nothing;
    end if;
    insert into list_count_deltas (company_id, list, bucket, day, facet, n)
    select company_id, 'suppressions', bucket, '2000-01-01', facet, sum(n) from (
      select company_id, suppression_second(created_at) / 4096 as bucket, channel || ':' || cause as facet, -1 as n from before
      union all
      select company_id, suppression_second(created_at) / 4096, channel || ':' || cause, 1 from later
    ) changes
    group by company_id, bucket, facet having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger count_inserted after insert on suppressions referencing new table as later
  for each statement execute function count_suppressions();
create trigger count_updated after update on suppressions referencing old table as before new table as later
  for each statement execute function count_suppressions();
create trigger count_deleted after delete on suppressions referencing old table as before
  for each statement execute function count_suppressions();
insert into count_jobs (source, finished_at)
  values ('suppressions', case when not exists (select from suppressions) then now() end);
