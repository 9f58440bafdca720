-- What cannot be done now is tried again later, alone: due_at says when, and error what was in the way the last time.
alter table flow_tasks
  add column attempts int not null default 0,
  add column due_at timestamptz not null default '-infinity',
  add column error text;
alter table flow_emissions
  add column attempts int not null default 0,
  add column due_at timestamptz not null default '-infinity',
  add column error text;

-- In pieces: what has gathered while nobody folded must not be one statement that takes too long for ever.
drop function fold_flow_stats();
create function fold_flow_stats(at_most bigint default 50000) returns bigint language plpgsql as $$
declare folded bigint;
begin
  -- One folder at a time: two would wait for each other's rows.
  if not pg_try_advisory_xact_lock(7265319405) then return 0; end if;
  with gone as (
    delete from flow_stat_deltas where ctid = any(array(select ctid from flow_stat_deltas limit at_most)) returning *
  ),
  sums as (
    select company_id, flow_id, step_id, metric, sum(n) as n, count(*) as deltas from gone
    group by company_id, flow_id, step_id, metric order by 1, 2, 3, 4
  ),
  written as (
    insert into flow_stats as s (company_id, flow_id, step_id, metric, n)
    select company_id, flow_id, step_id, metric, n from sums
    on conflict (company_id, flow_id, step_id, metric) do update set n = s.n + excluded.n
  )
  select coalesce(sum(deltas), 0) into folded from sums;
  return folded;
end $$;
