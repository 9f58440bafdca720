import type { Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { findProductFields } from '../custom-fields/context.ts';
import { checkProductRules, refreshOf } from './rules.ts';
import { beginUpdates, lockCollectionsWithKey } from './update-queries.ts';

/** Collections that an error names. */
const MAX_NAMED = 100;

/**
 * Lets collections follow a custom field that the transaction has created, changed or deleted: the rules on fields with its key are applied
 * again. Throws in_use if rules would not fit any more.
 */
export async function followDefinitions(tx: Tx, companyId: number, key: string, now: Date): Promise<void> {
  const collections = await lockCollectionsWithKey(tx, companyId, key);
  if (collections.length === 0) return;
  const fields = await findProductFields(tx, companyId);
  const unfit = collections.filter(({ rules }) => checkProductRules(rules, 'rules', fields).length > 0);
  if (unfit.length > 0) {
    throw new AppError('in_use', `The rules of the collection ${unfit[0]!.name} need it as it is`, {
      collection_ids: unfit.slice(0, MAX_NAMED).map(({ id }) => id),
    });
  }
  const updates = collections.map(({ id, rules }) => ({ id, refreshAt: refreshOf(rules, now) }));
  await beginUpdates(tx, companyId, updates, now);
}
