import type { Queryable } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import type { Previewer } from '../../../messaging/compose/preview.ts';
import type { WebAddress } from '../../../messaging/compose/warnings/addresses.ts';
import { type Finding, sentenceOf } from '../../../messaging/compose/warnings/findings.ts';
import { readBrandKit } from '../../templates/brand/service.ts';
import { emptyParts } from '../../templates/design/findings.ts';
import { partsOf } from '../audience/composition.ts';
import { tryCount, tryCountZones } from '../audience/snapshot.ts';
import { planOf } from '../batches/plan.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import { writtenOf } from '../preview/written.ts';
import type { CampaignRow } from '../queries.ts';
import { incompleteFields, missingParts } from '../readiness/completeness.ts';
import { MANY } from '../readiness/many.ts';
import { findMissingReferences, referencesOf } from '../readiness/reference-queries.ts';
import { findObstacle } from '../readiness/sendable.ts';
import { requireCampaign } from '../require.ts';
import { isPast, parseSchedule } from '../schedule.ts';
import { isAllowed } from '../status.ts';
import type { CampaignCheck, CheckFinding, CheckQuery } from './contract.ts';
import { findLargestBefore } from './queries.ts';

/** An audience this many times the largest one so far is most likely the wrong list. Below SMALL, lists do grow that fast. */
const MUCH_LARGER = 3;
const SMALL = 100;

/** Throws not_found; validation_failed where `scheduled_at` is no time; rate_limited while too many previews of the company wait. */
export async function checkCampaign(
  { db, missingFor, previewer }: Pick<CampaignDeps, 'db' | 'missingFor' | 'previewer'>,
  companyId: number,
  id: number,
  { scheduled_at }: CheckQuery,
  now: Date,
): Promise<CampaignCheck> {
  const row = await requireCampaign(db, companyId, id);
  const missing = await findMissingReferences(db, companyId, referencesOf(row));
  const gone = missingParts(row, missing);
  const hasAudience = partsOf(row).audiences.length > 0 && gone.length === 0;
  const recipients = hasAudience
    ? (row.recipients ?? (await db.tenantTx(companyId, (tx) => tryCount(tx, companyId, row, now))) ?? null)
    : null;
  const zonesKnown =
    hasAudience && row.send_in_contact_time_zone
      ? await db.tenantTx(companyId, (tx) => tryCountZones(tx, companyId, row, now))
      : null;
  const largest = await findLargestBefore(db, companyId, row);
  const obstacle = await findObstacle(db, companyId, row, await missingFor(companyId));
  const errors = [
    ...unsendable(row),
    ...(await incompleteFields(db, companyId, row, now)).map(({ field, code, message }) =>
      error(code === 'required' ? code : 'unknown_coupon', field as CheckFinding['field'], message),
    ),
    ...gone.map(({ kind, field, message }) => error(`${kind}_deleted`, field, message)),
    ...missing.templates.map((id) =>
      error('template_deleted', 'template_id', `template_id: there is no template ${id}`),
    ),
    ...tooLate(scheduled_at, now),
    ...(obstacle === null
      ? []
      : [error(obstacle.reason, 'settings', `${obstacle.sentence}: the campaign cannot be sent`)]),
  ];
  const contents = await ofContents(db, previewer, companyId, row);
  const warnings = [...(hasAudience ? ofAudience(row, recipients, largest) : []), ...contents.findings];
  return {
    campaign_id: id,
    ready: errors.length === 0,
    recipients,
    zones_known: zonesKnown ?? null,
    batches: row.batches === null || recipients === null ? null : planOf(row.batches, recipients),
    largest_before: largest,
    needs_confirmation: hasAudience && (recipients ?? Infinity) > MANY,
    findings: [...errors, ...warnings],
    addresses: contents.addresses,
  };
}

function error(code: CheckFinding['code'], field: CheckFinding['field'], message: string): CheckFinding {
  return { severity: 'error', code, field, variants: [], detail: null, suggestion: null, message };
}

/** A campaign that was paused before it started may still be sent. */
function unsendable({ status, started_at }: CampaignRow): CheckFinding[] {
  if (isAllowed('send', status) || (status === 'paused' && started_at === null)) return [];
  return [{ ...error('wrong_status', 'status', `A campaign that is ${status} cannot be sent`), detail: status }];
}

function tooLate(scheduledAt: string | undefined, now: Date): CheckFinding[] {
  if (scheduledAt === undefined || !isPast(parseSchedule(scheduledAt), now)) return [];
  return [error('time_past', 'scheduled_at', 'scheduled_at lies in the past')];
}

function ofAudience(row: CampaignRow, recipients: number | null, largest: number | null): CheckFinding[] {
  const field = row.audience !== null ? 'audiences' : row.list_id === null ? 'segment_id' : 'list_id';
  const warn = (code: CheckFinding['code'], detail: string | null, message: string): CheckFinding[] => [
    { severity: 'warning', code, field, variants: [], detail, suggestion: null, message },
  ];
  if (recipients === 0) return warn('no_recipients', null, `${field}: no contact in it can receive this campaign`);
  if (recipients === null || largest === null) return [];
  if (recipients < SMALL || recipients <= MUCH_LARGER * largest) return [];
  const message = `${field}: it goes to ${recipients} recipients; no campaign before went to more than ${largest}`;
  return warn('large_audience', String(largest), message);
}

/** What the preview of one version shows. */
interface Seen {
  findings: Omit<CheckFinding, 'variants'>[];
  addresses: WebAddress[];
}

/** Previews all versions that are sent. Returns each finding once, with the variants that have it, and the addresses. */
async function ofContents(
  db: Queryable,
  previewer: Previewer,
  companyId: number,
  row: CampaignRow,
): Promise<Pick<CampaignCheck, 'findings' | 'addresses'>> {
  const drawn = row.variants.filter(({ weight }) => weight > 0).map(({ key }) => key);
  const keys = drawn.length === 0 ? [undefined] : drawn;
  const found = new Map<string, { finding: Omit<CheckFinding, 'variants'>; variants: string[] }>();
  const addresses = new Map<string, WebAddress>();
  const { address } = await readBrandKit(db, companyId);
  for (const key of keys) {
    const seen = await ofVersion(db, previewer, companyId, row, key, address);
    for (const one of seen.addresses) addresses.set(`${one.kind} ${one.address}`, one);
    for (const finding of seen.findings) {
      const known = found.get(finding.message) ?? { finding, variants: [] };
      if (key !== undefined) known.variants.push(key);
      found.set(finding.message, known);
    }
  }
  const findings = [...found.values()].map(({ finding, variants }) => ({
    ...finding,
    variants: variants.length === drawn.length ? [] : variants,
  }));
  return { findings, addresses: [...addresses.values()] };
}

const NOTHING: Seen = { findings: [], addresses: [] };

async function ofVersion(
  db: Queryable,
  previewer: Previewer,
  companyId: number,
  row: CampaignRow,
  key: string | undefined,
  address: string | null,
): Promise<Seen> {
  try {
    const written = await writtenOf(db, companyId, row, key);
    // Missing content is a separate error.
    if (written.content.trim() === '') return NOTHING;
    const campaign = { campaign_id: row.id, name: row.name, variant: key ?? null };
    const { findings, addresses } = await previewer.preview(companyId, written, { values: { campaign } });
    const warned = (finding: Finding) => ({ severity: 'warning' as const, ...finding, message: sentenceOf(finding) });
    const empty = row.type === 'email' ? emptyParts(written, address) : [];
    return { findings: [...findings, ...empty].map(warned), addresses };
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    // Its template was deleted, which is a separate error.
    if (failure.code === 'not_found') return NOTHING;
    if (failure.code !== 'validation_failed') throw failure;
    const { message } = failure;
    const detail = message.slice(0, 300);
    const finding = { code: 'cannot_render', field: 'content', detail, suggestion: null, message } as const;
    return { findings: [{ severity: 'warning', ...finding }], addresses: [] };
  }
}
