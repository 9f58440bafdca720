import type { Logger } from 'pino';
import type { Clock } from '../../../../clock.ts';
import type { Db, Tx } from '../../../../db/pool.ts';
import { type Enrolment, enter, entrantOf, matchingOf } from '../../enrolment/enrolment.ts';
import * as missedEventQueries from '../../enrolment/queries.ts';
import { findFlow } from '../../queries.ts';
import { nextAttempt } from '../attempts.ts';
import { type Move, migratePiece } from './moving.ts';
import * as queries from './queries.ts';

/**
 * Work on many runs of a flow, in pieces. The request runs the first piece, so that small flows are done with its response;
 * the flow worker runs the others.
 */

interface Done extends queries.Piece {
  /** For an enrolment: contacts excluded by re-entry or by the conditions, and deleted ones. */
  skipped: number;
  /** For a migration: its progress. */
  walk?: queries.Walk;
}

interface TaskDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  enrolment: Enrolment;
}

const NOTHING: Done = { done: 0, skipped: 0, more: false };
/** Runs per piece: a fraction of a second of work. */
const PIECE = 5_000;
const EVENTS = 500;

type Assignment = Pick<queries.Task, 'flow_id' | 'kind' | 'created_at' | 'attempts' | 'moves' | 'walk'>;

/** Runs one piece of a task. Each failed attempt halves its size, in case it took too long. */
async function runPiece(
  tx: Tx,
  companyId: number,
  { flow_id: flowId, kind, created_at, attempts, moves, walk }: Assignment,
  enrolment: Enrolment,
  now: Date,
): Promise<Done> {
  const limit = Math.max(1, (kind === 'enroll' ? EVENTS : PIECE) >> Math.min(attempts, 30));
  switch (kind) {
    case 'exit': {
      const exit = { reason: 'archived', enteredBy: created_at, now, limit };
      return { ...NOTHING, ...(await queries.exitRuns(tx, companyId, flowId, exit)) };
    }
    case 'resume': {
      const flow = await findFlow(tx, companyId, flowId);
      if (flow?.status !== 'active') return NOTHING;
      return { ...NOTHING, ...(await queries.resumeRuns(tx, companyId, flowId, limit)) };
    }
    case 'migrate': {
      const flow = await findFlow(tx, companyId, flowId);
      if (flow === undefined) return NOTHING;
      return { ...NOTHING, ...(await migratePiece(tx, companyId, flow, { moves, walk }, { now, limit })) };
    }
    case 'enroll':
      return enrollPiece(tx, companyId, flowId, enrolment, { now, limit });
  }
}

/** Runs the first piece, and leaves the rest to the worker. */
export async function beginTask(
  tx: Tx,
  companyId: number,
  { moves = [], ...task }: Pick<Assignment, 'flow_id' | 'kind'> & { moves?: Move[] },
  enrolment: Enrolment,
  now: Date,
): Promise<Done> {
  const done = await runPiece(
    tx,
    companyId,
    { ...task, moves, walk: null, created_at: now, attempts: 0 },
    enrolment,
    now,
  );
  if (done.more) await queries.insertTask(tx, companyId, { ...task, moves, walk: done.walk ?? null }, now);
  return done;
}

/**
 * Runs a piece of the company's oldest due task; returns the number of rows it processed, 0 without a task. A task that
 * fails is postponed, so that it blocks neither runs nor other tasks.
 */
export function createTasks({ db, clock, log, enrolment }: TaskDeps) {
  return (companyId: number): Promise<number> =>
    db.tenantTx(companyId, async (tx) => {
      const now = clock.now();
      const task = await queries.claimTask(tx, companyId, now);
      if (task === undefined) return 0;
      try {
        const { done, skipped, more, walk } = await tx.savepoint(() => runPiece(tx, companyId, task, enrolment, now));
        if (!more) await queries.deleteTask(tx, companyId, task.id);
        else {
          if (task.attempts > 0) await queries.clearTaskError(tx, companyId, task.id);
          if (walk !== undefined) await queries.setWalk(tx, companyId, task.id, walk);
        }
        const hasMoved = walk !== undefined && walk.position > (task.walk?.position ?? 0);
        return done + skipped + (!more || hasMoved ? 1 : 0);
      } catch (error) {
        await queries.postponeTask(tx, companyId, task.id, nextAttempt(task.attempts, error, now));
        log.error({ err: error, company_id: companyId, task }, 'a task of a flow is postponed');
        return 1;
      }
    });
}

/** Enrolls the contacts of the next missed events. */
async function enrollPiece(
  tx: Tx,
  companyId: number,
  flowId: number,
  enrolment: Enrolment,
  { now, limit }: { now: Date; limit: number },
): Promise<Done> {
  const flow = (await enrolment.flowsIn(tx, companyId)).byId.get(flowId);
  if (!flow?.active) return NOTHING;
  const taken = await missedEventQueries.takeMissedEvents(tx, companyId, flowId, limit);
  const candidates = taken
    .filter((event) => event !== null)
    .map((event) => ({ flow, event: { ...event, correlation: null } }));
  const entrants = (await matchingOf(tx, companyId, candidates, now)).map(({ event }) => entrantOf(flow, event));
  const started = await enter(tx, companyId, entrants, now);
  const more = await missedEventQueries.hasMissedEvents(tx, companyId, flowId);
  return { done: started.length, skipped: taken.length - started.length, more };
}
