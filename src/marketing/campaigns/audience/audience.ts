import type { Tx } from '../../../db/pool.ts';
import { lockMerges } from '../../../recipients/merge-lock.ts';
import { settleHeldOut } from '../hold-out/draw-queries.ts';
import { type CampaignRow, updateCampaign } from '../queries.ts';
import { findDueTimes } from '../time-zones/due-times.ts';
import { needsSnapshot } from './composition.ts';
import * as ledger from './ledger-queries.ts';
import { type Audience, findMergedRecipients, findNextRecipients, PART } from './recipient-queries.ts';
import { trySnapshot } from './snapshot.ts';
import { deleteSnapshot } from './snapshot-queries.ts';

/**
 * Starts a campaign that the caller has locked; its audience is fixed at this moment. If evaluating the audience takes too long
 * for a response, it is evaluated in the background (worker.ts), and no message is written yet.
 * See docs/design/campaigns.md.
 */
export async function startCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const started: CampaignRow = { ...row, status: 'sending', reason: null, started_at: now, audience_cursor: 0 };
  started.counted = null;
  started.count_due = false;
  if (needsSnapshot(row)) {
    started.counted = (await trySnapshot(tx, companyId, row, now)) ?? null;
    if (started.counted === null) return updateCampaign(tx, companyId, started, now);
  }
  return writeChunk(tx, companyId, started, { now, written: 'some' });
}

interface Writing {
  now: Date;
  /** See `insertMessages`. */
  written: ledger.Written;
  /**
   * Another transaction of the company, in which no statement has run yet. It writes a part of the same size at the same time and
   * commits first. If this transaction then fails, its retry finds that part written already.
   */
  beside?: Tx;
}

/**
 * Writes the next messages of the audience into the ledger and advances the cursor in the same transaction. The last chunk sets
 * the number of recipients.
 */
export async function writeChunk(
  tx: Tx,
  companyId: number,
  row: CampaignRow,
  { now, written, beside }: Writing,
): Promise<CampaignRow> {
  await lockMerges(tx, companyId);
  const audience = { companyId, campaign: row, startedAt: row.started_at! };
  const limit = beside === undefined ? PART : 2 * PART;
  const { looked, last, ids } = await findNextRecipients(tx, audience, { after: row.audience_cursor, limit });
  const rest = ids.slice(PART);
  const due = await findDueTimes(tx, audience, ids, now);
  const parts = await Promise.allSettled([
    // In a savepoint: a failed transaction would lose its locks while the other one is still writing.
    tx.savepoint(() => ledger.insertMessages(tx, audience, ids.slice(0, PART), { now, due, written })),
    rest.length > 0 && beside && writeBeside(beside, audience, rest, { now, due, written }),
  ]);
  for (const part of parts) if (part.status === 'rejected') throw part.reason;
  if (looked < limit) {
    const merged = await findMergedRecipients(tx, audience);
    const due = await findDueTimes(tx, audience, merged.ids, now);
    await ledger.insertMessages(tx, audience, merged.ids, { now, due, written: 'some' });
    if (needsSnapshot(row)) await deleteSnapshot(tx, companyId, row.id);
  }
  const isLast = looked < limit;
  const held_out =
    isLast && row.holdout_percent > 0 ? await settleHeldOut(tx, companyId, row.id, audience.startedAt) : null;
  const recipients = isLast ? await ledger.countMessages(tx, companyId, row.id) : null;
  const cursor = last ?? row.audience_cursor;
  return updateCampaign(tx, companyId, { ...row, audience_cursor: cursor, recipients, held_out }, now);
}

function writeBeside(tx: Tx, audience: Audience, ids: number[], writing: ledger.Insertion): Promise<void> {
  return tx.commitAfter([
    // If the connection of the other transaction is lost meanwhile, so is its lock on the campaign.
    ledger.lockAgainstDeletion(tx, audience.companyId, audience.campaign.id),
    ledger.insertMessages(tx, audience, ids, writing),
  ]);
}
