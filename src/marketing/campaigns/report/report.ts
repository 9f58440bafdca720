import type { Db } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { formatTimestamp } from '../../time.ts';
import * as queries from '../queries.ts';
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
  const { page, perPage } = pageOf(query);
  const keys = ['', ...campaign.variants.map((variant) => variant.key)];
  const filter =
    query.state === undefined
      ? { state: null, facets: null }
      : { state: query.state, facets: keys.map((key) => `${query.state}:${key}`) };
  const found = await reportQueries.listRecipients(db, companyId, id, filter, {
    skip: (page - 1) * perPage,
    take: perPage,
  });
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
export async function getReport(db: Db, companyId: number, id: number, exponent: number) {
  const campaign = await queries.findCampaign(db, companyId, id);
  if (campaign === undefined) throw notFound(`campaign ${id}`);
  const [counts, reasons, days, links] = await Promise.all([
    reportQueries.findCounts(db, companyId, [id]),
    reportQueries.findReasons(db, companyId, id),
    reportQueries.findDays(db, companyId, id),
    reportQueries.findClicks(db, companyId, id, LINKS),
  ]);
  return {
    campaign_id: id,
    counts: countsOf(counts, id, exponent),
    winner: campaign.winner,
    variants: campaign.variants.map(({ key }) => ({ key, counts: countsOf(counts, id, exponent, key) })),
    links,
    days: daysOf(days, exponent),
    reasons,
  };
}
