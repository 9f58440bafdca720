import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { StoredEvent } from '../../events/event.ts';
import type { RuleGroup } from '../../rules/language.ts';
import type { Reentry } from '../definition/definition.ts';
import type { Signal } from '../engine/run.ts';

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
  /** Whether the conditions use the contact. */
  asksContact: boolean;
  reentry: Reentry;
  listens: string[];
}

/** The active and paused flows, in the version used for new runs. */
export function findTriggeredFlows(db: Queryable, companyId: number): Promise<Omit<TriggeredFlow, 'asksContact'>[]> {
  return db.query<Omit<TriggeredFlow, 'asksContact'>>(sql`
    select f.id as "flowId", f.version, f.status = 'active' as active, v.trigger_type as "triggerType",
      nullif(v.definition -> 'trigger_conditions', 'null') as conditions, v.definition -> 'reentry' as reentry, v.listens
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
