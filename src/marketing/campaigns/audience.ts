import type { Queryable, Tx } from '../../db/pool.ts';
import { holdMerges } from '../contacts/service.ts';
import { segmentCondition } from '../segments/service.ts';
import * as queries from './audience-queries.ts';
import { type CampaignRow, updateCampaign } from './queries.ts';

/** Contacts whom one statement writes into the ledger: an eighth of a second of work. */
const PART = 10_000;

/** Starts a campaign, which the caller has locked: from now on its audience is who belongs to it at this moment. */
export async function startCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const started: CampaignRow = { ...row, status: 'sending', reason: null, started_at: now, audience_cursor: 0 };
  return writeChunk(tx, companyId, started, { now, written: 'some' });
}

interface Writing {
  now: Date;
  /** As in `insertMessages`. */
  written: queries.Written;
  /**
   * A transaction of the same company's that has done nothing yet: it writes a part as large at the same time, and is
   * committed before this one goes on. Should this one fail after all, the part is written already when it is tried again.
   */
  beside?: Tx;
}

/**
 * Writes the next of the audience into the ledger, and in the same transaction how far it got. The last of it fixes the number
 * of recipients.
 */
export async function writeChunk(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  { now, written, beside }: Writing,
): Promise<CampaignRow> {
  await holdMerges(tx, companyId);
  const audience = await audienceOf(tx, companyId, row, row.started_at!);
  const limit = beside === undefined ? PART : 2 * PART;
  const { looked, last, ids } = await queries.findPeople(tx, audience, { after: row.audience_cursor, limit });
  const rest = ids.slice(PART);
  const parts = await Promise.allSettled([
    // With a savepoint: a transaction that has failed holds no lock any more, and the other one would go on without.
    tx.savepoint(() => queries.insertMessages(tx, audience, ids.slice(0, PART), { now, written })),
    rest.length > 0 && beside && writeBeside(beside, audience, rest, { now, written }),
  ]);
  for (const part of parts) if (part.status === 'rejected') throw part.reason;
  if (looked < limit) {
    const merged = await queries.findMerged(tx, audience);
    await queries.insertMessages(tx, audience, merged.ids, { now, written: 'some' });
  }
  const recipients = looked < limit ? await queries.countMessages(tx, companyId, row.id) : null;
  return updateCampaign(tx, companyId, { ...row, audience_cursor: last ?? row.audience_cursor, recipients }, now);
}

function writeBeside(tx: Tx, audience: queries.Audience, ids: number[], { now, written }: Writing): Promise<void> {
  return tx.commitAfter([
    // Where the other's connection is lost meanwhile, the campaign is there still.
    queries.keepCampaign(tx, audience.companyId, audience.campaign.id),
    queries.insertMessages(tx, audience, ids, { now, written }),
  ]);
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
