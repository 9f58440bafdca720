import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { CHANNELS, consentOf } from './consent/states.ts';
import type { Contact } from './contact.ts';
import type { ContactInput } from './contact-schema.ts';
import { type ContactRecord, recordOf } from './record.ts';
import { bulkUpsert } from './upsert/bulk-upsert.ts';
import { givenConsents, updateOf } from './upsert/input.ts';
import { unwrap } from './upsert/settled.ts';

/** Throws not_found, validation_failed, contact_conflict. */
export async function updateContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  contactId: number,
  input: ContactInput,
  country: string,
): Promise<ContactRecord> {
  const upsert = { ...updateOf(input, country, caller), contactId };
  return write(db, caller, async (tx) => {
    const [settled] = await bulkUpsert(tx, caller.companyId, [upsert], { withLists: true, suppressions });
    const outcome = unwrap(settled!);
    requireConsents(contactId, input, outcome.contact);
    return recordOf(outcome.contactId, outcome.contact, outcome.lists);
  });
}

/** Throws validation_failed for an update that would take back an unsubscription; an upsert ignores that part instead. */
function requireConsents(id: number, { status, consent }: ContactInput, contact: Contact): void {
  const only = `only POST /contacts/resubscribe/${id} takes them back`;
  if (status === 'subscribed' && contact.status !== 'subscribed') {
    throw invalidField('status', `status: the contact is ${contact.status}; ${only}`, 'not_allowed');
  }
  const given = givenConsents(consent);
  for (const channel of CHANNELS) {
    if (given?.[channel] === undefined || given[channel].state === consentOf(contact, channel).state) continue;
    const field = `consent.${channel}`;
    throw invalidField(field, `${field}: the contact is ${consentOf(contact, channel).state}; ${only}`, 'not_allowed');
  }
}
