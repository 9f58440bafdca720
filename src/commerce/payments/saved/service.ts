import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { found, notFound } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import type { Wake } from '../../../work/worker-names.ts';
import { findIdentities } from '../../customers/service.ts';
import { insertOperations } from '../operations/queries.ts';
import type { RemovedMethod, SavedPaymentMethod } from './contract.ts';
import * as queries from './queries.ts';

export { moveSavedMethods } from './queries.ts';

export type SavedMethodsService = ReturnType<typeof createSavedMethodsService>;

/** The means of payment that customers let services keep. See docs/design/payments.md. */
export function createSavedMethodsService({ db, wake }: { db: Db; wake: Wake }) {
  return {
    /** Newest first. Throws not_found for an unknown customer. */
    async listSavedMethods(companyId: number, customerId: number): Promise<SavedPaymentMethod[]> {
      const lane = db.points(companyId);
      const methods = await savedMethodsOf(lane, companyId, customerId);
      if (methods.length === 0)
        found((await findIdentities(lane, companyId, [customerId])).get(customerId), 'customer');
      return methods;
    },

    /** Newest first. Throws not_found for an unknown customer. */
    async pageOfSavedMethods(
      companyId: number,
      customerId: number,
      query: PageQuery,
    ): Promise<Page<SavedPaymentMethod>> {
      const page = pageOf(query);
      const lane = db.lists(companyId);
      const { rows, total } = await queries.pageOfSavedMethods(lane, companyId, customerId, page);
      if (total === 0) found((await findIdentities(lane, companyId, [customerId])).get(customerId), 'customer');
      return { rows: rows.map(savedMethodRecord), total, ...page };
    },

    /** Throws not_found. */
    async removeSavedMethod(caller: Caller, customerId: number, id: number): Promise<RemovedMethod> {
      const { companyId, now } = caller;
      const removed = await write(db, caller, async (tx) => {
        if ((await remove(tx, companyId, customerId, id, now)) === 0) throw notFound('saved_payment_method');
        return { id, deleted: true };
      });
      wake('payments');
      return removed;
    },
  };
}

/** Removes all saved methods of a customer who is being erased. */
export async function removeSavedMethodsOf(tx: Tx, companyId: number, customerId: number, now: Date): Promise<void> {
  await remove(tx, companyId, customerId, null, now);
}

/** Returns how many were removed, which their services are told to forget. */
async function remove(tx: Tx, companyId: number, customerId: number, id: number | null, now: Date): Promise<number> {
  const removed = await queries.markRemoved(tx, companyId, customerId, id);
  const operations = removed.map(({ id: saved_method_id, payment_id }) => {
    return { payment_id, refund_id: null, kind: 'forget' as const, amount: 0, input: { saved_method_id } };
  });
  if (operations.length > 0) await insertOperations(tx, companyId, operations, now);
  return removed.length;
}

/** Returns a customer's saved methods as the API returns them, newest first. */
export async function savedMethodsOf(
  db: Queryable,
  companyId: number,
  customerId: number,
): Promise<SavedPaymentMethod[]> {
  const rows = await queries.listSavedMethods(db, companyId, customerId);
  return rows.map(savedMethodRecord);
}

function savedMethodRecord(row: queries.SavedMethodRow): SavedPaymentMethod {
  const { id, provider, label, brand, last4, expires_on, created_at } = row;
  return { id, provider, label, brand, last4, expires_on, created_at: created_at.toISOString() };
}
