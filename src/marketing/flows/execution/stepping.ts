import type { Tx } from '../../../db/pool.ts';
import { counter } from '../../../lib/measures.ts';
import { createFacts } from '../../rules/facts.ts';
import type { Graphs } from '../definition/versions.ts';
import type { Moment } from '../engine/engine.ts';
import type { RunContact, Signal } from '../engine/run.ts';
import type { CompanyFlows } from '../enrolment/enrolment.ts';
import type { Entrant, StartedRun } from '../enrolment/queries.ts';
import { flowStatuses } from '../queries.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import { type EffectDeps, RunsRefused, settleAll, writeEffects } from './effects.ts';
import type { Caused, FlowState, Transition } from './queries.ts';
import * as queries from './queries.ts';
import { type Claimed, effectsOf, entryListening, failRun, transitionRun } from './run-transitions.ts';
import { logSkipped, noFlow, notActive } from './skipping.ts';

const transitioned = counter(
  'tradeloom_flow_transitions_total',
  'Runs of flows that were advanced, by where they are then',
  {
    status: ['active', 'completed', 'exited', 'failed'],
  },
);

/** What stepping requires from other folders and from this folder's caches; each function is called once for a set. */
export interface SteppingDeps extends EffectDeps, ClaimedRunsDeps {
  flowsIn(tx: Tx, companyId: number): Promise<CompanyFlows>;
  enter(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<StartedRun[]>;
  zoneOf(tx: Tx, companyId: number): Promise<string>;
}

/**
 * Advances claimed runs of one company by at most `steps` steps each: reads everything in sets, decides in memory, writes
 * everything in sets, and commits.
 */
export async function stepRuns(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  deps: SteppingDeps,
  now: Date,
  steps?: number,
): Promise<void> {
  const claimed = await readClaimed(tx, companyId, rows, deps, now);
  const transitions = await decideTransitions(tx, companyId, now, deps, (moment) =>
    transitionAll(claimed, moment, steps),
  );
  await commitTransitions(tx, companyId, transitions, deps, now);
}

/** Repeats the decision, which has no side effects, until all contact histories that it uses are loaded. */
async function decideTransitions(
  tx: Tx,
  companyId: number,
  now: Date,
  deps: SteppingDeps,
  decide: (moment: Moment) => Transition[],
): Promise<Transition[]> {
  const moment = { now, zone: await deps.zoneOf(tx, companyId), facts: createFacts(companyId, now) };
  for (;;) {
    const transitions = decide(moment);
    if (!(await moment.facts.load(tx))) return transitions;
  }
}

function transitionAll(claimed: Claimed[], moment: Moment, steps?: number): Transition[] {
  // Runs of one contact are sequential: each sees the changes made by earlier ones.
  const contacts = new Map<number, RunContact>();
  const transitions: Transition[] = [];
  for (const one of claimed) {
    const contact = contacts.get(one.row.contact_id) ?? one.contact;
    const transition = transitionRun({ ...one, contact }, moment, steps);
    if (transition === null) continue;
    transitions.push(transition);
    if (contact !== null) contacts.set(one.row.contact_id, transition.outcome.contact);
  }
  return transitions;
}

/** Fails claimed runs at their current steps, and commits. With `dropSignals` their signals are deleted unapplied. */
export async function failRuns(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  reasons: ReadonlyMap<number, unknown>,
  deps: SteppingDeps,
  { now, dropSignals }: { now: Date; dropSignals: boolean },
): Promise<void> {
  const claimed = await readClaimed(tx, companyId, rows, deps, now);
  const transitions = await decideTransitions(tx, companyId, now, deps, (moment) =>
    claimed.map((one) => {
      const error = reasons.get(one.row.id);
      const reason = error instanceof Error ? error.message : String(error);
      return failRun(dropSignals ? { ...one, signals: [] } : one, reason, moment);
    }),
  );
  await commitTransitions(tx, companyId, transitions, deps, now);
}

async function commitTransitions(
  tx: Tx,
  companyId: number,
  transitions: Transition[],
  deps: SteppingDeps,
  now: Date,
): Promise<void> {
  await writeEffects(tx, companyId, transitions, deps, now);
  const { starting, refused } = await planStarts(tx, companyId, transitions, deps.flowsIn);
  if (refused.size > 0) throw new RunsRefused(refused);
  const listening = transitions.flatMap((transition) => transition.listening);
  const pending: Promise<unknown>[] = [];
  if (listening.length > 0) {
    // Blocks events of the types until COMMIT, so it is sent in the last round trip. Starts and ends of runs, for which
    // transactions that store events wait, are written after it (see enrolment.ts).
    pending.push(
      queries.lockEventTypes(
        tx,
        companyId,
        listening.map((l) => l.eventType),
      ),
    );
    pending.push(queries.signalEventsSince(tx, companyId, listening));
  }
  if (starting.length > 0) {
    const entrants = starting.map(({ entrant }) => entrant);
    const entering = deps.enter(tx, companyId, entrants, now);
    await settleAll([...pending.splice(0), entering]);
    logNotEntered(starting, await entering);
  }
  const written = transitions.map(({ update }) => update);
  if (written.length > 0) {
    pending.push(queries.updateRuns(tx, companyId, written, now), queries.writeLog(tx, companyId, written, now));
    pending.push(addCounts(tx, companyId, sumCounts(countsOf(transitions))));
  }
  await tx.commitAfter(pending);
  for (const { update } of transitions) transitioned.inc({ status: update.status });
}

function countsOf(transitions: Transition[]): FlowCount[] {
  return transitions.flatMap(({ outcome: { counts, run } }) =>
    counts.map((count) => ({ ...count, flowId: run.flowId })),
  );
}

interface ClaimedRunsDeps {
  loadContacts(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, RunContact>>;
  graphsOf: Graphs;
}

/** Reads everything that claimed runs of one company need to continue, each kind in one query for the set. */
async function readClaimed(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  deps: ClaimedRunsDeps,
  now: Date,
): Promise<Claimed[]> {
  // Only webhook steps wait with the outcome `failed`. Read before the signals: a call that is settled has sent its signal.
  const called = rows.filter((row) => row.outcome === 'failed' && row.due_at <= now).map((row) => row.id);
  const callsDue = called.length === 0 ? null : queries.runsWithCallsDue(tx, companyId, called);
  const [calling, signals, flows, contacts, graphs, missed] = await Promise.all([
    callsDue,
    queries.takeSignals(
      tx,
      companyId,
      rows.map((row) => row.id),
    ),
    queries.shareFlows(tx, companyId, [...new Set(rows.map((row) => row.flow_id))]),
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
  return listening.length === 0 ? [] : queries.findEventsSince(tx, companyId, listening);
}

// Flows started by start_flow steps. A start that does not happen is logged in the run that requested it.

/** A start and the entrant of the started flow. */
interface Starting {
  start: Caused<'start'>;
  entrant: Entrant;
}

interface StartPlan {
  starting: Starting[];
  /** Errors by run: the flow to start was deleted. */
  refused: Map<number, Error>;
}

/** The start of an inactive flow is skipped; the start of a deleted flow fails the run. */
async function planStarts(
  tx: Tx,
  companyId: number,
  transitions: Transition[],
  flowsIn: (tx: Tx, companyId: number) => Promise<CompanyFlows>,
): Promise<StartPlan> {
  const plan: StartPlan = { starting: [], refused: new Map() };
  const starts = effectsOf(transitions, 'start');
  if (starts.length === 0) return plan;
  const flows = await flowsIn(tx, companyId);
  const idle: Caused<'start'>[] = [];
  for (const start of starts) {
    const flow = flows.byId.get(start.effect.flowId);
    const { contactId, event, correlation } = start.transition.outcome.run;
    if (!flow?.active) idle.push(start);
    else plan.starting.push({ start, entrant: { flow, contactId, event, correlation, hops: start.effect.hops } });
  }
  if (idle.length === 0) return plan;
  const existing = await flowStatuses(tx, companyId, [...new Set(idle.map(({ effect }) => effect.flowId))]);
  for (const start of idle) {
    const { flowId } = start.effect;
    if (existing.has(flowId)) logSkipped(start.transition.outcome, start.effect.stepId, notActive(flowId));
    else plan.refused.set(start.transition.update.id, new Error(noFlow(flowId)));
  }
  return plan;
}

/** Logs the starts that created no run because re-entry was not allowed. */
function logNotEntered(starting: Starting[], started: StartedRun[]): void {
  const keyOf = (flowId: number, contactId: number, eventId: number | null): string =>
    `${flowId}:${contactId}:${eventId}`;
  const left = new Map<string, number>();
  for (const run of started) {
    const key = keyOf(run.flow_id, run.contact_id, run.event_id);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  for (const { start, entrant } of starting) {
    const key = keyOf(entrant.flow.flowId, entrant.contactId, entrant.event?.event_id ?? null);
    const runs = left.get(key) ?? 0;
    if (runs > 0) left.set(key, runs - 1);
    else {
      const reason = `Flow ${entrant.flow.flowId} does not allow the contact to enter again`;
      logSkipped(start.transition.outcome, start.effect.stepId, reason);
    }
  }
}
