import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Slice } from '../../../lib/slice.ts';

/** Deltas that one statement adds up. If a customer's orders are added up anew, all deltas of that customer are read. */
const AT_ONCE = 2_000;

/** Adds changes by orders to customers' spent amounts and times of last order. */
export function foldCustomerFigures(db: Queryable): Slice<true> {
  return async () => {
    const rows = await db.query<{ folded: number }>(sql`select fold_customer_figures(${AT_ONCE}) as folded`);
    const { folded } = rows[0]!;
    return { done: folded, next: folded < AT_ONCE ? null : true };
  };
}

/** Waits for the fold, and keeps it from changing figures until COMMIT. */
export async function holdCustomerFigures(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7265319432)`);
}
