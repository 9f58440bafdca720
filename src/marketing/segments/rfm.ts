import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import * as queries from './rfm-queries.ts';

const DAY_MS = 24 * 3_600_000;
/** Companies per turn: a few seconds of work if all of them are large. */
const COMPANIES_AT_ONCE = 20;

/**
 * Computes the RFM class boundaries of each company once a day, from the totals of past days (see `rfm_boundaries`).
 * Returns the number of companies. Safe to run in two processes at once.
 */
export async function classifyBuyers({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  const now = clock.now();
  const companies = await queries.companiesToClassify(db, new Date(now.getTime() - DAY_MS), COMPANIES_AT_ONCE);
  for (const companyId of companies) {
    await db.tenantTx(companyId, (tx) => queries.computeBoundaries(tx, companyId, now));
  }
  return companies.length;
}
