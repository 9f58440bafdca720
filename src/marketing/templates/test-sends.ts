import { randomUUID } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import { type MissingSetting, missingFor } from '../../messaging/send/missing-settings.ts';
import { queueMessages } from '../../messaging/service.ts';
import { loadContacts } from '../contacts/service.ts';
import * as queries from './queries.ts';

/** Every e-mail has an unsubscribe link; an SMS only if its author put one in. */
const OWN_LINK = /(?:unsubscribe|preferences)_url/;

/** Queues test messages to addresses of the shop's staff. Throws not_found, bad_request and validation_failed. */
export async function testTemplate(
  { db, messaging }: { db: Db; messaging: { missingFor(companyId: number): Promise<readonly MissingSetting[]> } },
  caller: Caller,
  id: number,
  input: { recipients: string[]; contact_id?: number },
): Promise<{ template_id: number; queued: number }> {
  const { companyId, now } = caller;
  const missing = await messaging.missingFor(companyId);
  return write(db.points(companyId), caller, async (tx) => {
    const template = await queries.findTemplate(tx, companyId, id);
    if (template === undefined) throw notFound(`template ${id}`);
    const { channel } = template;
    const setting = missingFor(missing, channel, channel === 'email' || OWN_LINK.test(template.content));
    if (setting !== null) throw new AppError('bad_request', `${setting.sentence}: the template cannot be sent`);
    if (channel === 'email' && !template.subject)
      throw invalidField('subject', 'The template has no subject', 'required');
    const contactId = input.contact_id ?? null;
    if (contactId !== null && (await loadContacts(tx, companyId, [contactId])).size === 0) {
      throw invalidField('contact_id', `contact_id: there is no contact ${contactId}`, 'not_found');
    }
    const data = { template_id: id, as_contact_id: contactId };
    const messages = input.recipients.map((given, i) => {
      const recipient = channel === 'email' ? normaliseEmail(given) : normalisePhone(given, null);
      if (recipient === null) {
        const what = channel === 'email' ? 'e-mail address' : 'number in E.164';
        throw invalidField(`recipients.${i}`, `recipients.${i} is no ${what}`);
      }
      return {
        idemKey: `t:template:${id}:${randomUUID()}`,
        channel,
        contactId: null,
        recipient,
        origin: { kind: 'system' as const, template: 'template_test', data },
        transactional: true,
        dueAt: now,
      };
    });
    return { template_id: id, queued: await queueMessages(tx, companyId, messages, now) };
  });
}
