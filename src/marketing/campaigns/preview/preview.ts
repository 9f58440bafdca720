import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db } from '../../../db/pool.ts';
import { invalidField, validationFailed } from '../../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../../lib/addresses.ts';
import type { Preview, Previewer } from '../../../messaging/compose/preview.ts';
import { queueMessages } from '../../../messaging/service.ts';
import { loadContacts } from '../../contacts/service.ts';
import type { CampaignDeps } from '../campaign-deps.ts';
import type * as queries from '../queries.ts';
import { incompleteFields } from '../readiness/completeness.ts';
import { requireSendable } from '../readiness/sendable.ts';
import { requireCampaign } from '../require.ts';
import { writtenOf } from './written.ts';

/** Queues test messages to addresses of the shop's staff. Throws not_found, and validation_failed if the campaign could not be sent. */
export async function testCampaign(
  { db, missingFor }: Pick<CampaignDeps, 'db' | 'missingFor'>,
  caller: Caller,
  id: number,
  input: { recipients: string[]; contact_id?: number; variant?: string },
): Promise<{ campaign_id: number; queued: number }> {
  const { companyId, now } = caller;
  const settings = await missingFor(companyId);
  return write(db, caller, async (tx) => {
    const row = await requireCampaign(tx, companyId, id);
    requireVariant(row, input.variant);
    await requireSendable(tx, companyId, row, settings);
    const tested = row.variants.filter(({ key }) => key === input.variant).map((one) => ({ ...one, weight: 1 }));
    const missing = await incompleteFields(tx, companyId, { ...row, variants: tested }, now);
    const required = missing.filter(({ field }) => field !== 'list_id');
    if (required.length > 0) throw validationFailed(required);
    if (input.contact_id !== undefined && (await loadContacts(tx, companyId, [input.contact_id])).size === 0) {
      throw invalidField('contact_id', `contact_id: there is no contact ${input.contact_id}`, 'not_found');
    }
    const data = { campaign_id: id, variant: input.variant ?? null, as_contact_id: input.contact_id ?? null };
    const messages = input.recipients.map((recipient, i) => {
      const address = row.type === 'email' ? normaliseEmail(recipient) : normalisePhone(recipient, null);
      if (address === null)
        throw invalidField(
          `recipients.${i}`,
          `recipients.${i} is no ${row.type === 'email' ? 'e-mail address' : 'number in E.164'}`,
        );
      const origin = { kind: 'system' as const, template: 'campaign_test', data };
      const idemKey = `t:test:${id}:${randomUUID()}`;
      return {
        idemKey,
        channel: row.type,
        contactId: null,
        recipient: address,
        origin,
        transactional: true,
        dueAt: now,
      };
    });
    return { campaign_id: id, queued: await queueMessages(tx, companyId, messages, now) };
  });
}

function requireVariant({ variants }: queries.CampaignRow, key: string | undefined): void {
  if (key === undefined || variants.some((variant) => variant.key === key)) return;
  throw invalidField('variant', `variant: the campaign has no variant ${key}`, 'not_found');
}

/** Throws not_found, and validation_failed if it cannot be rendered. */
export async function previewCampaign(
  { db, previewer }: { db: Db; previewer: Previewer },
  companyId: number,
  id: number,
  { contact_id, variant: key }: { contact_id?: number; variant?: string },
): Promise<Preview> {
  const row = await requireCampaign(db, companyId, id);
  requireVariant(row, key);
  const written = await writtenOf(db, companyId, row, key);
  const campaign = { campaign_id: id, name: row.name, variant: key ?? null };
  return previewer.preview(companyId, written, { contactId: contact_id, values: { campaign } });
}
