import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import * as queries from './rfm-queries.ts';

const DAY_MS = 24 * 3_600_000;
/** Companies in one turn: a few seconds' work where all of them are large. */
const COMPANIES_AT_ONCE = 20;

/**
 * Computes once a day where the classes of a company's buyers begin, from the totals of the days past (see
 * `rfm_boundaries`); gives of how many companies. Two processes that do the same do no harm.
 */
export async function classifyBuyers({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  const now = clock.now();
  const companies = await queries.companiesToClassify(db, new Date(now.getTime() - DAY_MS), COMPANIES_AT_ONCE);
  for (const companyId of companies) {
    await db.tenantTx(companyId, (tx) => queries.computeBoundaries(tx, companyId, now));
  }
  return companies.length;
}
