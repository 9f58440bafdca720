import { recordAuditEntry } from '../../access/audit.ts';
import { withoutPeople } from '../../access/audit-people.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, found, notFound } from '../../errors.ts';
import type { Wake } from '../../work/worker-names.ts';
import { BULK } from './actions.ts';
import { type ActionName, type BulkAction, TAGGING } from './contract.ts';
import * as queries from './queries.ts';
import { requireUndo } from './undo.ts';

const MOST_RUNNING = 3;

export type BulkService = ReturnType<typeof createBulkService>;

/** Bulk actions on everything that matches. */
export function createBulkService({ db, wake }: { db: Db; wake: Wake }) {
  return {
    /** Throws bad_request if three are running. */
    async start(
      caller: Caller,
      action: ActionName,
      filters: object,
      input: queries.BulkInput = {},
    ): Promise<BulkAction> {
      const { companyId, now } = caller;
      const matching = await BULK[action].count(db.lists(companyId), { companyId, filters, input, now });
      const started = await write(db, caller, async (tx) => {
        await requireRoom(tx, companyId);
        return begin(tx, caller, { action, filters, input, ...matching });
      });
      wake('bulk-actions');
      return started;
    },

    /** Undoes a tagging with an action of its own. Throws not_found, and bad_request if it cannot be undone. */
    async undo(caller: Caller, id: number): Promise<BulkAction> {
      const { companyId, now } = caller;
      const action = 'undo_tagging';
      const filters = {};
      const lane = db.lists(companyId);
      const input = await requireUndo(lane, companyId, await requireTagging(lane, companyId, id));
      const matching = await BULK[action].count(lane, { companyId, filters, input, now });
      const started = await write(db, caller, async (tx) => {
        await requireRoom(tx, companyId);
        // Checked again under the lock: of two concurrent requests, the second finds the first.
        await requireUndo(tx, companyId, await requireTagging(tx, companyId, id));
        return begin(tx, caller, { action, filters, input, ...matching });
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
        // It may have ended meanwhile.
        if (cancelled === undefined)
          return recordOf(found(await queries.findBulkAction(tx, companyId, id), 'bulk action'));
        const entry = { at: now, actor, action: 'bulk.cancel', target: `bulk_action:${id}` };
        await recordAuditEntry(tx, companyId, { ...entry, details: { changed: cancelled.changed } });
        return recordOf(cancelled);
      });
    },
  };
}

/** Throws bad_request if too many are running; otherwise nobody else can start one until COMMIT. */
async function requireRoom(tx: Tx, companyId: number): Promise<void> {
  if ((await queries.countRunning(tx, companyId)) < MOST_RUNNING) return;
  throw new AppError('bad_request', `${MOST_RUNNING} bulk actions are under way: wait until one has ended`);
}

/** Throws not_found. */
async function requireTagging(db: Queryable, companyId: number, id: number): Promise<queries.BulkRow> {
  const row = found(await queries.findBulkAction(db, companyId, id), 'bulk action');
  if (!TAGGING.includes(row.action)) throw notFound('bulk action');
  return row;
}

async function begin(
  tx: Tx,
  { companyId, actor, now }: Caller,
  what: Omit<queries.NewBulkAction, 'actor'>,
): Promise<BulkAction> {
  const row = await queries.insertBulkAction(tx, companyId, { ...what, actor }, now);
  await recordAuditEntry(tx, companyId, {
    at: now,
    actor,
    action: `bulk.${what.action}`,
    target: `bulk_action:${row.id}`,
    details: withoutPeople({ filters: what.filters, ...what.input, matching: what.total }) as Record<string, unknown>,
  });
  return recordOf(row);
}

function recordOf(row: queries.BulkRow): BulkAction {
  const { id, action, status, total, changed, refused, refusals } = row;
  return {
    id,
    action,
    status,
    total,
    changed,
    refused,
    refusals,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
