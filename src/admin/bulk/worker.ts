import type { Logger } from 'pino';
import type { Caller } from '../../caller.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import { isDataFault } from '../../db/batching/batcher.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { eachCompany } from '../../work/sets.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import { type ApplyOne, type ApplySet, BULK } from './actions.ts';
import * as queries from './queries.ts';
import { isKept } from './undo.ts';
import { keepChanges } from './undo-queries.ts';

const IDLE_MS = 500;
/** Length of a company's turn. */
const SLICE_MS = 250;
/** Ids read at a time. */
const AHEAD = 50;
/** The same if records share transactions: each read evaluates the conditions of a segment. */
const AHEAD_OF_SETS = 1_000;
const SET = 100;

interface BulkDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  /** Called after changes that marketing has to process. */
  onChanged: () => void;
}

/** Another worker now holds the action, or it was cancelled. */
class Lost extends Error {}

/**
 * Runs bulk actions, with companies in turn. Each record, or each set of a hundred contacts, shares a transaction with its progress: 30 s
 * after a worker dies, another process continues at the next record.
 * See docs/design/admin-app.md.
 */
export function createBulkWorker({ db, clock, log, shops, onChanged }: BulkDeps): Worker {
  async function advance(tx: Tx, companyId: number, row: queries.BulkRow, step: queries.Step): Promise<void> {
    if (!(await queries.advance(tx, companyId, row, step))) throw new Lost();
  }

  async function change(companyId: number, row: queries.BulkRow, id: number, apply: ApplyOne): Promise<void> {
    const caller = callerOf(companyId, row, clock.now());
    const count = (tx: Tx, refusal: string | null): Promise<void> =>
      advance(tx, companyId, row, {
        position: id,
        changed: refusal === null ? 1 : 0,
        refused: refusal === null ? [] : [{ id, message: refusal }],
      });
    try {
      await db.tenantTx(companyId, async (tx) => {
        await apply(tx, shops, caller, id);
        await count(tx, null);
      });
    } catch (error) {
      if (error instanceof AppError) await db.tenantTx(companyId, (tx) => count(tx, error.message));
      else if (!isDataFault(error)) throw error;
      else {
        log.error(
          { err: error, company_id: companyId, bulk_action_id: row.id, id },
          'a bulk action could not change a record',
        );
        await db.tenantTx(companyId, (tx) => count(tx, 'An internal error: see the log of the server'));
      }
    }
  }

  /** Changes records that share a transaction. */
  async function changeSet(companyId: number, row: queries.BulkRow, ids: number[], apply: ApplySet): Promise<void> {
    const caller = callerOf(companyId, row, clock.now());
    await db.tenantTx(companyId, async (tx) => {
      const { changed, refused } = await apply(tx, caller, ids, row.input);
      if (isKept(row)) await keepChanges(tx, companyId, row.id, changed, clock.now());
      const step = { position: ids.at(-1)!, changed: ids.length - refused.length, refused };
      await advance(tx, companyId, row, step);
    });
  }

  /** Changes the records one by one until the turn is over; sets are always completed, because they were read for it. */
  async function work(companyId: number, row: queries.BulkRow, ids: number[], until: number): Promise<boolean> {
    const action = BULK[row.action];
    if ('applySet' in action) {
      for (let at = 0; at < ids.length; at += SET)
        await changeSet(companyId, row, ids.slice(at, at + SET), action.applySet);
      return monotonicMs() < until;
    }
    for (const id of ids) {
      await change(companyId, row, id, action.apply);
      if (monotonicMs() >= until) return false;
    }
    return true;
  }

  /** Processes the action for one turn. */
  async function turn(companyId: number, row: queries.BulkRow): Promise<void> {
    const until = monotonicMs() + SLICE_MS;
    let after = row.position;
    const limit = 'applySet' in BULK[row.action] ? AHEAD_OF_SETS : AHEAD;
    const { filters, input } = row;
    for (;;) {
      const what = { companyId, filters, input, now: clock.now() };
      const ids = await db.tenantTx(companyId, (tx) =>
        BULK[row.action].next(tx, what, { after, upto: row.upto, limit }),
      );
      after = ids.at(-1) ?? after;
      if (ids.length > 0 && !(await work(companyId, row, ids, until))) return;
      if (ids.length < limit) {
        await db.tenantTx(companyId, (tx) => queries.finish(tx, companyId, row.id, 'done', clock.now()));
        return;
      }
    }
  }

  async function serve(companyId: number): Promise<number> {
    const row = await db.tenantTx(companyId, (tx) => queries.claim(tx, companyId));
    if (row === undefined) return 0;
    try {
      await turn(companyId, row);
    } catch (error) {
      // After a database failure the lease is kept: the next attempt, by any worker, follows its end.
      if (!(error instanceof Lost)) throw error;
      log.info({ company_id: companyId, bulk_action_id: row.id }, 'a bulk action was cancelled, or taken over');
    }
    await db.tenantTx(companyId, (tx) => queries.release(tx, companyId, row));
    onChanged();
    return 1;
  }

  return createWorker({
    name: 'bulk-actions',
    idleMs: IDLE_MS,
    log,
    run: async (signal) => eachCompany(await queries.companiesWithWork(db), signal, serve),
  });
}

/** The person who started it, in histories and logs. */
function callerOf(companyId: number, { id, actor }: queries.BulkRow, now: Date): Caller {
  return { companyId, actor, requestId: `bulk-action-${id}`, now, idempotency: null };
}
