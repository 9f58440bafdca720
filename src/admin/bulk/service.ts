import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, found, notFound } from '../../errors.ts';
import type { Wake } from '../../work/worker-names.ts';
import { BULK } from './actions.ts';
import type { ActionName, BulkAction } from './contract.ts';
import * as queries from './queries.ts';

const MOST_RUNNING = 3;

export type BulkService = ReturnType<typeof createBulkService>;

/** Actions on everything that matches. */
export function createBulkService({ db, wake }: { db: Db; wake: Wake }) {
  return {
    /** Throws bad_request where three are under way. */
    async start(
      caller: Caller,
      action: ActionName,
      filters: object,
      input: queries.BulkInput = {},
    ): Promise<BulkAction> {
      const { companyId, actor, now } = caller;
      const matching = await BULK[action].count(db.lists(companyId), { companyId, filters, input, now });
      const started = await write(db, caller, async (tx) => {
        if ((await queries.countRunning(tx, companyId)) >= MOST_RUNNING) {
          throw new AppError('bad_request', `${MOST_RUNNING} bulk actions are under way: wait until one has ended`);
        }
        const row = await queries.insertBulkAction(tx, companyId, { action, filters, input, actor, ...matching }, now);
        await recordAuditEntry(tx, companyId, {
          ...{ at: now, actor, action: `bulk.${action}`, target: `bulk_action:${row.id}` },
          details: { filters, ...input, matching: matching.total },
        });
        return recordOf(row);
      });
      wake('bulk-actions');
      return started;
    },

    /** Throws not_found. */
    async get(companyId: number, id: number): Promise<BulkAction> {
      return recordOf(found(await queries.findBulkAction(db.points(companyId), companyId, id), 'bulk action'));
    },

    /** Only one of these actions. Throws not_found. */
    async cancel(caller: Caller, id: number, of: readonly ActionName[]): Promise<BulkAction> {
      const { companyId, actor, now } = caller;
      return write(db, caller, async (tx) => {
        const known = found(await queries.findBulkAction(tx, companyId, id), 'bulk action');
        if (!of.includes(known.action)) throw notFound('bulk action');
        const cancelled = await queries.finish(tx, companyId, id, 'cancelled', now);
        // It may have ended by itself in between.
        if (cancelled === undefined)
          return recordOf(found(await queries.findBulkAction(tx, companyId, id), 'bulk action'));
        const entry = { at: now, actor, action: 'bulk.cancel', target: `bulk_action:${id}` };
        await recordAuditEntry(tx, companyId, { ...entry, details: { changed: cancelled.changed } });
        return recordOf(cancelled);
      });
    },
  };
}

function recordOf(row: queries.BulkRow): BulkAction {
  const { id, action, status, total, changed, refused, refusals } = row;
  return {
    ...{ id, action, status, total, changed, refused, refusals },
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
