import { keysetPages } from '../../../db/keyset-pages.ts';
import type { Db } from '../../../db/pool.ts';
import { csvLine } from '../../../lib/csv/write.ts';
import { StreamedText } from '../../../lib/streamed.ts';
import type { RecipientRow } from '../report/queries.ts';
import { requireCampaign } from '../require.ts';
import * as queries from './queries.ts';
import { ACTIVITIES, type ActivityState, isActivity, type RecipientState } from './states.ts';

const COLUMNS = [
  ...['message_id', 'contact_id', 'first_name', 'last_name', 'recipient', 'status', 'reason', 'variant'],
  'sent_at',
];

/** Recipients whose messages have the activity, newest first. `variants`: the campaign's variant keys, '' for messages without one. */
export async function listByActivity(
  db: Db,
  companyId: number,
  campaignId: number,
  { state, variants }: { state: ActivityState; variants: readonly string[] },
  page: { skip: number; take: number },
): Promise<{ rows: RecipientRow[]; total: number }> {
  const types = ACTIVITIES[state];
  const [range, total, isLocated] = await Promise.all([
    queries.findRange(db, companyId, campaignId),
    queries.countByActivity(db, companyId, campaignId, types),
    queries.isLocated(db, companyId, campaignId),
  ]);
  if (range === null) return { rows: [], total: 0 };
  const list = isLocated ? queries.locateByActivity : queries.listByActivity;
  const facets = types.flatMap((type) => variants.map((variant) => `${type}:${variant}`));
  return { rows: await list(db, companyId, campaignId, { range, types, facets }, page), total };
}

/** The recipients as CSV, read while it is sent. Throws not_found. */
export async function exportRecipients(
  db: Db,
  companyId: number,
  campaignId: number,
  state: RecipientState | undefined,
): Promise<StreamedText> {
  await requireCampaign(db, companyId, campaignId);
  const range = await queries.findRange(db, companyId, campaignId);
  const lines =
    range === null
      ? []
      : keysetPages(db, 'desc', (page) =>
          state !== undefined && isActivity(state)
            ? queries.linesByActivity(companyId, campaignId, range, ACTIVITIES[state], page)
            : queries.linesByState(companyId, campaignId, range, state ?? null, page),
        );
  const name = `campaign-${campaignId}-${state ?? 'recipients'}.csv`;
  return new StreamedText(textOf(lines), name);
}

async function* textOf(pages: AsyncIterable<string[]> | string[][]): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const page of pages) yield page.map((row) => csvLine(JSON.parse(row) as unknown[])).join('');
}
