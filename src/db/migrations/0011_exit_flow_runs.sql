-- Lets runs that go on exit where they stand, with a line in their log and in the numbers of their flows. A function,
-- because what ends runs from outside is in several folders: a flow that is archived, contacts that are merged.
create function exit_flow_runs(of_company bigint, ids bigint[], why text, at_moment timestamptz) returns bigint
language plpgsql as $$
declare ended bigint;
begin
  with gone as (
    update flow_runs set status = 'exited', reason = why, awaits = null, ended_at = at_moment, seq = seq + 1
    where company_id = of_company and id = any(ids) and status in ('active', 'paused')
    returning id, flow_id, version, step_id, seq
  ),
  types as (
    select g.flow_id, g.version, step ->> 'step_id' as step_id, step ->> 'type' as type
    from (select distinct flow_id, version from gone) g
    join flow_versions v on v.company_id = of_company and v.flow_id = g.flow_id and v.version = g.version
    cross join jsonb_array_elements(v.definition -> 'steps') step
  ),
  logged as (
    insert into flow_run_log (company_id, run_id, seq, at, entries)
    select of_company, id, seq, at_moment, jsonb_build_array(jsonb_build_object('step_id', step_id, 'type', type,
      'result', 'exited', 'detail', why))
    from gone left join types using (flow_id, version, step_id)
  ),
  counted as (
    insert into flow_stat_deltas (company_id, flow_id, step_id, metric, n)
    select of_company, flow_id, at_step, metric, sum(n) from gone cross join lateral (values
      (step_id, 'waiting', -1), (step_id, 'exited', 1), ('', 'active', -1), ('', 'exited', 1)) c (at_step, metric, n)
    where at_step is not null group by flow_id, at_step, metric
  )
  select count(*) into ended from gone;
  return ended;
end $$;
