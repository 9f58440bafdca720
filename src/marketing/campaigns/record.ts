import type { Queryable } from '../../db/pool.ts';
import { type Page, pageOf, partOf } from '../../lib/paging.ts';
import { sortOf } from '../../lib/sorting.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { shownAudience } from './audience/composition.ts';
import { timesOf } from './batches/plan.ts';
import type { CampaignDeps, ExponentOf } from './campaign-deps.ts';
import type { Campaign, CampaignQuery } from './campaign-schema.ts';
import * as queries from './queries.ts';
import { countsOf } from './report/counts.ts';
import * as reportQueries from './report/queries.ts';
import { requireCampaign } from './require.ts';
import type { CampaignStatus } from './status.ts';
import { startsAt } from './time-zones/start.ts';

/** Statuses in which `counted` is the number of recipients until all messages are in the ledger. */
const EXPECTED: CampaignStatus[] = ['scheduled', 'sending', 'paused'];

export function recordOf(row: queries.CampaignRow, counts: reportQueries.CountRow[], exponent: number): Campaign {
  const {
    id,
    sender,
    audience_cursor: _cursor,
    counted: _counted,
    count_due: _due,
    retry: _retry,
    first_zone_at: _first,
    audience: _audience,
    batching: _batching,
    ...rest
  } = row;
  const timestamp = (moment: Date | null): string | null => moment && formatTimestamp(moment);
  const own = countsOf(counts, id, exponent);
  const written = own.queued + own.sent + own.failed + own.skipped + own.unknown;
  const known = row.recipients ?? (EXPECTED.includes(row.status) ? row.counted : null);
  return {
    ...rest,
    ...shownAudience(row),
    campaign_id: id,
    from: sender,
    batch_progress: batchProgressOf(row),
    scheduled_at: timestamp(row.scheduled_at),
    starts_at: timestamp(startsAt(row)),
    started_at: timestamp(row.started_at),
    finished_at: timestamp(row.finished_at),
    recipients: known ?? written,
    recipients_exact: known !== null || !EXPECTED.includes(row.status),
    counts: own,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

function batchProgressOf({ status, batches, batching, recipients }: queries.CampaignRow): Campaign['batch_progress'] {
  const isOpen = status === 'sending' || status === 'paused';
  if (!isOpen || batches === null || batching === null || recipients === null) return null;
  const { next_at, ends_at } = timesOf(batches, batching, { recipients, isPaused: status === 'paused' });
  return {
    size: batching.size,
    released: batching.released,
    next_at: next_at && formatTimestamp(next_at),
    ends_at: ends_at && formatTimestamp(ends_at),
  };
}

/** The campaign as the API shows it, with its counts. */
export async function loadRecord(db: Queryable, companyId: number, row: queries.CampaignRow, exponentOf: ExponentOf) {
  const [counts, exponent] = await Promise.all([
    reportQueries.findCounts(db, companyId, [row.id]),
    exponentOf(companyId),
  ]);
  return recordOf(row, counts, exponent);
}

/** In the order of `query.sort`. */
export async function listCampaigns(
  { db, exponentOf }: CampaignDeps,
  companyId: number,
  query: CampaignQuery,
): Promise<Page<Campaign>> {
  const { page, perPage, ...bounds } = pageOf(query);
  const found = await queries.listCampaigns(db, companyId, filtersOf(query), bounds);
  const rows = await recordsOf({ db, exponentOf }, companyId, found.rows);
  return { rows, total: found.total, page, perPage };
}

/** The same list as a whole, in pages. */
export async function* campaignsInOrder(
  deps: Pick<CampaignDeps, 'db' | 'exponentOf'>,
  companyId: number,
  query: CampaignQuery,
): AsyncGenerator<Page<Campaign>> {
  for await (const rows of queries.walkCampaigns(deps.db, companyId, filtersOf(query)))
    yield partOf(await recordsOf(deps, companyId, rows));
}

function filtersOf({ type, status, sort }: CampaignQuery): queries.CampaignFilters {
  return { type: type ?? null, status: status ?? null, sort: sortOf(sort) };
}

async function recordsOf(
  { db, exponentOf }: Pick<CampaignDeps, 'db' | 'exponentOf'>,
  companyId: number,
  rows: queries.CampaignRow[],
): Promise<Campaign[]> {
  const ids = rows.map((row) => row.id);
  const [counts, exponent] = await Promise.all([reportQueries.findCounts(db, companyId, ids), exponentOf(companyId)]);
  return rows.map((row) => recordOf(row, counts, exponent));
}

/** Throws not_found. */
export async function getCampaign(
  { db, exponentOf, warmUpOf }: CampaignDeps,
  companyId: number,
  id: number,
  now: Date,
): Promise<Campaign> {
  const row = await requireCampaign(db, companyId, id);
  const campaign = await loadRecord(db, companyId, row, exponentOf);
  if (row.type !== 'email' || !EXPECTED.includes(row.status)) return campaign;
  const { sent, failed, skipped, unknown } = campaign.counts;
  const open = Math.max(0, campaign.recipients - sent - failed - skipped - unknown);
  const progress = await warmUpOf(companyId, row.sender, open, now);
  return progress === null ? campaign : { ...campaign, warm_up: progress };
}
