import type { Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { RunEvent } from '../engine/run.ts';
import type { TriggeredFlow } from './queries.ts';

/** One contact that is to enter a flow. */
export interface Entrant {
  flow: TriggeredFlow;
  contactId: number;
  event: RunEvent | null;
  correlation: Correlation | null;
  hops: number;
}

export interface StartedRun {
  id: number;
  flow_id: number;
  contact_id: number;
  event_id: number | null;
}

/** The entrants as rows, in their order. */
function entrantRows(entrants: Entrant[]): Statement {
  return sql`
    unnest(${entrants.map((e) => e.flow.flowId)}::bigint[], ${entrants.map((e) => e.flow.version)}::int[],
      ${entrants.map((e) => e.contactId)}::bigint[], ${entrants.map((e) => e.flow.reentry.concurrent)}::boolean[],
      ${entrants.map((e) => e.flow.listens.join(','))}::text[], ${entrants.map((e) => e.event?.event_id ?? null)}::bigint[],
      ${entrants.map((e) => (e.event === null ? null : JSON.stringify(e.event)))}::jsonb[],
      ${entrants.map((e) => e.hops)}::int[], ${entrants.map((e) => e.correlation)}::text[]) with ordinality
      as e (flow_id, version, contact_id, concurrent, listens, event_id, event, hops, correlation, n)`;
}

/**
 * Inserts runs for entrants without a limit on re-entry. A unique index allows a contact one live run in a flow, unless
 * the flow allows several. Inserts in the order of (flow, contact), so that two batches never deadlock.
 */
export function insertRuns(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<StartedRun[]> {
  return tx.query<StartedRun>(runsFrom(companyId, entrantRows(entrants), now));
}

function runsFrom(companyId: number, source: Statement, now: Date): Statement {
  return sql`
    insert into flow_runs (company_id, flow_id, version, contact_id, slot, due_at, listens, event_id, event,
      correlation, state, entered_at)
    select ${companyId}, e.flow_id, e.version, e.contact_id,
      case when e.concurrent then coalesce(-e.event_id, nextval('flow_run_slots')) else 0 end, ${now},
      string_to_array(e.listens, ','), e.event_id, e.event, e.correlation,
      jsonb_build_object('visits', '{}'::jsonb, 'vars', '{}'::jsonb, 'hops', e.hops), ${now}
    from ${source}
    order by e.flow_id, e.contact_id, e.n
    on conflict (company_id, contact_id, flow_id, slot) where status in ('active', 'paused') do nothing
    returning id, flow_id, contact_id, event_id`;
}

/**
 * Inserts runs for entrants of flows with a limit on re-entry: writing the row in flow_entries decides who enters. Runs from
 * before the limit was set also count; a live run prevents the entry without using it up.
 */
export function insertLimitedRuns(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<StartedRun[]> {
  const notAfter = entrants.map(({ flow: { reentry } }) =>
    reentry.mode === 'cooldown' ? new Date(now.getTime() - (reentry.hours ?? 0) * 3_600_000) : null,
  );
  return tx.query<StartedRun>(sql`
    with e as (
      select distinct on (e.flow_id, e.contact_id) e.*, coalesce(l.not_after, '-infinity') as not_after
      from ${entrantRows(entrants)}
      join unnest(${notAfter}::timestamptz[]) with ordinality as l (not_after, n) using (n)
      order by e.flow_id, e.contact_id, e.n
    ),
    entered as (
      insert into flow_entries as known (company_id, flow_id, contact_id, entered_at, not_after)
      select ${companyId}, e.flow_id, e.contact_id, ${now}, e.not_after from e
      where not exists (
        select 1 from flow_runs r
        where r.company_id = ${companyId} and r.contact_id = e.contact_id and r.flow_id = e.flow_id
          and (r.entered_at > e.not_after or (not e.concurrent and r.status in ('active', 'paused')))
      )
      order by e.flow_id, e.contact_id
      on conflict (company_id, flow_id, contact_id) do update
      set entered_at = excluded.entered_at, not_after = excluded.not_after
      where known.entered_at <= excluded.not_after
      returning flow_id, contact_id
    )
    ${runsFrom(companyId, sql`(select e.* from e join entered using (flow_id, contact_id)) e`, now)}`);
}
