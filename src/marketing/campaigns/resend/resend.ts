import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import { AppError } from '../../../errors.ts';
import { findRequiredLists } from '../audience/composed-queries.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import type { Campaign } from '../campaign-schema.ts';
import { type CampaignRow, insertCampaign, type NewCampaign } from '../queries.ts';
import { loadRecord } from '../record.ts';
import { requireAction, requireCampaign } from '../require.ts';
import type { ResendInput } from './contract.ts';

/** Creates the draft of a campaign to those who did not open this one. Throws not_found, and bad_request unless it is a sent e-mail campaign. */
export async function resendCampaign(
  { db, exponentOf }: Pick<CampaignDeps, 'db' | 'exponentOf'>,
  caller: Caller,
  id: number,
  { subject }: ResendInput,
): Promise<Campaign> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const row = await requireCampaign(tx, companyId, id);
    requireAction('resend', row);
    if (row.type !== 'email')
      throw new AppError('bad_request', 'Only e-mail campaigns can be opened, and sent again to others');
    const audiences = [{ unopened_campaign_id: id }];
    const audience = { audiences, exclude: [], member_of: await findRequiredLists(tx, companyId, audiences) };
    const draft: NewCampaign = {
      ...row,
      ...contentOf(row),
      name: `Resend of ${row.name}`.slice(0, 255),
      status: 'draft',
      list_id: null,
      segment_id: null,
      audience,
      holdout_percent: 0,
      ab_test: null,
      scheduled_at: null,
      send_in_contact_time_zone: false,
      first_zone_at: null,
    };
    if (subject !== undefined) {
      draft.subject = subject;
      draft.variants = draft.variants.map(({ subject: _own, ...variant }) => variant);
    }
    return loadRecord(tx, companyId, await insertCampaign(tx, companyId, draft, now), exponentOf);
  });
}

/** What most recipients got: the winner's fields in place of the campaign's own, without variants; else all as they are. */
function contentOf(row: CampaignRow): Partial<NewCampaign> {
  const winner = row.variants.find(({ key }) => key === row.winner);
  if (winner === undefined) return {};
  const { subject = row.subject, preview_text = row.preview_text, from = row.sender } = winner;
  const { content = row.content } = winner;
  const template_id = winner.content === undefined ? (winner.template_id ?? row.template_id) : null;
  return { subject, preview_text, content, template_id, sender: from, variants: [] };
}
