import type { Queryable, Tx } from '../../db/pool.ts';
import { holdMerges } from '../contacts/service.ts';
import { segmentCondition } from '../segments/service.ts';
import * as queries from './audience-queries.ts';
import { type CampaignRow, updateCampaign } from './queries.ts';

/** Contacts written into the ledger by one transaction: a quarter of a second of work. */
const CHUNK = 10_000;

/** Starts a campaign, which the caller has locked: from now on its audience is who belongs to it at this moment. */
export async function startCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const started: CampaignRow = { ...row, status: 'sending', reason: null, started_at: now, audience_cursor: 0 };
  return writeChunk(tx, companyId, started, now);
}

/**
 * Writes the next part of the audience in the same transaction as how far it got. The last part fixes the number of
 * recipients.
 */
export async function writeChunk(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  await holdMerges(tx, companyId);
  const audience = await audienceOf(tx, companyId, row, row.started_at!);
  const chunk = { after: row.audience_cursor, limit: CHUNK, now };
  const { n, last } = await queries.insertAudience(tx, audience, chunk);
  if (n < CHUNK) await queries.insertMerged(tx, audience, now);
  const recipients = n < CHUNK ? await queries.countMessages(tx, companyId, row.id) : null;
  return updateCampaign(tx, companyId, { ...row, audience_cursor: last, recipients }, now);
}

/** Whom the campaign would go to now, or went to. */
export async function countRecipients(db: Queryable, companyId: number, row: CampaignRow, now: Date): Promise<number> {
  if (row.recipients !== null) return row.recipients;
  if (row.list_id === null && row.segment_id === null) return 0;
  return queries.countAudience(db, await audienceOf(db, companyId, row, row.started_at ?? now));
}

async function audienceOf(
  db: Queryable,
  companyId: number,
  row: CampaignRow,
  startedAt: Date,
): Promise<queries.Audience> {
  const audience = { companyId, campaign: row, startedAt };
  if (row.segment_id === null) return { ...audience, condition: null };
  return { ...audience, condition: await segmentCondition(db, companyId, row.segment_id, startedAt) };
}
