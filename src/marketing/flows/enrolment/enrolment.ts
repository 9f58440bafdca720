import { type CompanyVersions, createCompanyCache, versionIn } from '../../../access/company-versions.ts';
import { later } from '../../../db/batching/idempotent-batch.ts';
import { type Db, sqlState, type Tx } from '../../../db/pool.ts';
import type { StoredEvent } from '../../events/event.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import { type CompanyFlows, loadFlows } from './company-flows.ts';
import { enter, entrantOf } from './entering.ts';
import type { Entrant } from './entry-queries.ts';
import * as missedEventQueries from './missed-event-queries.ts';
import * as queries from './queries.ts';
import { matchingOf } from './trigger-conditions.ts';

/**
 * What an event means for flows, in the event's own transaction: it starts runs, and it is told to runs that wait for it.
 *
 * No event is lost between one that is being stored and a run that begins to wait for it. Whoever stores events of a type
 * holds that type's lock in common with all others who do, from before it looks for waiting runs until COMMIT. A worker
 * that lets a run begin to listen takes the lock for itself, last of all, and then looks back over the events stored. So
 * either the event was committed before the worker looked back, or whoever stores it looks for waiting runs after the
 * worker's COMMIT. The common lock costs the storing of events one more statement in a turn that is made anyway.
 *
 * Most events mean nothing for any flow, and the process knows it beforehand from the flows that it keeps. Then nothing
 * is waited for: that they are still the company's flows is made a condition of the transaction, in the turn of its
 * COMMIT. Where it fails, the transaction is undone and done again with the flows as they are.
 *
 * Nobody waits in a circle: those who store events touch no row of a run; they append signals. Where their new runs have
 * to wait for the end of a run that a worker is writing, that worker has all its locks of types already.
 */

export interface Enrolment {
  /** Gives the flows started by event_id. Statements that only COMMIT has to wait for may be left in `pending`. */
  onEvents(
    tx: Tx,
    companyId: number,
    events: StoredEvent[],
    now: Date,
    pending?: Promise<unknown>[],
  ): Promise<Map<number, number[]>>;
  /** The company's flows, exactly as the transaction sees them. */
  flowsIn(tx: Tx, companyId: number): Promise<CompanyFlows>;
}

export function createEnrolment(deps: { db: Db; versions: CompanyVersions }): Enrolment {
  const cache = createCompanyCache(deps.db, deps.versions, loadFlows);
  /** Flows that a transaction found to be the company's no more, before this process was told of it. */
  const outdated = new WeakSet<CompanyFlows>();

  /** The flows as this process keeps them and their version, where none of them has to do with the types. */
  function unconcerned(companyId: number, types: string[]): { version: number; value: CompanyFlows } | undefined {
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
      const known = pending && unconcerned(companyId, types);
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
        // Sent first: what is read after it is what every worker committed that had a type's lock before.
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

/** Starts the runs of the flows whose conditions hold; gives the flows by event_id. */
async function startRuns(
  tx: Tx,
  companyId: number,
  flows: CompanyFlows,
  events: StoredEvent[],
  now: Date,
): Promise<Map<number, number[]>> {
  const started = new Map<number, number[]>();
  const candidates = events.flatMap((event) =>
    (flows.byTrigger.get(event.event_type) ?? []).map((flow) => ({ flow, event })),
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
      missedEventQueries.insertMissedEvents(tx, companyId, missed, now),
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
