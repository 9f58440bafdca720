import type { RequireConfirmed } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, validationFailed } from '../../errors.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { confirmNewSenders, type Senders } from '../senders.ts';
import { findRequiredLists } from './audience/composed-queries.ts';
import { type AudienceColumns, type ComposedAudience, NOBODY, partsOf, patchAudience } from './audience/composition.ts';
import type { CampaignDeps } from './campaign-deps.ts';
import type { Campaign, CampaignInput, CampaignPatch } from './campaign-schema.ts';
import { skipCancelled } from './due-queries.ts';
import * as queries from './queries.ts';
import { checkContents, checkReferences, incompleteFields } from './readiness/completeness.ts';
import { refuseManyRecipients } from './readiness/many.ts';
import { loadRecord } from './record.ts';
import { lockCampaign, requireAction, requireCampaign } from './require.ts';
import { readSchedule } from './schedule.ts';
import { findFirstZoneMoment } from './time-zones/start.ts';

const EMPTY: Omit<queries.NewCampaign, 'name' | 'type'> = {
  status: 'draft',
  subject: null,
  preview_text: null,
  content: null,
  template_id: null,
  sender: null,
  ...NOBODY,
  variants: [],
  ab_test: null,
  max_lateness_hours: null,
  holdout_percent: 0,
  send_in_contact_time_zone: false,
  first_zone_at: null,
  batches: null,
  scheduled_at: null,
};

/** The columns that a request body sets. */
function columnsOf(
  before: AudienceColumns,
  { from, scheduled_at, timezone, list_id, segment_id, audiences, exclude, ...rest }: CampaignPatch,
  now: Date,
): Partial<queries.NewCampaign> {
  const columns: Partial<queries.NewCampaign> = rest;
  const named = Object.values({ list_id, segment_id, audiences, exclude });
  if (named.some((one) => one !== undefined)) {
    const patched = patchAudience(before, { list_id, segment_id, audiences, exclude });
    if (patched.errors.length > 0) throw validationFailed(patched.errors);
    Object.assign(columns, patched.columns);
  }
  if (from !== undefined) columns.sender = from;
  // An empty subject means that of the template, as null does.
  if (columns.subject === '') columns.subject = null;
  if (scheduled_at === null) columns.scheduled_at = null;
  else if (scheduled_at !== undefined) columns.scheduled_at = readSchedule(scheduled_at, timezone, now);
  return columns;
}

async function withRequiredLists(
  tx: Tx,
  companyId: number,
  audience: ComposedAudience | null,
): Promise<ComposedAudience | null> {
  if (audience === null) return null;
  return { ...audience, member_of: await findRequiredLists(tx, companyId, audience.audiences) };
}

function sendersOf({ sender, variants }: Pick<queries.NewCampaign, 'sender' | 'variants'>): Senders {
  return [sender, ...variants.map(({ from }) => from)];
}

/** Throws validation_failed, confirmation_required. */
export async function createCampaign(
  deps: CampaignDeps,
  caller: Caller,
  input: CampaignInput,
  requireConfirmed: RequireConfirmed,
): Promise<Campaign> {
  const { companyId, now } = caller;
  const row: queries.NewCampaign = { ...EMPTY, ...columnsOf(NOBODY, input, now), name: input.name, type: input.type };
  const senders = { before: [], after: sendersOf(row) };
  await confirmNewSenders(deps.isOwnSender, companyId, senders, requireConfirmed);
  await checkContents(deps.previewer, companyId, row);
  const later = row.scheduled_at !== null && row.scheduled_at > now;
  return write(deps.db, caller, async (tx) => {
    await checkReferences(tx, companyId, row);
    row.audience = await withRequiredLists(tx, companyId, row.audience);
    row.first_zone_at = await findFirstZoneMoment(tx, companyId, row, { timezone: input.timezone, now });
    if (later && (await incompleteFields(tx, companyId, row, now)).length === 0) row.status = 'scheduled';
    const created = await queries.insertCampaign(tx, companyId, row, now);
    if (created.status === 'scheduled') await refuseManyRecipients(tx, companyId, created, now, requireConfirmed);
    return loadRecord(tx, companyId, created, deps.exponentOf);
  });
}

/**
 * A scheduled campaign must stay complete unless `scheduled_at` is removed, which makes it a draft. A complete draft that gets a
 * time in the future is scheduled. Throws not_found, revision_mismatch, validation_failed,
 * confirmation_required, and bad_request once it is being sent.
 */
export async function updateCampaign(
  deps: CampaignDeps,
  caller: Caller,
  id: number,
  patch: CampaignPatch,
  ifMatch: IfMatch | null,
  requireConfirmed: RequireConfirmed,
): Promise<Campaign> {
  const { companyId, now } = caller;
  const known = await requireCampaign(deps.db, companyId, id);
  const columns = columnsOf(known, patch, now);
  const senders = { before: sendersOf(known), after: sendersOf({ ...known, ...columns }) };
  await confirmNewSenders(deps.isOwnSender, companyId, senders, requireConfirmed);
  await checkContents(deps.previewer, companyId, { ...known, ...columns });
  return write(deps.db, caller, async (tx) => {
    const row = await lockCampaign(tx, companyId, id);
    requireRevision(ifMatch, row.revision);
    const edited = Object.keys(columns).some((name) => name !== 'name');
    if (edited) requireAction('edit', row);
    const next = { ...row, ...columns };
    await checkReferences(tx, companyId, next);
    next.audience = await withRequiredLists(tx, companyId, next.audience);
    if (columns.scheduled_at !== undefined || next.send_in_contact_time_zone !== row.send_in_contact_time_zone)
      next.first_zone_at = await findFirstZoneMoment(tx, companyId, next, { timezone: patch.timezone, now });
    const isForOthers = JSON.stringify(partsOf(next)) !== JSON.stringify(partsOf(row));
    if (isForOthers) next.counted = null;
    if (row.status === 'scheduled' && next.scheduled_at === null) next.status = 'draft';
    const missing = next.scheduled_at === null ? [] : await incompleteFields(tx, companyId, next, now);
    if (edited && row.status === 'scheduled' && missing.length > 0) throw validationFailed(missing.map(whileScheduled));
    const isLater = columns.scheduled_at != null && columns.scheduled_at > now;
    if (row.status === 'draft' && isLater && missing.length === 0) next.status = 'scheduled';
    if (next.status === 'scheduled' && (row.status !== 'scheduled' || isForOthers))
      await refuseManyRecipients(tx, companyId, next, now, requireConfirmed);
    next.count_due = next.status === 'scheduled' && next.counted === null;
    return loadRecord(tx, companyId, await queries.updateCampaign(tx, companyId, next, now), deps.exponentOf);
  });
}

function whileScheduled({ field, code }: FieldError): FieldError {
  const message = `${field} is required while the campaign is scheduled; without its scheduled_at (null) it is a draft again`;
  return { field, code, message };
}

/** Throws not_found, and bad_request while the campaign is being sent or too many of its messages are still queued. */
export async function deleteCampaign(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ campaign_id: number; deleted: true }> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const row = await lockCampaign(tx, companyId, id);
    requireAction('delete', row);
    if (row.status === 'cancelled') await skipQueued(tx, companyId, id, now);
    await queries.deleteCampaign(tx, companyId, id);
    return { campaign_id: id, deleted: true };
  });
}

/** About a second of work. The worker skips the messages of a larger campaign before it can be deleted. */
const SKIPPED_AT_ONCE = 50_000;

/** Skips the queued messages: once their campaign is deleted, no worker would. */
async function skipQueued(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await skipCancelled(tx, companyId, id, SKIPPED_AT_ONCE, now);
  if (!(await queries.hasQueuedMessages(tx, companyId, id))) return;
  throw new AppError(
    'bad_request',
    'The queued messages of the campaign are still being skipped: try again in a moment',
  );
}

/** Creates a draft with the same content and audience. Throws not_found. */
export async function duplicateCampaign(
  { db, exponentOf }: CampaignDeps,
  caller: Caller,
  id: number,
): Promise<Campaign> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const row = await requireCampaign(tx, companyId, id);
    const unscheduled = { status: 'draft' as const, scheduled_at: null, first_zone_at: null };
    const copy = { ...row, ...unscheduled, name: `Copy of ${row.name}`.slice(0, 255) };
    return loadRecord(tx, companyId, await queries.insertCampaign(tx, companyId, copy, now), exponentOf);
  });
}
