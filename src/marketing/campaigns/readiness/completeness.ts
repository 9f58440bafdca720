import { findUnusableTemplates } from '../../../commerce/promotions/coupons/service.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { type FieldError, validationFailed } from '../../../errors.ts';
import { readSender } from '../../../lib/addresses.ts';
import type { Previewer } from '../../../messaging/compose/preview.ts';
import { couponsIn } from '../../../messaging/compose/values.ts';
import { type AudienceColumns, type AudiencePart, partsOf } from '../audience/composition.ts';
import { batchErrors } from '../batches/plan.ts';
import type * as queries from '../queries.ts';
import { variantErrors } from '../variants/variants.ts';
import {
  findCouponTexts,
  findMissingReferences,
  lacksSubject,
  type MissingReferences,
  referencesOf,
} from './reference-queries.ts';

/**
 * The fields that are missing before the campaign can be sent, and the coupons that could not be created at `now`. Each variant
 * with a weight must be complete.
 */
export async function incompleteFields(
  db: Queryable,
  companyId: number,
  row: queries.NewCampaign,
  now: Date,
): Promise<FieldError[]> {
  const drawn = row.variants.filter((variant) => variant.weight > 0);
  const versions = (drawn.length > 0 ? drawn : [{}]).map((variant: Partial<(typeof drawn)[number]>) => {
    // The same choice as when it is sent (messaging/compose/content.ts).
    const template = variant.content === undefined ? (variant.template_id ?? row.template_id) : null;
    const previewText = variant.preview_text ?? row.preview_text;
    return { subject: variant.subject ?? row.subject, previewText, content: variant.content ?? row.content, template };
  });
  const missing: string[] = [];
  if (partsOf(row).audiences.length === 0) missing.push('list_id');
  if (row.type === 'email') {
    const fromTemplate = versions.filter(({ subject }) => subject === null).map(({ template }) => template);
    const ids = fromTemplate.filter((id) => id !== null);
    const isLacking = ids.length > 0 && (await lacksSubject(db, companyId, ids));
    if (isLacking || ids.length < fromTemplate.length) missing.push('subject');
  }
  if (versions.some(({ content, template }) => !content && template === null)) missing.push('content');
  const errors = missing.map((field) => ({
    field,
    code: 'required',
    message: `${field} is required to send a campaign`,
  }));
  const texts = versions.flatMap(({ subject, previewText, content, template }) => [
    ...[subject, previewText],
    template === null ? content : null,
  ]);
  const templates = versions.flatMap(({ template }) => template ?? []);
  return [...errors, ...(await unusableCoupons(db, companyId, { texts, templates }, now))];
}

async function unusableCoupons(
  db: Queryable,
  companyId: number,
  { texts, templates }: { texts: (string | null)[]; templates: number[] },
  now: Date,
): Promise<FieldError[]> {
  const ofTemplates = templates.length === 0 ? [] : await findCouponTexts(db, companyId, templates);
  const names = couponsIn([...texts, ...ofTemplates]).map((name) => name.toUpperCase());
  const unusable = await findUnusableTemplates(db, companyId, [...new Set(names)], now);
  return unusable.map((name) => ({
    field: 'content',
    code: 'unknown_coupon',
    message: `content: there is no usable coupon template ${name}`,
  }));
}

/** Something that an audience names and that does not exist. */
export interface MissingPart {
  kind: 'list' | 'segment' | 'campaign';
  /** The field that names it. */
  field: 'list_id' | 'segment_id' | 'audiences' | 'exclude';
  message: string;
}

export function missingParts(
  row: AudienceColumns,
  { lists, segments, campaigns }: Pick<MissingReferences, 'lists' | 'segments' | 'campaigns'>,
): MissingPart[] {
  const { audiences, exclude } = partsOf(row);
  const isSimple = row.audience === null;
  const found = (parts: AudiencePart[], composed: 'audiences' | 'exclude'): MissingPart[] =>
    parts.flatMap(({ list_id = 0, segment_id = 0, unopened_campaign_id = 0 }) => {
      const part = (kind: MissingPart['kind'], field: MissingPart['field'], what: string): MissingPart[] => [
        { kind, field, message: `${field}: there is no ${what}` },
      ];
      if (lists.includes(list_id)) return part('list', isSimple ? 'list_id' : composed, `list ${list_id}`);
      if (segments.includes(segment_id))
        return part('segment', isSimple ? 'segment_id' : composed, `segment ${segment_id}`);
      if (!campaigns.includes(unopened_campaign_id)) return [];
      return part('campaign', composed, `e-mail campaign ${unopened_campaign_id}`);
    });
  return [...found(audiences, 'audiences'), ...found(exclude, 'exclude')];
}

/** Throws validation_failed for references to records that do not exist, and for settings that contradict each other. */
export async function checkReferences(tx: Tx, companyId: number, row: queries.NewCampaign): Promise<void> {
  const errors = [...variantErrors(row), ...batchErrors(row)];
  const fail = (field: string, message: string): void => void errors.push({ field, code: 'invalid', message });
  if (row.sender !== null && row.sender !== '' && readSender(row.sender) === null)
    fail('from', 'from must be an e-mail address, or Name <address>');
  for (const { key, from } of row.variants) {
    if (from !== undefined && readSender(from) === null)
      fail('variants', `variants: from of ${key} must be an e-mail address, or Name <address>`);
  }
  const missing = await findMissingReferences(tx, companyId, referencesOf(row));
  for (const { field, message } of missingParts(row, missing)) fail(field, message);
  for (const id of missing.templates) fail('template_id', `template_id: there is no ${row.type} template ${id}`);
  if (errors.length > 0) throw validationFailed(errors);
}

/** Throws validation_failed for content that cannot be rendered. */
export async function checkContents(previewer: Previewer, companyId: number, row: queries.NewCampaign): Promise<void> {
  const { type: channel, subject, preview_text, content } = row;
  const versions = [
    { subject, preview_text, content },
    ...row.variants.map((variant) => ({ subject, preview_text, content, ...variant })),
  ];
  for (const version of versions) {
    await previewer.check(companyId, { channel, ...version, content: version.content ?? '' });
  }
}
