import type { Tx } from '../../../db/pool.ts';
import type { Graphs } from '../definition/versions.ts';
import type { RunContact, Signal } from '../engine/run.ts';
import * as effectQueries from './effect-queries.ts';
import { entryListening } from './listening.ts';
import type * as queries from './run-queries.ts';
import type { Claimed, FlowState } from './run-transitions.ts';
import * as signalQueries from './signal-queries.ts';

export interface ClaimedRunsDeps {
  loadContacts(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, RunContact>>;
  graphsOf: Graphs;
}

/** Reads everything that claimed runs of one company need to continue, each kind in one query for the set. */
export async function readClaimed(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  deps: ClaimedRunsDeps,
  now: Date,
): Promise<Claimed[]> {
  // Only webhook steps wait with the outcome `failed`. Read before the signals: a call that is settled has sent its signal.
  const called = rows.filter((row) => row.outcome === 'failed' && row.due_at <= now).map((row) => row.id);
  const callsDue = called.length === 0 ? null : effectQueries.runsWithCallsDue(tx, companyId, called);
  const [calling, signals, flows, contacts, graphs, missed] = await Promise.all([
    callsDue,
    signalQueries.takeSignals(
      tx,
      companyId,
      rows.map((row) => row.id),
    ),
    effectQueries.shareFlows(tx, companyId, [...new Set(rows.map((row) => row.flow_id))]),
    deps.loadContacts(tx, companyId, [...new Set(rows.map((row) => row.contact_id))]),
    deps.graphsOf(
      tx,
      companyId,
      rows.map((row) => ({ flowId: row.flow_id, version: row.version })),
    ),
    findMissed(tx, companyId, rows),
  ]);
  const byRun = Map.groupBy([...missed, ...signals], (one) => one.run_id);
  return rows.map((row) => ({
    row,
    graph: graphs.get(`${row.flow_id}:${row.version}`)!,
    flow: flows.get(row.flow_id) ?? ('ended' satisfies FlowState),
    contact: contacts.get(row.contact_id) ?? null,
    signals: byRun.get(row.id)?.map(({ signal }) => signal) ?? [],
    callDue: calling?.has(row.id) ?? false,
  }));
}

/**
 * Finds events since the entry of new runs: an event that was stored at the same time could not see the run. This read takes no
 * lock; it keeps runs from executing steps that the event forbids. The read under the lock follows when the runs are written.
 */
async function findMissed(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
): Promise<{ run_id: number; signal: Signal }[]> {
  const listening = rows.filter((row) => row.seq === 0).flatMap(entryListening);
  return listening.length === 0 ? [] : signalQueries.findEventsSince(tx, companyId, listening);
}
