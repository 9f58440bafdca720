import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

/** The counters of flows (step_id '') and steps; see report/stats.ts. */
const NUMBERS = sql`(
  select company_id, split_part(counter, ':', 2)::bigint as flow_id, substr(counter, length(split_part(counter, ':', 2)) + 7) as step_id,
    key as metric, sum(n) as n
  from counters where counter >= 'flow:' and counter < 'flow;' group by company_id, counter, key
) kept`;

export const flowInvariants: Invariant[] = [
  {
    id: 'I7.runs',
    promise: 'An event starts a flow at most once',
    fix: 'Look at the runs of the flow that name the same event',
    violations: sql`
      select company_id, 'flow ' || flow_id || ' event ' || event_id as subject
      from flow_runs where event_id is not null and state ->> 'hops' = '0'
      group by company_id, flow_id, event_id having count(*) > 1
      limit 1000`,
  },
  {
    id: 'I8.steps',
    promise: 'Every live run has its version, and is at one of its steps',
    fix: 'Archive the flow, or migrate its runs to a version that has the step',
    violations: sql`
      select r.company_id, 'run ' || r.id as subject
      from flow_runs r
      left join flow_versions v on v.company_id = r.company_id and v.flow_id = r.flow_id and v.version = r.version
      where r.status in ('active', 'paused') and (v.version is null or (r.step_id is not null and not exists (
        select 1 from jsonb_array_elements(v.definition -> 'steps') step where step ->> 'step_id' = r.step_id)))
      limit 1000`,
  },
  {
    id: 'I8.effects',
    promise: 'No step of a run wrote more messages or notifications than the run visited it',
    fix: 'Look at the messages and notifications of the run',
    violations: sql`
      select m.company_id, 'run ' || m.run_id || ' step ' || m.step_id as subject
      from (
        select company_id, run_id, step_id, 'message' as kind from messages
        union all select company_id, run_id, step_id, 'notification' from flow_notifications
      ) m
      join flow_runs r on r.company_id = m.company_id and r.id = m.run_id
      group by m.company_id, m.run_id, m.step_id, m.kind, r.state
      having count(*) > coalesce((r.state -> 'visits' ->> m.step_id)::int, 0)
      limit 1000`,
  },
  {
    id: 'I8.webhooks',
    promise: 'A run that waits for a webhook has a pending call, or a signal with the response',
    fix: 'The run goes on by the branch failed a day after its call at the latest',
    violations: sql`
      select r.company_id, 'run ' || r.id as subject
      from flow_webhook_calls c
      join flow_runs r on r.company_id = c.company_id and r.id = c.run_id
      where c.status <> 'pending' and r.status in ('active', 'paused') and r.step_id = c.step_id
        and r.outcome = 'failed' and (r.state -> 'visits' ->> c.step_id)::int = c.visit
        and r.due_at > c.created_at and not exists (
          select 1 from flow_signals s where s.company_id = r.company_id and s.run_id = r.id)
        and not exists (
          select 1 from flow_webhook_calls other where other.company_id = c.company_id and other.run_id = c.run_id
            and other.status = 'pending')
      limit 1000`,
  },
  {
    id: 'flows.tries',
    promise: 'Tasks and events of flows are processed',
    fix: 'The log has the reason; it is retried at least every hour',
    violations: sql`
      select company_id, 'flow ' || flow_id || ' ' || kind || ': ' || error as subject
      from flow_tasks where attempts >= 5 and error is not null
      union all
      select company_id, 'flow ' || flow_id || ' event of run ' || run_id || ': ' || error
      from flow_emissions where attempts >= 5
      limit 1000`,
  },
  {
    id: 'flows.numbers',
    promise: 'The counters of flows equal the counts of their runs',
    fix: 'Rebuild the numbers of the flow from its runs',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id,
        'flow ' || coalesce(kept.flow_id, counted.flow_id) || ' ' || coalesce(kept.metric, counted.metric) as subject
      from ${NUMBERS}
      full join (
        select company_id, flow_id, metric, sum(n) as n from (
          select company_id, flow_id, metric, count(*) as n
          from flow_runs cross join lateral (values
            ('entered'), (case when status = 'paused' then 'active' else status end)) m (metric)
          group by company_id, flow_id, metric
          union all
          -- Runs that were removed for their age.
          select r.company_id, r.flow_id, m.metric, r.n from (select * from ${NUMBERS} where step_id = '' and metric like 'removed\\_%') r
          cross join lateral (values ('entered'), (substr(r.metric, 9))) m (metric)
        ) runs group by company_id, flow_id, metric
      ) counted on kept.company_id = counted.company_id and kept.flow_id = counted.flow_id
        and kept.metric = counted.metric and kept.step_id = ''
      where (kept.step_id is null or kept.step_id = '')
        and coalesce(kept.metric, counted.metric) in ('entered', 'active', 'completed', 'exited', 'failed')
        and coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
  {
    id: 'flows.waiting',
    promise: 'The number of runs that wait at a step equals their count',
    fix: 'Rebuild the numbers of the flow from its runs',
    violations: sql`
      select coalesce(kept.company_id, counted.company_id) as company_id,
        'flow ' || coalesce(kept.flow_id, counted.flow_id) || ' step ' || coalesce(kept.step_id, counted.step_id) as subject
      from (select * from ${NUMBERS} where metric = 'waiting' and step_id <> '') kept
      full join (
        select company_id, flow_id, step_id, count(*) as n from flow_runs
        where status in ('active', 'paused') and step_id is not null group by company_id, flow_id, step_id
      ) counted using (company_id, flow_id, step_id)
      where coalesce(kept.n, 0) <> coalesce(counted.n, 0)
      limit 1000`,
  },
];
