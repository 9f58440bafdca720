import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import type { Previewer } from '../../messaging/compose/preview.ts';
import type { MissingSetting } from '../../messaging/gate/missing-settings.ts';
import { formatTimestamp } from '../time.ts';
import { startCampaign } from './audience/audience.ts';
import { skipCancelled } from './audience/queries.ts';
import { tryCount } from './audience/snapshot.ts';
import { deleteSnapshot } from './audience/snapshot-queries.ts';
import { checkContents, checkNames, incompleteFields } from './completeness.ts';
import type { Campaign, CampaignInput, CampaignPatch, CampaignQuery } from './contract.ts';
import { countsOf } from './counts.ts';
import * as queries from './queries.ts';
import { lockCampaign, requireCampaign, requireDeed } from './require.ts';
import { beginRetry } from './retry/retry.ts';
import { readSchedule } from './schedule.ts';
import { requireSendable } from './sendable.ts';
import { type CampaignStatus, isDone } from './status.ts';

export { previewCampaign, testCampaign } from './preview.ts';
export { getReport, listRecipients } from './reports.ts';

/** The shop's currency counts decimals by this. */
type ExponentOf = (companyId: number) => Promise<number>;

/** What deeds on campaigns need of the app. */
export interface CampaignDeps {
  db: Db;
  exponentOf: ExponentOf;
  previewer: Previewer;
  /** Settings without which nothing goes out. */
  missing: readonly MissingSetting[];
}

/** In which a campaign's recipients may be counted before all of them are written. */
const EXPECTED: CampaignStatus[] = ['scheduled', 'sending', 'paused'];

function recordOf(row: queries.CampaignRow, counts: queries.CountRow[], exponent: number): Campaign {
  const { id, sender, audience_cursor: _cursor, counted: _counted, count_due: _due, retry: _retry, ...rest } = row;
  const timestamp = (moment: Date | null): string | null => moment && formatTimestamp(moment);
  const own = countsOf(counts, id, exponent);
  const written = own.queued + own.sent + own.failed + own.skipped + own.unknown;
  const known = row.recipients ?? (EXPECTED.includes(row.status) ? row.counted : null);
  return {
    ...rest,
    campaign_id: id,
    from: sender,
    scheduled_at: timestamp(row.scheduled_at),
    started_at: timestamp(row.started_at),
    finished_at: timestamp(row.finished_at),
    recipients: known ?? written,
    recipients_exact: known !== null || !EXPECTED.includes(row.status),
    counts: own,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

async function present(db: Queryable, companyId: number, row: queries.CampaignRow, exponentOf: ExponentOf) {
  const [counts, exponent] = await Promise.all([queries.findCounts(db, companyId, [row.id]), exponentOf(companyId)]);
  return recordOf(row, counts, exponent);
}

export async function listCampaigns(
  { db, exponentOf }: CampaignDeps,
  companyId: number,
  query: CampaignQuery,
): Promise<Page<Campaign>> {
  const { page, perPage } = pageOf(query);
  const filters = { type: query.type ?? null, status: query.status ?? null };
  const found = await queries.listCampaigns(db, companyId, filters, { skip: (page - 1) * perPage, take: perPage });
  const ids = found.rows.map((row) => row.id);
  const [counts, exponent] = await Promise.all([queries.findCounts(db, companyId, ids), exponentOf(companyId)]);
  return { rows: found.rows.map((row) => recordOf(row, counts, exponent)), total: found.total, page, perPage };
}

/** Throws not_found. */
export async function getCampaign({ db, exponentOf }: CampaignDeps, companyId: number, id: number): Promise<Campaign> {
  return present(db, companyId, await requireCampaign(db, companyId, id), exponentOf);
}

const EMPTY: Omit<queries.NewCampaign, 'name' | 'type'> = {
  status: 'draft',
  subject: null,
  preview_text: null,
  content: null,
  template_id: null,
  sender: null,
  list_id: null,
  segment_id: null,
  variants: [],
  ab_test: null,
  max_lateness_hours: null,
  scheduled_at: null,
};

/** What a body gives, by the names of the columns. */
function given({ from, scheduled_at, timezone, ...rest }: CampaignPatch, now: Date): Partial<queries.NewCampaign> {
  const columns: Partial<queries.NewCampaign> = rest;
  if (from !== undefined) columns.sender = from;
  // Empty means the template's, as null does.
  if (columns.subject === '') columns.subject = null;
  if (scheduled_at === null) columns.scheduled_at = null;
  else if (scheduled_at !== undefined) columns.scheduled_at = readSchedule(scheduled_at, timezone, now);
  return columns;
}

/** Throws validation_failed. */
export async function createCampaign(deps: CampaignDeps, caller: Caller, input: CampaignInput): Promise<Campaign> {
  const { companyId, now } = caller;
  const row: queries.NewCampaign = { ...EMPTY, ...given(input, now), name: input.name, type: input.type };
  await checkContents(deps.previewer, companyId, row);
  const later = row.scheduled_at !== null && row.scheduled_at > now;
  return write(deps.db, caller, async (tx) => {
    await checkNames(tx, companyId, row);
    if (later && (await incompleteFields(tx, companyId, row)).length === 0) row.status = 'scheduled';
    return present(tx, companyId, await queries.insertCampaign(tx, companyId, row, now), deps.exponentOf);
  });
}

/**
 * A scheduled campaign stays complete, or gives up its time as well and becomes a draft; a draft is scheduled where it is given
 * a time. Throws not_found, validation_failed, bad_request once it is being sent.
 */
export async function updateCampaign(
  deps: CampaignDeps,
  caller: Caller,
  id: number,
  patch: CampaignPatch,
): Promise<Campaign> {
  const { companyId, now } = caller;
  const known = await requireCampaign(deps.db, companyId, id);
  const columns = given(patch, now);
  await checkContents(deps.previewer, companyId, { ...known, ...columns });
  return write(deps.db, caller, async (tx) => {
    const row = await lockCampaign(tx, companyId, id);
    const edited = Object.keys(columns).some((name) => name !== 'name');
    if (edited) requireDeed('edit', row);
    const next = { ...row, ...columns };
    await checkNames(tx, companyId, next);
    if (next.list_id !== row.list_id || next.segment_id !== row.segment_id) next.counted = null;
    if (row.status === 'scheduled' && next.scheduled_at === null) next.status = 'draft';
    const missing = next.scheduled_at === null ? [] : await incompleteFields(tx, companyId, next);
    if (edited && row.status === 'scheduled' && missing.length > 0) throw validationFailed(missing.map(whileScheduled));
    const given = columns.scheduled_at != null && columns.scheduled_at > now;
    if (row.status === 'draft' && given && missing.length === 0) next.status = 'scheduled';
    next.count_due = next.status === 'scheduled' && next.counted === null;
    return present(tx, companyId, await queries.updateCampaign(tx, companyId, next, now), deps.exponentOf);
  });
}

function whileScheduled({ field, code }: FieldError): FieldError {
  const message = `${field} is required while the campaign is scheduled; without its scheduled_at (null) it is a draft again`;
  return { field, code, message };
}

/** Throws not_found, bad_request while it is being sent, or what it had waiting is not all taken back. */
export async function deleteCampaign(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ campaign_id: number; deleted: true }> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const row = await lockCampaign(tx, companyId, id);
    requireDeed('delete', row);
    if (row.status === 'cancelled') await takeBack(tx, companyId, id, now);
    await queries.deleteCampaign(tx, companyId, id);
    return { campaign_id: id, deleted: true };
  });
}

/** A second of work; of a larger campaign the worker takes the rest back first. */
const TAKEN_BACK_AT_ONCE = 50_000;

/** What waits is skipped: without its campaign nobody would look at it again. */
async function takeBack(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await skipCancelled(tx, companyId, id, TAKEN_BACK_AT_ONCE, now);
  if (!(await queries.hasOpenMessages(tx, companyId, id))) return;
  throw new AppError('bad_request', 'What the campaign had waiting is still being taken back: delete it in a moment');
}

/**
 * Sends now, or schedules for the given moment. While it is being sent, the answer is that it is. Throws not_found,
 * validation_failed with the fields that are missing, bad_request for one that has ended.
 */
export async function sendCampaign(
  { db, missing: settings }: Pick<CampaignDeps, 'db' | 'missing'>,
  caller: Caller,
  id: number,
  when: { scheduled_at?: string | null; timezone?: string },
) {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    let row = await lockCampaign(tx, companyId, id);
    if (!isDone('send', row.status)) {
      // One that waits for a person before it began may be given another time.
      requireDeed('send', row.started_at === null && row.status === 'paused' ? { status: 'scheduled' } : row);
      const missing = await incompleteFields(tx, companyId, row);
      if (missing.length > 0) throw validationFailed(missing);
      await requireSendable(tx, companyId, row, settings);
      await checkNames(tx, companyId, row);
      const at = when.scheduled_at == null ? null : readSchedule(when.scheduled_at, when.timezone, now);
      row =
        at !== null && at > now
          ? await queries.updateCampaign(
              tx,
              companyId,
              { ...row, status: 'scheduled', scheduled_at: at, reason: null, counted: null, count_due: false },
              now,
            )
          : await startCampaign(tx, companyId, { ...row, scheduled_at: at }, now);
    }
    row = await counted(tx, companyId, row, now);
    const { status, scheduled_at } = row;
    const recipients = row.recipients ?? row.counted;
    return {
      ...{ campaign_id: id, status, scheduled_at: scheduled_at && formatTimestamp(scheduled_at) },
      ...{ recipients: recipients ?? 0, recipients_exact: recipients !== null },
    };
  });
}

/** Counts the campaign's recipients for a response; where it takes too long, they are counted in the background. */
async function counted(tx: Tx, companyId: number, row: queries.CampaignRow, now: Date): Promise<queries.CampaignRow> {
  // A segment that is being sent to is counted as it is evaluated.
  const isUnderWay = row.started_at !== null && row.segment_id !== null;
  if (row.recipients !== null || row.counted !== null || row.count_due || isUnderWay) return row;
  const found = (await tryCount(tx, companyId, row, now)) ?? null;
  // Of a list that is being sent to it is soon known: all are written.
  const isDue = found === null && row.status === 'scheduled';
  return queries.updateCampaign(tx, companyId, { ...row, counted: found, count_due: isDue }, now);
}

/** Pause, resume, cancel. The same again changes nothing. Throws not_found, bad_request, validation_failed. */
export async function moveCampaign(
  { db, exponentOf, missing }: CampaignDeps,
  caller: Caller,
  id: number,
  deed: 'pause' | 'resume' | 'cancel',
): Promise<Campaign> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    let row = await lockCampaign(tx, companyId, id);
    if (!isDone(deed, row.status)) {
      requireDeed(deed, row);
      if (deed === 'resume') await requireSendable(tx, companyId, row, missing);
      row = await moved(tx, companyId, row, deed, now);
    }
    return present(tx, companyId, row, exponentOf);
  });
}

async function moved(
  tx: Tx,
  companyId: number,
  row: queries.CampaignRow,
  deed: 'pause' | 'resume' | 'cancel',
  now: Date,
): Promise<queries.CampaignRow> {
  if (deed === 'pause') return queries.updateCampaign(tx, companyId, { ...row, status: 'paused', reason: null }, now);
  if (deed === 'cancel') {
    // What was not yet written of the audience is not written any more.
    const cancelled = { ...row, status: 'cancelled' as const, reason: null, finished_at: now, retry: null };
    cancelled.count_due = false;
    await deleteSnapshot(tx, companyId, row.id);
    return queries.updateCampaign(tx, companyId, cancelled, now);
  }
  if (row.started_at === null) {
    // Paused before it began: it waits for its time again, or starts now where that has passed.
    if (row.scheduled_at !== null && row.scheduled_at > now) {
      const scheduled = { ...row, status: 'scheduled' as const, reason: null, count_due: row.counted === null };
      return queries.updateCampaign(tx, companyId, scheduled, now);
    }
    await checkNames(tx, companyId, row);
    const missing = await incompleteFields(tx, companyId, row);
    if (missing.length > 0) throw validationFailed(missing);
    return startCampaign(tx, companyId, row, now);
  }
  return queries.updateCampaign(tx, companyId, { ...row, status: 'sending', reason: null }, now);
}

/** A new draft with the same content and audience. Throws not_found. */
export async function duplicateCampaign(
  { db, exponentOf }: CampaignDeps,
  caller: Caller,
  id: number,
): Promise<Campaign> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const row = await requireCampaign(tx, companyId, id);
    const copy = { ...row, name: `Copy of ${row.name}`.slice(0, 255), status: 'draft' as const, scheduled_at: null };
    return present(tx, companyId, await queries.insertCampaign(tx, companyId, copy, now), exponentOf);
  });
}

/** Queues failed messages again, and unknown ones where asked; of many the worker does the rest. Throws not_found, bad_request. */
export async function retryCampaign(
  { db, missing }: Pick<CampaignDeps, 'db' | 'missing'>,
  caller: Caller,
  id: number,
  includeUnknown: boolean,
) {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const locked = await lockCampaign(tx, companyId, id);
    requireDeed('retry', locked);
    await requireSendable(tx, companyId, locked, missing);
    const { row, requeued } = await beginRetry(tx, companyId, locked, includeUnknown, now);
    const counts = row.retry === null ? null : countsOf(await queries.findCounts(tx, companyId, [id]), id, 0);
    const remaining = counts === null ? 0 : counts.failed + (includeUnknown ? counts.unknown : 0);
    return { campaign_id: id, status: row.status, requeued, remaining };
  });
}
