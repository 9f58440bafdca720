import { suppressionHash } from '../../../messaging/consent/tokens.ts';
import { recipientOf } from '../../../messaging/service.ts';
import { type Channel, consentOf } from '../../../recipients/consent.ts';
import type { Contact } from '../../contacts/contact.ts';
import { changeConsents, fillSignedUp, lockSignedUp } from '../../contacts/service.ts';
import { confirmMemberships } from '../../lists/service.ts';
import { type FormRow, findForm } from '../queries.ts';
import { addressOf, confirmationKey, queueConfirmation, type SignUpDeps } from './sign-up.ts';
import { addToTotals, findSubmission, markConfirmed, type SubmissionRow } from './submission-queries.ts';

export interface Confirmation {
  companyId: number;
  submissionId: number;
  channel: Channel;
  ip: string;
  userAgent: string | undefined;
}

/**
 * Confirms a channel by the link in its message: subscribes the contact, lifts suppressions of the address, and activates the
 * form's lists. Returns false and changes nothing if the contact has another address now, unsubscribed after
 * the submission, or had another address when the message was handed over, whose owner then has the link.
 */
export async function confirmSubmission(
  { db, suppressions, tokenKey }: SignUpDeps,
  { companyId, submissionId, channel, ip, userAgent }: Confirmation,
  now: Date,
): Promise<boolean> {
  return db.tenantTx(companyId, async (tx) => {
    const asked = await findSubmission(tx, companyId, submissionId);
    const contact = asked && (await lockSignedUp(tx, companyId, asked.contact_id, now));
    // Read again, now that the contact is locked.
    const submission = await findSubmission(tx, companyId, submissionId);
    if (!contact || submission === undefined) return false;
    const form = await findForm(tx, companyId, submission.form_id);
    if (form === undefined || !form.channels.includes(channel)) return false;
    const { contact_id: contactId } = submission;
    if (submission[`${channel}_confirmed_at`] !== null) return consentOf(contact, channel).state === 'subscribed';
    const ownHash = contact.email === null ? null : suppressionHash(tokenKey, 'email', contact.email);
    const isSame = channel === 'email' ? ownHash?.equals(submission.address_hash) : contact.phone === submission.phone;
    if (!isSame || hasLeftSince(contact, channel, submission)) return false;
    const sentTo = await recipientOf(tx, companyId, confirmationKey(submissionId, channel));
    if (sentTo !== addressOf(contact, channel)) return false;
    const filled = await fillSignedUp(tx, companyId, suppressions, { contactId, contact }, submission.given, {}, now);
    await changeConsents(tx, companyId, suppressions, [contactId], {
      channels: [channel],
      state: 'subscribed',
      source: 'double_opt_in',
      cause: 'opt_in',
      evidence: { text: submission.consent_text, ip, userAgent },
      now,
    });
    const pairs = form.list_ids.map((listId) => ({ listId, contactId }));
    const consent = { at: now, source: 'double_opt_in', ip };
    await confirmMemberships(tx, companyId, pairs, consent, submission.created_at);
    const isFirst = submission.email_confirmed_at === null && submission.sms_confirmed_at === null;
    await markConfirmed(tx, companyId, submissionId, channel, now);
    if (asksNext(form, submission, filled)) {
      await queueConfirmation(tx, form, { id: submissionId, contactId, channel: 'sms', now });
    }
    await addToTotals(tx, companyId, form.id, { submissions: 0, confirmed: isFirst ? 1 : 0 }, now);
    return true;
  });
}

function hasLeftSince(contact: Contact, channel: Channel, { created_at }: SubmissionRow): boolean {
  const { state, at } = consentOf(contact, channel);
  return state === 'unsubscribed' && at !== null && at > created_at;
}

/** Whether this confirmation gave the contact the phone, which must now be confirmed itself. */
function asksNext({ channels }: FormRow, { phone, sms_confirmed_at }: SubmissionRow, contact: Contact): boolean {
  return channels.includes('sms') && phone !== null && sms_confirmed_at === null && addressOf(contact, 'sms') === phone;
}
