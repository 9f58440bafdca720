import type { Db } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import { compareGroups } from '../hold-out/hold-out.ts';
import * as queries from '../queries.ts';
import { listByActivity } from '../recipients/recipients.ts';
import { isActivity } from '../recipients/states.ts';
import type { Recipient, RecipientQuery } from './contract.ts';
import { countsOf, daysOf } from './counts.ts';
import * as reportQueries from './queries.ts';

/** Newest first; the total is exact. Throws not_found. */
export async function listRecipients(
  db: Db,
  companyId: number,
  id: number,
  query: RecipientQuery,
): Promise<Page<Recipient>> {
  const campaign = await queries.findCampaign(db, companyId, id);
  if (campaign === undefined) throw notFound(`campaign ${id}`);
  const { page, perPage, ...shown } = pageOf(query);
  const keys = ['', ...campaign.variants.map((variant) => variant.key)];
  const { state = null } = query;
  const filter = { state, facets: state === null ? null : keys.map((key) => `${state}:${key}`) };
  const found =
    state !== null && isActivity(state)
      ? await listByActivity(db, companyId, id, { state, variants: keys }, shown)
      : await reportQueries.listRecipients(db, companyId, id, filter, shown);
  const rows = found.rows.map(({ id: message_id, handed_over_at, ...row }) => {
    return {
      message_id,
      ...row,
      sent_at: row.status === 'sent' && handed_over_at ? formatTimestamp(handed_over_at) : null,
    };
  });
  return { rows, total: found.total, page, perPage };
}

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
