import type { Graph } from '../definition/graph.ts';
import type { Run } from '../engine/run.ts';
import type { RunRow } from './run-queries.ts';
import type { Listening } from './signal-queries.ts';

/** A run begins to listen for the flow's events in its first transition, and for those of a step when it enters the step. */
export function listeningOf(row: RunRow, graph: Graph, run: Run, now: Date): Listening[] {
  const listening = row.seq === 0 ? entryListening(row) : [];
  const step = run.stepId === null ? undefined : graph.steps.get(run.stepId);
  const arrived = step !== undefined && run.state.visits[step.step_id] !== row.state.visits[step.step_id];
  if (arrived && run.awaits !== null && step.type === 'wait_for_event') {
    const base = { runId: row.id, contactId: row.contact_id, eventType: run.awaits };
    const fromEntry = step.config.since === 'flow_entry';
    listening.push(
      fromEntry
        ? { ...base, since: row.entered_at, afterEventId: row.event?.event_id ?? Number.MAX_SAFE_INTEGER }
        : { ...base, since: now, afterEventId: Number.MAX_SAFE_INTEGER },
    );
  }
  return listening;
}

/** What a new run listens for at every step, since its entry. */
export function entryListening(row: RunRow): Listening[] {
  return row.listens.map((eventType) => ({
    runId: row.id,
    contactId: row.contact_id,
    eventType,
    since: row.entered_at,
    afterEventId: row.event?.event_id ?? Number.MAX_SAFE_INTEGER,
  }));
}
