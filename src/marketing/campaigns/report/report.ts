import { notFound } from '../../../errors.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import { compareGroups } from '../hold-out/hold-out.ts';
import * as queries from '../queries.ts';
import { countsOf, daysOf } from './counts.ts';
import * as reportQueries from './queries.ts';

/** How many links a report shows. */
const LINKS = 100;

/** Throws not_found. */
export async function getReport(
  { db, exponentOf, attributionDaysOf }: Pick<CampaignDeps, 'db' | 'exponentOf' | 'attributionDaysOf'>,
  companyId: number,
  id: number,
) {
  const campaign = await queries.findCampaign(db, companyId, id);
  if (campaign === undefined) throw notFound(`campaign ${id}`);
  const [exponent, attributionDays] = await Promise.all([exponentOf(companyId), attributionDaysOf(companyId)]);
  const [counts, reasons, days, links, hold_out] = await Promise.all([
    reportQueries.findCounts(db, companyId, [id]),
    reportQueries.findReasons(db, companyId, id),
    reportQueries.findDays(db, companyId, id),
    reportQueries.findClicks(db, companyId, id, LINKS),
    compareGroups(db, companyId, campaign, { exponent, days: attributionDays }),
  ]);
  return {
    campaign_id: id,
    counts: countsOf(counts, id, exponent),
    winner: campaign.winner,
    hold_out,
    variants: campaign.variants.map(({ key }) => ({ key, counts: countsOf(counts, id, exponent, key) })),
    links,
    days: daysOf(days, exponent),
    reasons,
  };
}
