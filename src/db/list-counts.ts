import type { Slice } from '../lib/slice.ts';
import type { Queryable } from './pool.ts';
import { sql } from './sql.ts';

/** Changes that one statement adds up. */
const AT_ONCE = 50_000;

/** Adds the changes of the kept totals up (see list_counts); what a list's total is stays the same. */
export function foldListCounts(db: Queryable): Slice<true> {
  return async () => {
    const rows = await db.query<{ folded: number }>(sql`select fold_list_counts(${AT_ONCE}) as folded`);
    const { folded } = rows[0]!;
    return { done: folded, next: folded < AT_ONCE ? null : true };
  };
}
