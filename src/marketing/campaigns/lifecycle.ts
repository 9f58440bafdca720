import type { RequireConfirmed } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Tx } from '../../db/pool.ts';
import { type AppError, invalidField, validationFailed } from '../../errors.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { startCampaign } from './audience/audience.ts';
import { needsSnapshot } from './audience/composition.ts';
import { tryCount } from './audience/snapshot.ts';
import { deleteSnapshot } from './audience/snapshot-queries.ts';
import type { CampaignDeps } from './campaign-deps.ts';
import type { Campaign } from './campaign-schema.ts';
import * as queries from './queries.ts';
import { checkReferences, incompleteFields } from './readiness/completeness.ts';
import { refuseManyRecipients } from './readiness/many.ts';
import { requireSendable } from './readiness/sendable.ts';
import { loadRecord } from './record.ts';
import { lockCampaign, requireAction } from './require.ts';
import { readSchedule } from './schedule.ts';
import { isDone } from './status.ts';
import { findFirstZoneMoment, startsAt } from './time-zones/start.ts';

/**
 * Sends the campaign now, or schedules it for the given time. Does nothing if it is being sent already. Throws not_found,
 * validation_failed with the fields that are missing, bad_request for a campaign that has ended.
 */
export async function sendCampaign(
  { db, missingFor }: Pick<CampaignDeps, 'db' | 'missingFor'>,
  caller: Caller,
  id: number,
  when: { scheduled_at?: string | null; timezone?: string },
  requireConfirmed: RequireConfirmed,
) {
  const { companyId, now } = caller;
  const settings = await missingFor(companyId);
  return write(db, caller, async (tx) => {
    let row = await lockCampaign(tx, companyId, id);
    if (!isDone('send', row.status)) {
      // A campaign that was paused before it started may get another time.
      requireAction('send', row.started_at === null && row.status === 'paused' ? { status: 'scheduled' } : row);
      const missing = await incompleteFields(tx, companyId, row, now);
      if (missing.length > 0) throw validationFailed(missing);
      await requireSendable(tx, companyId, row, settings);
      await checkReferences(tx, companyId, row);
      await refuseManyRecipients(tx, companyId, row, now, requireConfirmed);
      const at = when.scheduled_at == null ? null : readSchedule(when.scheduled_at, when.timezone, now);
      if (row.send_in_contact_time_zone && at === null) throw scheduleRequired();
      row.scheduled_at = at;
      row.first_zone_at = await findFirstZoneMoment(tx, companyId, row, { timezone: when.timezone, now });
      row =
        at !== null && at > now
          ? await queries.updateCampaign(
              tx,
              companyId,
              { ...row, status: 'scheduled', reason: null, counted: null, count_due: false },
              now,
            )
          : await startCampaign(tx, companyId, row, now);
    }
    row = await withRecipientCount(tx, companyId, row, now);
    const { status, scheduled_at } = row;
    const recipients = row.recipients ?? row.counted;
    return {
      campaign_id: id,
      status,
      scheduled_at: scheduled_at && formatTimestamp(scheduled_at),
      recipients: recipients ?? 0,
      recipients_exact: recipients !== null,
    };
  });
}

function scheduleRequired(): AppError {
  return invalidField(
    'scheduled_at',
    'scheduled_at is required: send_in_contact_time_zone sends at a wall-clock time to come',
    'required',
  );
}

/** Counts the recipients within the time of a response; otherwise leaves the count to the background. */
async function withRecipientCount(
  tx: Tx,
  companyId: number,
  row: queries.CampaignRow,
  now: Date,
): Promise<queries.CampaignRow> {
  // A campaign with a snapshot that has started gets its count from the snapshot.
  const isUnderWay = row.started_at !== null && needsSnapshot(row);
  if (row.recipients !== null || row.counted !== null || row.count_due || isUnderWay) return row;
  const found = (await tryCount(tx, companyId, row, now)) ?? null;
  // A list campaign that is being sent needs no count in the background: all its messages are written soon.
  const isDue = found === null && row.status === 'scheduled';
  return queries.updateCampaign(tx, companyId, { ...row, counted: found, count_due: isDue }, now);
}

export type StatusAction = 'pause' | 'resume' | 'cancel';

/** Repeating an action has no effect. Throws not_found, bad_request, validation_failed. */
export async function changeStatus(
  { db, exponentOf, missingFor }: CampaignDeps,
  caller: Caller,
  id: number,
  action: StatusAction,
  requireConfirmed: RequireConfirmed,
): Promise<Campaign> {
  const { companyId, now } = caller;
  const settings = await missingFor(companyId);
  return write(db, caller, async (tx) => {
    let row = await lockCampaign(tx, companyId, id);
    if (!isDone(action, row.status)) {
      requireAction(action, row);
      if (action === 'resume') {
        await requireSendable(tx, companyId, row, settings);
        if (row.started_at === null) await refuseManyRecipients(tx, companyId, row, now, requireConfirmed);
      }
      row = await { pause, resume, cancel }[action](tx, companyId, row, now);
    }
    return loadRecord(tx, companyId, row, exponentOf);
  });
}

type Row = queries.CampaignRow;

function pause(tx: Tx, companyId: number, row: Row, now: Date): Promise<Row> {
  return queries.updateCampaign(tx, companyId, { ...row, status: 'paused', reason: null }, now);
}

async function resume(tx: Tx, companyId: number, row: Row, now: Date): Promise<Row> {
  if (row.started_at !== null) {
    return queries.updateCampaign(tx, companyId, { ...row, status: 'sending', reason: null }, now);
  }
  // Paused before it started: it is scheduled again, or starts now if its time has passed.
  const at = startsAt(row);
  if (at !== null && at > now) {
    const scheduled = { ...row, status: 'scheduled' as const, reason: null, count_due: row.counted === null };
    return queries.updateCampaign(tx, companyId, scheduled, now);
  }
  await checkReferences(tx, companyId, row);
  const missing = await incompleteFields(tx, companyId, row, now);
  if (missing.length > 0) throw validationFailed(missing);
  return startCampaign(tx, companyId, row, now);
}

/** Recipients without a message get none; the worker skips the queued messages. */
async function cancel(tx: Tx, companyId: number, row: Row, now: Date): Promise<Row> {
  const cancelled = { ...row, status: 'cancelled' as const, reason: null, finished_at: now, retry: null };
  cancelled.count_due = false;
  await deleteSnapshot(tx, companyId, row.id);
  return queries.updateCampaign(tx, companyId, cancelled, now);
}
