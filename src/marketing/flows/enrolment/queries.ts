import type { Queryable, Tx } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import type { Correlation } from '../../../lib/tracing/correlation.ts';
import type { RuleGroup } from '../../../rules/language.ts';
import type { EventSource, StoredEvent } from '../../events/event.ts';
import type { Reentry } from '../definition/definition.ts';
import type { TriggerSettings } from '../definition/trigger.ts';
import type { RunEvent, Signal } from '../engine/run.ts';

/** Takes the shared locks of the types; waits for workers that hold them exclusively. */
export async function shareEventTypes(tx: Tx, companyId: number, eventTypes: string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock_shared(hashtextextended('flow event ' || event_type, ${companyId}))
    from unnest(${eventTypes}::text[]) as event_type`);
}

/**
 * Fails with serialization_failure if the company's configuration has another version. Sent after `shareEventTypes`, it
 * sees what the previous holders of the locks committed.
 */
export async function requireVersion(tx: Tx, companyId: number, version: number): Promise<void> {
  await tx.query(sql`
    select case
      when coalesce((select version from company_versions where company_id = ${companyId}), 0) <> ${version}
      then fail_serialization('The configuration of the company has changed') end`);
}

/** An active or paused flow, with the fields needed to process events. */
export interface TriggeredFlow {
  flowId: number;
  version: number;
  active: boolean;
  triggerType: string;
  conditions: RuleGroup | null;
  settings: TriggerSettings | null;
  /** Whether the conditions use the contact. */
  asksContact: boolean;
  reentry: Reentry;
  listens: string[];
}

/** The active and paused flows, in the version used for new runs. */
export function findTriggeredFlows(db: Queryable, companyId: number): Promise<Omit<TriggeredFlow, 'asksContact'>[]> {
  return db.query<Omit<TriggeredFlow, 'asksContact'>>(sql`
    select f.id as "flowId", f.version, f.status = 'active' as active, v.trigger_type as "triggerType",
      nullif(v.definition -> 'trigger_conditions', 'null') as conditions,
      nullif(v.definition -> 'trigger_settings', 'null') as settings, v.definition -> 'reentry' as reentry, v.listens
    from flows f join flow_versions v on v.company_id = f.company_id and v.flow_id = f.id and v.version = f.version
    where f.company_id = ${companyId} and f.status in ('active', 'paused') and f.deleted_at is null
    order by f.id`);
}

/** Event types for which a run of any version may be waiting. */
export async function findAwaitedTypes(db: Queryable, companyId: number): Promise<string[]> {
  const rows = await db.query<{ event_type: string }>(sql`
    select distinct unnest(v.awaits) as event_type
    from flows f join flow_versions v on v.company_id = f.company_id and v.flow_id = f.id
    where f.company_id = ${companyId} and f.status in ('active', 'paused') and f.deleted_at is null`);
  return rows.map((row) => row.event_type);
}

/** Adds signals for the live runs of the events' contacts that listen for them. Touches no row of a run. */
export async function signalEvents(tx: Tx, companyId: number, events: StoredEvent[], now: Date): Promise<void> {
  const received_at = now.toISOString();
  const signals = events.map(
    ({ event_id, event_type, data }): Signal => ({ kind: 'event', event_id, event_type, data, received_at }),
  );
  await tx.query(sql`
    insert into flow_signals (company_id, run_id, signal)
    select ${companyId}, r.id, e.signal
    from unnest(${events.map((e) => e.contact_id)}::bigint[], ${events.map((e) => e.event_type)}::text[],
      ${events.map((e) => e.event_id)}::bigint[], ${signals.map((s) => JSON.stringify(s))}::jsonb[])
      as e (contact_id, event_type, event_id, signal)
    join flow_runs r on r.company_id = ${companyId} and r.contact_id = e.contact_id
      and r.status in ('active', 'paused')
      and (r.awaits = e.event_type or e.event_type = any(r.listens))
    order by e.event_id`);
}

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

interface MissedEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
  source: EventSource;
}

/**
 * Deletes and returns the oldest events that the flow missed, in order; skips those that another enrolment has locked.
 * Events of deleted contacts are null.
 */
export async function takeMissedEvents(
  tx: Tx,
  companyId: number,
  flowId: number,
  limit: number,
): Promise<(MissedEvent | null)[]> {
  const rows = await tx.query<{ [Key in keyof MissedEvent]: MissedEvent[Key] | null }>(sql`
    with taken as (
      delete from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId} and event_id = any(array(
        select event_id from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}
        order by event_id limit ${limit} for update skip locked))
      returning event_id, received_at
    )
    select e.event_id, e.event_type, e.contact_id, e.data, e.occurred_at, e.source
    from taken t left join (
      events e join contacts c on c.company_id = ${companyId} and c.id = e.contact_id
    ) on e.company_id = ${companyId} and e.event_id = t.event_id and e.received_at = t.received_at
    order by t.event_id`);
  return rows.map((row) => (row.event_id === null ? null : (row as MissedEvent)));
}

/** Whether missed events remain, including those that an uncommitted transaction has locked. */
export async function hasMissedEvents(tx: Tx, companyId: number, flowId: number): Promise<boolean> {
  const rows = await tx.query<{ more: boolean }>(sql`
    select exists (
      select 1 from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}) as more`);
  return rows[0]!.more;
}

export async function forgetMissedEvents(tx: Tx, companyId: number, flowId: number): Promise<void> {
  await tx.query(sql`delete from flow_missed_events where company_id = ${companyId} and flow_id = ${flowId}`);
}

/** Records events that paused flows missed, for a later enrolment. */
export async function insertMissedEvents(
  tx: Tx,
  companyId: number,
  missed: { flowId: number; eventId: number }[],
  receivedAt: Date,
): Promise<void> {
  await tx.query(sql`
    insert into flow_missed_events (company_id, flow_id, event_id, received_at)
    select ${companyId}, t.*, ${receivedAt}
    from unnest(${missed.map((m) => m.flowId)}::bigint[], ${missed.map((m) => m.eventId)}::bigint[]) as t`);
}
