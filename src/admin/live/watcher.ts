import type { Queryable } from '../../db/pool.ts';
import { type Marks, marksByCompany } from './kinds.ts';
import { readMarks } from './queries.ts';

/** Companies per statement. */
const AT_ONCE = 100;
const DAY_MS = 86_400_000;

/**
 * Returns the current change numbers of the companies: one statement per hundred companies, however many people watch.
 * See docs/design/admin-app.md.
 */
export async function marksOf(db: Queryable, companies: readonly number[], now: Date): Promise<Map<number, Marks>> {
  const all = new Map<number, Marks>();
  for (let i = 0; i < companies.length; i += AT_ONCE) {
    const some = companies.slice(i, i + AT_ONCE);
    const rows = await readMarks(db, some, monthOf(new Date(now.getTime() - DAY_MS)));
    for (const [company, marks] of marksByCompany(some, rows)) all.set(company, marks);
  }
  return all;
}

/** Returns the start of the month, where a partition of events begins. */
function monthOf(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1));
}
