import type { Settled } from '../../../db/batching/batch.ts';
import type { Tx } from '../../../db/pool.ts';
import type { ContactChange } from '../../contacts/service.ts';
import type { MembershipChange } from '../../lists/service.ts';
import { createFacts } from '../../rules/facts.ts';
import type { Graphs } from '../definition/versions.ts';
import type { Moment } from '../engine/engine.ts';
import type { Effect, RunContact, Signal } from '../engine/run.ts';
import type { CompanyFlows } from '../enrolment/company-flows.ts';
import type { Entrant, StartedRun } from '../enrolment/entry-queries.ts';
import { noteKeptOut, planStarts } from '../enrolment/starting.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import * as effectQueries from './effect-queries.ts';
import { entryListening } from './listening.ts';
import * as queries from './run-queries.ts';
import { type Claimed, effectsOf, type FlowState, failRun, type Moved, moveRun } from './run-transitions.ts';
import * as signalQueries from './signal-queries.ts';
import { noList } from './skipping.ts';

/** A message that a step sends, as messaging takes it. */
export interface FlowMessage {
  idemKey: string;
  channel: 'email' | 'sms';
  contactId: number;
  origin: { kind: 'flow'; flowId: number; version: number; runId: number; stepId: string; eventId: number | null };
  transactional: boolean;
  dueAt: Date;
}

/** What stepping asks of other folders and of this one's caches, each for a set. */
export interface SteppingDeps {
  loadContacts(tx: Tx, companyId: number, ids: number[]): Promise<Map<number, RunContact>>;
  changeContacts(tx: Tx, companyId: number, changes: ContactChange[], now: Date): Promise<Settled<unknown>[]>;
  changeMemberships(tx: Tx, companyId: number, changes: MembershipChange[], now: Date): Promise<unknown>;
  /** Those of the lists that there are. */
  findLists(tx: Tx, companyId: number, ids: number[]): Promise<{ id: number }[]>;
  queueMessages(tx: Tx, companyId: number, messages: FlowMessage[], now: Date): Promise<unknown>;
  flowsIn(tx: Tx, companyId: number): Promise<CompanyFlows>;
  enter(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<StartedRun[]>;
  graphsOf: Graphs;
  zoneOf(tx: Tx, companyId: number): Promise<string>;
}

/** Runs whose effects another part refused: they have to fail, and the others have to go on without them. */
export class RunsRefused extends Error {
  /** Why, by run. */
  readonly reasons: ReadonlyMap<number, unknown>;

  constructor(reasons: ReadonlyMap<number, unknown>) {
    super(`The effects of ${reasons.size} runs were refused`);
    this.name = 'RunsRefused';
    this.reasons = reasons;
  }
}

/**
 * Moves claimed runs of one company as far as they go now, `steps` steps each at most: reads everything about them in
 * sets, decides in memory, and writes everything in sets, COMMIT included.
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
  const moves = await decideMoves(tx, companyId, now, deps, (moment) => moveAll(claimed, moment, steps));
  await commitMoves(tx, companyId, moves, deps, now);
}

/** Decides again as long as histories of contacts were asked for that were not known. Deciding changes nothing. */
async function decideMoves(
  tx: Tx,
  companyId: number,
  now: Date,
  deps: SteppingDeps,
  decide: (moment: Moment) => Moved[],
): Promise<Moved[]> {
  const moment = { now, zone: await deps.zoneOf(tx, companyId), facts: createFacts(companyId, now) };
  for (;;) {
    const moves = decide(moment);
    if (!(await moment.facts.load(tx))) return moves;
  }
}

function moveAll(claimed: Claimed[], moment: Moment, steps?: number): Moved[] {
  // Runs of one contact follow each other: what one changes of the contact, the next one sees.
  const contacts = new Map<number, RunContact>();
  const moves: Moved[] = [];
  for (const one of claimed) {
    const contact = contacts.get(one.row.contact_id) ?? one.contact;
    const moved = moveRun({ ...one, contact }, moment, steps);
    if (moved === null) continue;
    moves.push(moved);
    if (contact !== null) contacts.set(one.row.contact_id, moved.outcome.contact);
  }
  return moves;
}

/** Lets claimed runs fail where they stand, COMMIT included. `deaf`: their signals are thrown away unheard. */
export async function failRuns(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  reasons: ReadonlyMap<number, unknown>,
  deps: SteppingDeps,
  { now, deaf }: { now: Date; deaf: boolean },
): Promise<void> {
  const claimed = await readClaimed(tx, companyId, rows, deps, now);
  const moves = await decideMoves(tx, companyId, now, deps, (moment) =>
    claimed.map((one) => {
      const error = reasons.get(one.row.id);
      const reason = error instanceof Error ? error.message : String(error);
      return failRun(deaf ? { ...one, signals: [] } : one, reason, moment);
    }),
  );
  await commitMoves(tx, companyId, moves, deps, now);
}

async function readClaimed(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
  deps: SteppingDeps,
  now: Date,
): Promise<Claimed[]> {
  // Only webhook steps rest with `failed` decided. Before the signals: a call that has ended by now has told its run.
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
 * What new runs should have heard of since their entry: an event stored at the same time could not see them yet. A look
 * without a lock, so that they do nothing that the event forbids; the one with the lock comes when they are written.
 */
async function findMissed(
  tx: Tx,
  companyId: number,
  rows: queries.RunRow[],
): Promise<{ run_id: number; signal: Signal }[]> {
  const listening = rows.filter((row) => row.seq === 0).flatMap(entryListening);
  return listening.length === 0 ? [] : signalQueries.findEventsSince(tx, companyId, listening);
}

async function commitMoves(tx: Tx, companyId: number, moves: Moved[], deps: SteppingDeps, now: Date): Promise<void> {
  await writeEffects(tx, companyId, moves, deps, now);
  const { starting, refused } = await planStarts(tx, companyId, moves, deps.flowsIn);
  if (refused.size > 0) throw new RunsRefused(refused);
  const listening = moves.flatMap((moved) => moved.listening);
  const pending: Promise<unknown>[] = [];
  if (listening.length > 0) {
    // From here on no event of the types is stored until COMMIT: the last turn, and a short one. What those who store
    // events wait for while they hold the locks, runs that begin and end, is written after it (see enrolment.ts).
    pending.push(
      signalQueries.lockEventTypes(
        tx,
        companyId,
        listening.map((l) => l.eventType),
      ),
    );
    pending.push(signalQueries.signalEventsSince(tx, companyId, listening));
  }
  if (starting.length > 0) {
    const entrants = starting.map(({ entrant }) => entrant);
    const entering = deps.enter(tx, companyId, entrants, now);
    await settleAll([...pending.splice(0), entering]);
    noteKeptOut(starting, await entering);
  }
  const written = moves.map(({ move }) => move);
  if (written.length > 0) {
    pending.push(queries.writeMoves(tx, companyId, written, now), queries.writeLog(tx, companyId, written, now));
    pending.push(addCounts(tx, companyId, sumCounts(countsOf(moves))));
  }
  await tx.commitAfter(pending);
}

/** Waits for all of them, so that none fails unheard, then throws the first error. */
async function settleAll(promises: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function writeEffects(tx: Tx, companyId: number, moves: Moved[], deps: SteppingDeps, now: Date): Promise<void> {
  await requireLists(tx, companyId, moves, deps);
  await changeContacts(tx, companyId, moves, deps, now);
  const memberships = effectsOf(moves, 'membership').map(({ effect: { listId, action }, moved }) => {
    return { contactId: moved.outcome.run.contactId, listId, action };
  });
  const messages = effectsOf(moves, 'message').map(({ effect, moved }) => messageOf(effect, moved, now));
  const calls = effectsOf(moves, 'webhook');
  const emissions = effectsOf(moves, 'event');
  const notifications = effectsOf(moves, 'notification');
  const writing: Promise<unknown>[] = [];
  if (memberships.length > 0) writing.push(deps.changeMemberships(tx, companyId, memberships, now));
  if (messages.length > 0) writing.push(deps.queueMessages(tx, companyId, messages, now));
  if (calls.length > 0) writing.push(effectQueries.insertWebhookCalls(tx, companyId, calls, now));
  if (emissions.length > 0) writing.push(effectQueries.insertEmissions(tx, companyId, emissions));
  if (notifications.length > 0) writing.push(effectQueries.insertNotifications(tx, companyId, notifications, now));
  await settleAll(writing);
}

/** A run that puts its contact on a list that was deleted has to fail: passing on in silence would hide it. */
async function requireLists(tx: Tx, companyId: number, moves: Moved[], deps: SteppingDeps): Promise<void> {
  const joining = effectsOf(moves, 'membership').filter(({ effect }) => effect.action === 'add');
  if (joining.length === 0) return;
  const lists = await deps.findLists(tx, companyId, [...new Set(joining.map(({ effect }) => effect.listId))]);
  const known = new Set(lists.map(({ id }) => id));
  const lost = joining.filter(({ effect }) => !known.has(effect.listId));
  if (lost.length === 0) return;
  throw new RunsRefused(new Map(lost.map(({ effect, moved }) => [moved.move.id, new Error(noList(effect.listId))])));
}

async function changeContacts(tx: Tx, companyId: number, moves: Moved[], deps: SteppingDeps, now: Date): Promise<void> {
  const changes = effectsOf(moves, 'contact');
  if (changes.length === 0) return;
  const outcomes = await deps.changeContacts(
    tx,
    companyId,
    changes.map(({ effect, moved }) => ({ contactId: moved.outcome.run.contactId, ...effect.change })),
    now,
  );
  const refused = new Map<number, unknown>();
  outcomes.forEach((outcome, i) => {
    if (!outcome.ok) refused.set(changes[i]!.moved.move.id, outcome.error);
  });
  if (refused.size > 0) throw new RunsRefused(refused);
}

function messageOf(effect: Effect & { kind: 'message' }, { outcome: { run } }: Moved, now: Date): FlowMessage {
  const { stepId, visit, channel, transactional } = effect;
  const { runId, flowId, version, contactId } = run;
  const eventId = run.event?.event_id ?? null;
  return {
    idemKey: `f:${runId}:${stepId}:${visit}`,
    channel,
    contactId,
    origin: { kind: 'flow', flowId, version, runId, stepId, eventId },
    transactional,
    dueAt: now,
  };
}

function countsOf(moves: Moved[]): FlowCount[] {
  return moves.flatMap(({ outcome: { counts, run } }) => counts.map((count) => ({ ...count, flowId: run.flowId })));
}
