import type { Queryable, Tx } from '../../db/pool.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { readSender } from '../../lib/addresses.ts';
import type { Previewer } from '../../messaging/compose/preview.ts';
import * as queries from './queries.ts';
import { variantErrors } from './variants/variants.ts';

/** What is still missing before the campaign can be sent. Of variants, those that are sent must each have what they need. */
export async function incompleteFields(
  db: Queryable,
  companyId: number,
  row: queries.NewCampaign,
): Promise<FieldError[]> {
  const drawn = row.variants.filter((variant) => variant.weight > 0);
  const versions = (drawn.length > 0 ? drawn : [{}]).map((variant: Partial<(typeof drawn)[number]>) => {
    // As it is put together when it is sent (see messaging/sources.ts).
    const template = variant.content === undefined ? (variant.template_id ?? row.template_id) : null;
    return { subject: variant.subject ?? row.subject, content: variant.content ?? row.content, template };
  });
  const missing: string[] = [];
  if (row.list_id === null && row.segment_id === null) missing.push('list_id');
  if (row.type === 'email') {
    const lent = versions.filter(({ subject }) => subject === null).map(({ template }) => template);
    const ids = lent.filter((id) => id !== null);
    const bare = ids.length > 0 && (await queries.areWithoutSubject(db, companyId, ids));
    if (bare || ids.length < lent.length) missing.push('subject');
  }
  if (versions.some(({ content, template }) => !content && template === null)) missing.push('content');
  return missing.map((field) => ({ field, code: 'required', message: `${field} is required to send a campaign` }));
}

/** Throws validation_failed for what does not exist or contradicts itself. */
export async function checkNames(tx: Tx, companyId: number, row: queries.NewCampaign): Promise<void> {
  const errors = variantErrors(row);
  const fail = (field: string, message: string): void => void errors.push({ field, code: 'invalid', message });
  if (row.list_id !== null && row.segment_id !== null)
    fail('segment_id', 'A campaign has a list_id or a segment_id, not both');
  if (row.sender !== null && row.sender !== '' && readSender(row.sender) === null)
    fail('from', 'from must be an e-mail address, or Name <address>');
  const missing = await queries.findMissing(tx, companyId, queries.namesOf(row));
  if (missing.list) fail('list_id', `list_id: there is no list ${row.list_id}`);
  if (missing.segment) fail('segment_id', `segment_id: there is no segment ${row.segment_id}`);
  for (const id of missing.templates) fail('template_id', `template_id: there is no ${row.type} template ${id}`);
  if (errors.length > 0) throw validationFailed(errors);
}

/** The contents that can be rendered for nobody are refused before the shop finds out by failed messages. */
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
