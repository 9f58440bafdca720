import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Slice } from '../../lib/slice.ts';
import * as queries from './queries.ts';

/** Records of a slice. */
const AT_ONCE = 1_000;
const FIELDS_AT_ONCE = 50;

/** Removes the values of deleted fields, a slice of each field at a time, and then their definitions. */
export function removeDeletedFields({ db, log }: { db: Db; log: Logger }): Slice<true> {
  return async () => {
    let done = 0;
    let isMore = false;
    let failed: unknown;
    for (const field of await queries.findDeleted(db, FIELDS_AT_ONCE)) {
      const removed = await db
        .tenantTx(field.company_id, async (tx) => {
          const n = await queries.removeValues(tx, field, AT_ONCE);
          // Records that others had locked are left: the next turn finds them.
          if (n === 0) await queries.deleteField(tx, field);
          return n;
        })
        .catch((error: unknown) => {
          // An error of one field does not stop the others.
          if (isUnavailable(error)) throw error;
          log.warn({ err: error, field }, 'the values of a deleted custom field could not be removed');
          failed ??= error;
          return 0;
        });
      done += removed;
      isMore ||= removed > 0;
    }
    // Failed, the chore runs again after its interval, although nothing was written.
    if (failed !== undefined && !isMore) throw failed;
    return { done, next: isMore ? true : null };
  };
}
