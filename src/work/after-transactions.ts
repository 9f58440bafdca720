import type { Logger } from 'pino';
import type { Db, Queryable, Tx } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Slice } from '../lib/slice.ts';

/** Changes of settings that are applied to the rows of a company in slices. */
interface Changes<Change extends { company_id: number }> {
  find: (db: Queryable) => Promise<Change[]>;
  /** Differs between two changes of the same settings. */
  keyOf: (change: Change) => string;
  /** Applies a change to the next rows. Returns whether more can be done at once. */
  apply: (tx: Tx, change: Change) => Promise<boolean>;
  /** What the log says of a change that could not be applied. */
  failure: string;
}

/**
 * Applies changes in slices. A transaction that writes by the settings of before may still be under way, and its writes come too late to be
 * seen: so a change waits until all transactions have ended that were under way when it was first seen here.
 */
export function applyAfterTransactions<Change extends { company_id: number }>(
  { db, log }: { db: Db; log: Logger },
  { find, keyOf, apply, failure }: Changes<Change>,
): Slice<true> {
  let waiting = new Map<string, number>();
  return async () => {
    const changes = await find(db);
    const before = waiting;
    waiting = new Map();
    if (changes.length === 0) return { done: 0, next: null };
    const { next, oldest } = await findTransactions(db);
    let done = 0;
    let isMore = false;
    let failed: unknown;
    for (const change of changes) {
      const key = `${change.company_id} ${keyOf(change)}`;
      const until = before.get(key) ?? next;
      waiting.set(key, until);
      if (oldest < until) continue;
      const more = await db
        .tenantTx(change.company_id, (tx) => apply(tx, change))
        .catch((error: unknown) => {
          // An error of one does not stop the others.
          if (isUnavailable(error)) throw error;
          log.warn({ err: error, change }, failure);
          failed ??= error;
          return false;
        });
      isMore ||= more;
      done++;
    }
    // Failed, the chore runs again after its interval, although nothing was written.
    if (failed !== undefined && !isMore) throw failed;
    return { done, next: isMore ? true : null };
  };
}

/** Returns the transaction that none has reached, and the oldest that has not ended. */
async function findTransactions(db: Queryable): Promise<{ next: number; oldest: number }> {
  const rows = await db.query<{ next: number; oldest: number }>(sql`
    select pg_snapshot_xmax(s)::text::bigint as next, pg_snapshot_xmin(s)::text::bigint as oldest from pg_current_snapshot() s`);
  return rows[0]!;
}
