import type { Tx } from '../../../db/pool.ts';
import type { StoredEvent } from '../../events/event.ts';
import { MAX_HOPS } from '../engine/action-steps.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import type { Entrant } from './entry-queries.ts';
import * as entryQueries from './entry-queries.ts';
import type { TriggeredFlow } from './queries.ts';

/** Starts runs for those entrants whose re-entry is allowed; returns the started runs. */
export async function enter(
  tx: Tx,
  companyId: number,
  entrants: Entrant[],
  now: Date,
): Promise<entryQueries.StartedRun[]> {
  const free = entrants.filter(({ flow }) => flow.reentry.mode === 'always');
  const limited = entrants.filter(({ flow }) => flow.reentry.mode !== 'always');
  const started = [
    ...(free.length > 0 ? await entryQueries.insertRuns(tx, companyId, free, now) : []),
    ...(limited.length > 0 ? await entryQueries.insertLimitedRuns(tx, companyId, limited, now) : []),
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
