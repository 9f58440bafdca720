import type { Queryable } from '../../../db/pool.ts';
import type { Written } from '../../../messaging/compose/preview.ts';
import type { Design } from '../../templates/design/schema.ts';
import { getTemplate } from '../../templates/service.ts';
import type { CampaignRow } from '../queries.ts';

/** The content of a campaign, or of its variant `key`, as it is sent. Throws not_found if its template was deleted. */
export async function writtenOf(
  db: Queryable,
  companyId: number,
  row: CampaignRow,
  key: string | undefined,
): Promise<Written & { content: string; design: Design | null }> {
  const variant = row.variants.find((one) => one.key === key);
  const templateId = variant?.content === undefined ? (variant?.template_id ?? row.template_id) : null;
  const template = templateId === null ? null : await getTemplate(db, companyId, templateId);
  const { subject, preview_text, content } = { ...row, ...variant };
  return {
    channel: row.type,
    subject: subject ?? template?.subject ?? null,
    preview_text: preview_text ?? template?.preview_text ?? null,
    content: template?.content ?? content ?? '',
    design: template?.design ?? null,
    from: variant?.from ?? row.sender,
  };
}
