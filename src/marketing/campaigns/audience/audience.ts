import type { Tx } from '../../../db/pool.ts';
import { holdMerges } from '../../contacts/service.ts';
import { type CampaignRow, updateCampaign } from '../queries.ts';
import * as queries from './queries.ts';
import { trySnapshot } from './snapshot.ts';
import { deleteSnapshot } from './snapshot-queries.ts';

const { PART } = queries;

/**
 * Starts a campaign, which the caller has locked: from now on its audience is who belongs to it at this moment. Where its segment
 * takes too long for a response, that is found out in the background (see worker.ts), and nobody is written yet.
 */
export async function startCampaign(tx: Tx, companyId: number, row: CampaignRow, now: Date): Promise<CampaignRow> {
  const started: CampaignRow = { ...row, status: 'sending', reason: null, started_at: now, audience_cursor: 0 };
  started.counted = null;
  started.count_due = false;
  if (row.segment_id !== null) {
    started.counted = (await trySnapshot(tx, companyId, row, now)) ?? null;
    if (started.counted === null) return updateCampaign(tx, companyId, started, now);
  }
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
  const audience = { companyId, campaign: row, startedAt: row.started_at! };
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
    if (row.segment_id !== null) await deleteSnapshot(tx, companyId, row.id);
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
