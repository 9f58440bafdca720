import type { Db, Tx } from '../../../db/pool.ts';
import type { Statement } from '../../../db/sql.ts';
import { withinMs } from '../../../db/time-limit.ts';
import { zoneOfContact } from '../../../recipients/time-zone.ts';
import { disableJit, segmentCondition } from '../../segments/service.ts';
import { type CampaignRow, findCampaign, findCampaignForUpdate, updateCampaign } from '../queries.ts';
import { findMissingReferences, referencesOf } from '../readiness/reference-queries.ts';
import { composedRecipients } from './composed-queries.ts';
import { partsOf } from './composition.ts';
import { countAudience, PART, recipientsOf } from './recipient-queries.ts';
import * as queries from './snapshot-queries.ts';
import { countZoneSources } from './zone-queries.ts';

/** An evaluation that takes longer than this is left to the background. */
const RESPONSE_MS = 1_000;
/** In the background, an audience that takes longer than this fails the campaign. */
const BACKGROUND_MS = 300_000;

/**
 * Evaluates the audience of a campaign that is starting, within the time of a response. Returns the number of recipients, or
 * undefined if it takes too long. The caller has locked the campaign.
 */
export function trySnapshot(tx: Tx, companyId: number, row: CampaignRow, startedAt: Date): Promise<number | undefined> {
  return withinMs(tx, RESPONSE_MS, () => evaluate(tx, companyId, row, startedAt));
}

/** The same in the background; the campaign is not locked while it runs. Returns 0 if there is nothing to do. */
export function takeSnapshot(db: Db, companyId: number, campaignId: number): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    if (!(await queries.tryLockEvaluation(tx, companyId, campaignId))) return 0;
    if (!(await queries.lacksSnapshot(tx, companyId, campaignId))) return 0;
    await tx.limitStatements(BACKGROUND_MS);
    const row = await findCampaign(tx, companyId, campaignId);
    const counted = await evaluate(tx, companyId, row!, row!.started_at!);
    const locked = await findCampaignForUpdate(tx, companyId, campaignId);
    // It was cancelled or deleted meanwhile.
    if (locked?.status !== 'sending' && locked?.status !== 'paused') {
      await queries.deleteSnapshot(tx, companyId, campaignId);
      return 0;
    }
    await updateCampaign(tx, companyId, { ...locked, counted, count_due: false }, locked.updated_at);
    return 1;
  });
}

/** One statement, so that it sees all contacts at the same moment. */
async function evaluate(tx: Tx, companyId: number, row: CampaignRow, startedAt: Date): Promise<number> {
  const recipients = await findRecipients(tx, companyId, row, startedAt);
  return queries.insertSnapshot(tx, companyId, row.id, recipients, PART);
}

/** How many recipients the campaign would have now; undefined if it takes too long for a response. */
export function tryCount(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<number | undefined> {
  return withinMs(tx, RESPONSE_MS, () => count(tx, companyId, row, row.started_at ?? now));
}

/** How many of those recipients have a known time zone; undefined if it takes too long for a response. */
export function tryCountZones(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<number | undefined> {
  return withinMs(tx, RESPONSE_MS, async () => {
    const groups = await countZoneSources(
      tx,
      companyId,
      await findRecipients(tx, companyId, row, row.started_at ?? now),
    );
    return groups.reduce((sum, { n, ...sources }) => sum + (zoneOfContact(sources) === null ? 0 : n), 0);
  });
}

/** The number of recipients in the background. Returns 0 if no count is due any more. */
export async function countInBackground(db: Db, companyId: number, campaignId: number, now: Date): Promise<number> {
  return db.tenantTx(companyId, async (tx) => {
    const row = await findCampaign(tx, companyId, campaignId);
    if (row === undefined || !row.count_due) return 0;
    await tx.limitStatements(BACKGROUND_MS);
    const isWanted = row.status === 'scheduled' && partsOf(row).audiences.length > 0;
    const counted = isWanted ? await count(tx, companyId, row, row.started_at ?? now) : null;
    await queries.storeCount(tx, companyId, row, counted);
    return 1;
  });
}

async function count(tx: Tx, companyId: number, row: CampaignRow, startedAt: Date): Promise<number> {
  return countAudience(tx, await findRecipients(tx, companyId, row, startedAt));
}

/** The statement that selects them. */
async function findRecipients(tx: Tx, companyId: number, row: CampaignRow, startedAt: Date): Promise<Statement> {
  await disableJit(tx);
  const { segment_id, audience } = row;
  if (audience !== null) {
    const { lists, segments, campaigns } = await findMissingReferences(tx, companyId, referencesOf(row));
    // What was deleted after the start has no contacts, and would exclude none.
    const isWhole = lists.length + segments.length + campaigns.length === 0;
    return composedRecipients(
      tx,
      { companyId, campaign: row, startedAt },
      isWhole ? audience : { ...audience, audiences: [] },
    );
  }
  const condition =
    segment_id === null ? null : await segmentCondition(tx, companyId, segment_id, startedAt, 'current');
  return recipientsOf({ companyId, campaign: row, startedAt }, condition);
}
