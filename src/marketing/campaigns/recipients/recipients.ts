import { keysetPages } from '../../../db/keyset-pages.ts';
import type { Db } from '../../../db/pool.ts';
import { csvLine } from '../../../lib/csv/write.ts';
import { type Page, type PageBounds, pageOf } from '../../../lib/paging.ts';
import { StreamedText } from '../../../lib/streamed.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { requireCampaign } from '../require.ts';
import type { Recipient, RecipientQuery } from './contract.ts';
import * as queries from './queries.ts';
import { ACTIVITIES, type ActivityState, isActivity, type RecipientState } from './states.ts';

const COLUMNS = [
  ...['message_id', 'contact_id', 'first_name', 'last_name', 'recipient', 'status', 'reason', 'variant'],
  'sent_at',
];

/** Newest first; the total is exact. Throws not_found. */
export async function listRecipients(
  db: Db,
  companyId: number,
  campaignId: number,
  query: RecipientQuery,
): Promise<Page<Recipient>> {
  await requireCampaign(db, companyId, campaignId);
  const { page, perPage, ...bounds } = pageOf(query);
  const { state = null } = query;
  const found =
    state !== null && isActivity(state)
      ? await listByActivity(db, companyId, campaignId, state, bounds)
      : await queries.listByState(db, companyId, campaignId, state, bounds);
  const rows = found.rows.map(({ id: message_id, handed_over_at, ...row }) => ({
    message_id,
    ...row,
    sent_at: row.status === 'sent' && handed_over_at ? formatTimestamp(handed_over_at) : null,
  }));
  return { rows, total: found.total, page, perPage };
}

async function listByActivity(db: Db, companyId: number, campaignId: number, state: ActivityState, bounds: PageBounds) {
  const range = await queries.findRange(db, companyId, campaignId);
  return range === null
    ? { rows: [], total: 0 }
    : queries.listByActivity(db, companyId, campaignId, { range, types: ACTIVITIES[state] }, bounds);
}

/** The recipients as CSV, read while it is sent. Throws not_found. */
export async function exportRecipients(
  db: Db,
  companyId: number,
  campaignId: number,
  state: RecipientState | undefined,
): Promise<StreamedText> {
  await requireCampaign(db, companyId, campaignId);
  const lines = await linesOf(db, companyId, campaignId, state ?? null);
  return new StreamedText(textOf(lines), `campaign-${campaignId}-${state ?? 'recipients'}.csv`);
}

async function linesOf(
  db: Db,
  companyId: number,
  campaignId: number,
  state: RecipientState | null,
): Promise<AsyncIterable<string[]> | string[][]> {
  if (state === null || !isActivity(state))
    return keysetPages(db, 'desc', (page) => queries.linesByState(companyId, campaignId, state, page));
  const range = await queries.findRange(db, companyId, campaignId);
  if (range === null) return [];
  const happened = { range, types: ACTIVITIES[state] };
  return keysetPages(db, 'desc', (page) => queries.linesByActivity(companyId, campaignId, happened, page));
}

async function* textOf(pages: AsyncIterable<string[]> | string[][]): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const page of pages) yield page.map((row) => csvLine(JSON.parse(row) as unknown[])).join('');
}
