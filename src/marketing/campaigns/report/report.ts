import type { Db } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import { compareGroups } from '../hold-out/hold-out.ts';
import * as queries from '../queries.ts';
import type { Benchmark } from './contract.ts';
import { benchmarkOf, countsOf, daysOf } from './counts.ts';
import * as reportQueries from './queries.ts';

/** How many links a report shows. */
const LINKS = 100;
/** With how many campaigns it is compared, and how long before it they started. */
const COMPARED_WITH = 100;
const COMPARED_MS = 90 * 86_400_000;

/** Throws not_found. */
export async function getReport(
  { db, exponentOf, attributionDaysOf }: Pick<CampaignDeps, 'db' | 'exponentOf' | 'attributionDaysOf'>,
  companyId: number,
  id: number,
) {
  const campaign = await queries.findCampaign(db, companyId, id);
  if (campaign === undefined) throw notFound(`campaign ${id}`);
  const [exponent, attributionDays] = await Promise.all([exponentOf(companyId), attributionDaysOf(companyId)]);
  const [counts, reasons, days, links, hold_out, benchmark] = await Promise.all([
    reportQueries.findCounts(db, companyId, [id]),
    reportQueries.findReasons(db, companyId, id),
    reportQueries.findDays(db, companyId, id),
    reportQueries.findClicks(db, companyId, id, LINKS),
    compareGroups(db, companyId, campaign, { exponent, days: attributionDays }),
    findBenchmark(db, companyId, campaign, exponent),
  ]);
  return {
    campaign_id: id,
    counts: countsOf(counts, id, exponent),
    benchmark,
    winner: campaign.winner,
    hold_out,
    variants: campaign.variants.map(({ key }) => ({ key, counts: countsOf(counts, id, exponent, key) })),
    links,
    days: daysOf(days, exponent),
    reasons,
  };
}

async function findBenchmark(
  db: Db,
  companyId: number,
  { type, started_at: startedAt }: queries.CampaignRow,
  exponent: number,
): Promise<Benchmark | null> {
  if (startedAt === null) return null;
  const from = new Date(startedAt.getTime() - COMPARED_MS);
  const before = { type, from, before: startedAt, limit: COMPARED_WITH };
  const ids = await reportQueries.findStarted(db, companyId, before);
  return benchmarkOf(ids.length === 0 ? [] : await reportQueries.findCounts(db, companyId, ids), ids.length, exponent);
}
