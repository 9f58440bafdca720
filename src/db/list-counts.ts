import type { Queryable } from './pool.ts';
import { sql } from './sql.ts';

/** Adds the changes of the kept totals up (see list_counts); what a list's total is stays the same. Gives how many. */
export async function foldListCounts(db: Queryable): Promise<number> {
  const rows = await db.query<{ folded: number }>(sql`select fold_list_counts() as folded`);
  return rows[0]!.folded;
}
