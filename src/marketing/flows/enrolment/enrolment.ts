import { createCompanyCache } from '../../../access/company-cache.ts';
import { type CompanyVersions, versionIn } from '../../../access/company-versions.ts';
import { later } from '../../../db/batching/idempotent-batch.ts';
import { type Db, type Queryable, sqlState, type Tx } from '../../../db/pool.ts';
import { isGroup, type Rule, type RuleGroup } from '../../../rules/language.ts';
import { loadContacts } from '../../contacts/service.ts';
import type { StoredEvent } from '../../events/event.ts';
import { evaluateRules } from '../../rules/evaluate.ts';
import { createFacts } from '../../rules/facts.ts';
import { isConcerned } from '../definition/trigger.ts';
import { MAX_HOPS } from '../engine/steps.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import type { Entrant, TriggeredFlow } from './queries.ts';
import * as queries from './queries.ts';

/**
 * Effects of an event on flows, in the transaction that stores the event: it starts runs, and signals runs that wait for it.
 *
 * No event is lost if it is stored while a run begins to wait for it. A transaction that stores events of a
 * type takes the type's advisory lock in shared mode, before it looks for waiting runs, and holds it until COMMIT. A worker
 * whose run begins to listen takes the lock in exclusive mode, as its last lock, and then reads the events stored since. So
 * either the event was committed before that read, or its transaction looks for waiting runs after the worker's COMMIT. The
 * shared lock costs one more statement in a round trip that is made anyway.
 *
 * Most events concern no flow, and the process knows it from its cached flows. Then the transaction waits for nothing: it
 * checks together with its COMMIT that the cache is current. If it is not, the transaction is rolled back and repeated
 * with the current flows.
 *
 * There is no deadlock: a transaction that stores events touches no row of a run, it only inserts signals. If its new
 * runs wait for a run that a worker is writing, that worker already has all its type locks.
 */

export interface Enrolment {
  /** Returns the started flows by event_id. Adds statements that only COMMIT must wait for to `pending`. */
  onEvents(
    tx: Tx,
    companyId: number,
    events: StoredEvent[],
    now: Date,
    pending?: Promise<unknown>[],
  ): Promise<Map<number, number[]>>;
  /** The company's flows as the transaction sees them. */
  flowsIn(tx: Tx, companyId: number): Promise<CompanyFlows>;
}

export function createEnrolment(deps: { db: Db; versions: CompanyVersions }): Enrolment {
  const cache = createCompanyCache(deps.db, deps.versions, loadFlows);
  /** Cached flows that a transaction found to be outdated before this process was notified. */
  const outdated = new WeakSet<CompanyFlows>();

  /** The cached flows with their version, if none of them triggers on or waits for the types. */
  function unaffected(companyId: number, types: string[]): { version: number; value: CompanyFlows } | undefined {
    const known = cache.peekVersioned(companyId);
    if (known === undefined || outdated.has(known.value)) return undefined;
    const { byTrigger, awaited } = known.value;
    return types.some((type) => byTrigger.has(type) || awaited.has(type)) ? undefined : known;
  }

  return {
    async flowsIn(tx, companyId) {
      return cache.at(tx, companyId, await versionIn(tx, companyId));
    },

    async onEvents(tx, companyId, events, now, pending) {
      const types = [...new Set(events.map((event) => event.event_type))].sort();
      const known = pending && unaffected(companyId, types);
      if (known) {
        later(pending, queries.shareEventTypes(tx, companyId, types));
        const current = queries.requireVersion(tx, companyId, known.version);
        current.catch((error: unknown) => {
          if (sqlState(error) === SERIALIZATION_FAILURE) outdated.add(known.value);
        });
        pending.push(current);
        return new Map();
      }
      const [, version] = await Promise.all([
        // Sent first: the reads after it see what all previous holders of the type locks committed.
        queries.shareEventTypes(tx, companyId, types),
        versionIn(tx, companyId),
      ]);
      const flows = await cache.at(tx, companyId, version);
      const alive = events.filter((event) => event.triggers);
      const started = await startRuns(tx, companyId, flows, alive, now);
      const awaited = alive.filter((event) => flows.awaited.has(event.event_type));
      if (awaited.length > 0) await queries.signalEvents(tx, companyId, awaited, now);
      return started;
    },
  };
}

const SERIALIZATION_FAILURE = '40001';

/** Starts runs of the flows whose conditions are met; returns the flows by event_id. */
async function startRuns(
  tx: Tx,
  companyId: number,
  flows: CompanyFlows,
  events: StoredEvent[],
  now: Date,
): Promise<Map<number, number[]>> {
  const started = new Map<number, number[]>();
  const candidates = events.flatMap((event) =>
    (flows.byTrigger.get(event.event_type) ?? [])
      .filter((flow) => isConcerned(flow, event.data))
      .map((flow) => ({ flow, event })),
  );
  if (candidates.length === 0) return started;
  const entrants: Entrant[] = [];
  const missed: { flowId: number; eventId: number }[] = [];
  const matching = await matchingOf(tx, companyId, candidates, now);
  for (const { flow, event } of matching) {
    if (flow.active) entrants.push(entrantOf(flow, event));
    else missed.push({ flowId: flow.flowId, eventId: event.event_id });
  }
  if (missed.length > 0) {
    const counts = missed.map(({ flowId }): FlowCount => ({ flowId, stepId: '', metric: 'missed', n: 1 }));
    await Promise.all([
      queries.insertMissedEvents(tx, companyId, missed, now),
      addCounts(tx, companyId, sumCounts(counts)),
    ]);
  }
  for (const { flow_id, event_id } of await enter(tx, companyId, entrants, now)) {
    const ids = started.get(event_id!);
    if (ids === undefined) started.set(event_id!, [flow_id]);
    else ids.push(flow_id);
  }
  return started;
}

/** Starts runs for those entrants whose re-entry is allowed; returns the started runs. */
export async function enter(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<queries.StartedRun[]> {
  const free = entrants.filter(({ flow }) => flow.reentry.mode === 'always');
  const limited = entrants.filter(({ flow }) => flow.reentry.mode !== 'always');
  const started = [
    ...(free.length > 0 ? await queries.insertRuns(tx, companyId, free, now) : []),
    ...(limited.length > 0 ? await queries.insertLimitedRuns(tx, companyId, limited, now) : []),
  ];
  const counts = started.flatMap(({ flow_id: flowId }): FlowCount[] => [
    { flowId, stepId: '', metric: 'entered', n: 1 },
    { flowId, stepId: '', metric: 'active', n: 1 },
  ]);
  await addCounts(tx, companyId, sumCounts(counts));
  return started;
}

/** The event's contact as an entrant of the flow. */
export function entrantOf(flow: TriggeredFlow, event: Omit<StoredEvent, 'triggers'>): Entrant {
  const { event_id, event_type, contact_id: contactId, occurred_at, data, correlation } = event;
  const runEvent = { event_id, event_type, occurred_at: occurred_at.toISOString(), data };
  return { flow, contactId, event: runEvent, correlation, hops: hopsOf(event) };
}

/** The number of flows that led to an event, written by track_event steps; ignored in events of other sources. */
function hopsOf({ source, data }: Pick<StoredEvent, 'source' | 'data'>): number {
  const hops = data.flow_hops;
  if (source !== 'flow' || typeof hops !== 'number' || !Number.isInteger(hops)) return 0;
  return Math.min(Math.max(hops, 0), MAX_HOPS);
}

/** The candidates whose trigger conditions are met. Contacts are read only if conditions use them. */
export async function matchingOf<E extends Pick<StoredEvent, 'contact_id' | 'data'>>(
  db: Queryable,
  companyId: number,
  candidates: { flow: TriggeredFlow; event: E }[],
  now: Date,
): Promise<{ flow: TriggeredFlow; event: E }[]> {
  const asked = new Set(candidates.filter((c) => c.flow.asksContact).map((c) => c.event.contact_id));
  const contacts = await loadContacts(db, companyId, [...asked]);
  const facts = createFacts(companyId, now);
  for (const { flow, event } of candidates) {
    if (flow.conditions !== null) facts.require(event.contact_id, flow.conditions);
  }
  await facts.load(db);
  return candidates.filter(({ flow: { conditions }, event }) => {
    if (conditions === null) return true;
    const contact = contacts.get(event.contact_id) ?? null;
    const history = (rule: Rule): boolean => facts.holds(event.contact_id, rule);
    return evaluateRules(conditions, { event: event.data, contact, history }, now);
  });
}

export interface CompanyFlows {
  byTrigger: ReadonlyMap<string, TriggeredFlow[]>;
  byId: ReadonlyMap<number, TriggeredFlow>;
  /** Event types for which runs may be waiting. */
  awaited: ReadonlySet<string>;
}

async function loadFlows(db: Queryable, companyId: number): Promise<CompanyFlows> {
  const [rows, awaited] = await Promise.all([
    queries.findTriggeredFlows(db, companyId),
    queries.findAwaitedTypes(db, companyId),
  ]);
  const flows = rows.map(({ conditions, ...row }) => ({ ...row, conditions, asksContact: asksContact(conditions) }));
  return {
    byTrigger: Map.groupBy(flows, (flow) => flow.triggerType),
    byId: new Map(flows.map((flow) => [flow.flowId, flow])),
    awaited: new Set(awaited),
  };
}

function asksContact(rules: RuleGroup | null): boolean {
  return rules?.rules.some((rule) => (isGroup(rule) ? asksContact(rule) : rule.field.startsWith('contact.'))) ?? false;
}
