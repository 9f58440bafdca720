import type { Slice } from '../lib/slice.ts';
import type { Queryable } from './pool.ts';
import { sql } from './sql.ts';

/** Changes that one statement sums up. */
const AT_ONCE = 50_000;

/** Folds the changes of kept totals (see list_counts) into them; each list's total stays the same. */
export function foldListCounts(db: Queryable): Slice<true> {
  return async () => {
    const rows = await db.query<{ folded: number }>(sql`select fold_list_counts(${AT_ONCE}) as folded`);
    const { folded } = rows[0]!;
    return { done: folded, next: folded < AT_ONCE ? null : true };
  };
}
