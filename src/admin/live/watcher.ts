import type { Queryable } from '../../db/pool.ts';
import { type Marks, marksByCompany } from './kinds.ts';
import { readMarks } from './queries.ts';

/** Companies of one statement. */
const AT_ONCE = 100;
const DAY_MS = 86_400_000;

/** The marks of the companies now: a statement for each hundred of them, however many watch. */
export async function marksOf(db: Queryable, companies: readonly number[], now: Date): Promise<Map<number, Marks>> {
  const all = new Map<number, Marks>();
  for (let i = 0; i < companies.length; i += AT_ONCE) {
    const some = companies.slice(i, i + AT_ONCE);
    const rows = await readMarks(db, some, monthOf(new Date(now.getTime() - DAY_MS)));
    for (const [company, marks] of marksByCompany(some, rows)) all.set(company, marks);
  }
  return all;
}

/** Its first moment, where a partition of events begins. */
function monthOf(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1));
}
