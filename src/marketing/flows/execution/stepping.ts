import type { Tx } from '../../../db/pool.ts';
import { createFacts } from '../../rules/facts.ts';
import type { Moment } from '../engine/engine.ts';
import type { RunContact } from '../engine/run.ts';
import type { CompanyFlows } from '../enrolment/company-flows.ts';
import type { Entrant, StartedRun } from '../enrolment/entry-queries.ts';
import { noteKeptOut, planStarts } from '../enrolment/starting.ts';
import { addCounts, type FlowCount, sumCounts } from '../report/stats.ts';
import type { ClaimedRunsDeps } from './claimed-runs.ts';
import { readClaimed } from './claimed-runs.ts';
import type { EffectDeps } from './effects.ts';
import { RunsRefused, settleAll, writeEffects } from './effects.ts';
import * as queries from './run-queries.ts';
import { type Claimed, failRun, type Moved, moveRun } from './run-transitions.ts';
import * as signalQueries from './signal-queries.ts';

/** What stepping needs of other folders and of this one's caches, each for a set. */
export interface SteppingDeps extends EffectDeps, ClaimedRunsDeps {
  flowsIn(tx: Tx, companyId: number): Promise<CompanyFlows>;
  enter(tx: Tx, companyId: number, entrants: Entrant[], now: Date): Promise<StartedRun[]>;
  zoneOf(tx: Tx, companyId: number): Promise<string>;
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

function countsOf(moves: Moved[]): FlowCount[] {
  return moves.flatMap(({ outcome: { counts, run } }) => counts.map((count) => ({ ...count, flowId: run.flowId })));
}
