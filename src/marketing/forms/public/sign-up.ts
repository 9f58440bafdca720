import type { KeyObject } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.ts';
import { suppressionHash } from '../../../messaging/consent/tokens.ts';
import { queueMessages } from '../../../messaging/service.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, type Channel, consentOf } from '../../../recipients/consent.ts';
import type { Contact } from '../../contacts/contact.ts';
import type { GivenConsent } from '../../contacts/patch.ts';
import { fillSignedUp, type SignedUp, signUp } from '../../contacts/service.ts';
import { addPendingMemberships, changeMemberships } from '../../lists/service.ts';
import type { FormRow } from '../queries.ts';
import type { Submission } from './submission.ts';
import { addToTotals, countAsked, countInWindow, insertSubmission } from './submission-queries.ts';

/** How long a submission can be confirmed. */
const UNCONFIRMED_MS = 30 * 86_400_000;
/** Maximum number of confirmation messages to an address by one form. */
const PER_HOUR = 1;
const PER_DAY = 3;
const DAY_MS = 86_400_000;
/** The maximum per day by all forms of a company. */
const PER_DAY_OF_COMPANY = 10;

export interface SignUpDeps {
  db: Db;
  suppressions: Suppressions;
  tokenKey: KeyObject;
}

export interface Sent {
  form: FormRow;
  submission: Submission;
  ip: string;
  userAgent: string | undefined;
  now: Date;
}

/** The address that identifies the contact: the e-mail if there is one. */
function principalOf({ email, phone }: Submission): { channel: Channel; address: string; key: SignUpKey } {
  if (email !== null) return { channel: 'email', address: email, key: { email } };
  return { channel: 'sms', address: phone!, key: { phone: phone! } };
}

type SignUpKey = Parameters<typeof signUp>[3];

/** Processes a submission. Returns nothing, so that no response can tell who was known before. */
export async function takeSubmission(deps: SignUpDeps, sent: Sent): Promise<void> {
  const { form } = sent;
  await deps.db.tenantTx(form.company_id, (tx) =>
    form.double_opt_in ? askToConfirm(tx, deps, sent) : subscribe(tx, deps, sent),
  );
}

/** Queues a confirmation message, unless the limits are reached. The contact's consents do not change. */
async function askToConfirm(
  tx: Tx,
  { suppressions, tokenKey }: SignUpDeps,
  { form, submission, ip, userAgent, now }: Sent,
) {
  const { company_id: companyId, id: formId } = form;
  const { channel, address, key } = principalOf(submission);
  const { contactId, contact } = await signUp(tx, companyId, suppressions, key, {}, now);
  const hash = suppressionHash(tokenKey, channel, address);
  const mailbox = suppressionHash(tokenKey, channel, mailboxOf(address));
  if (
    (await mayAsk(tx, companyId, { formId, contactId, hash, now })) &&
    (await mayAskMailbox(tx, companyId, { formId, mailbox, now }))
  ) {
    const { phone } = submission;
    const id = await insertSubmission(
      tx,
      companyId,
      {
        formId,
        contactId,
        hash,
        phone,
        given: submission.given,
        ip,
        userAgent,
        consentText: form.consent_text,
        confirmed: [],
        expiresAt: new Date(now.getTime() + UNCONFIRMED_MS),
      },
      now,
    );
    const pairs = form.list_ids.map((listId) => ({ listId, contactId }));
    await addPendingMemberships(tx, companyId, pairs, { at: now, source: 'form', ip });
    // A phone that is not the contact's yet must be confirmed after the e-mail.
    for (const asked of form.channels) {
      if (addressOf(contact, asked) === submittedAddress(submission, asked)) {
        await queueConfirmation(tx, form, { id, contactId, channel: asked, now });
      }
    }
  }
  await addToTotals(tx, companyId, formId, { submissions: 1, confirmed: 0 }, now);
}

async function mayAsk(tx: Tx, companyId: number, asked: Parameters<typeof countAsked>[2]): Promise<boolean> {
  const { hour, day, company } = await countAsked(tx, companyId, asked);
  return hour < PER_HOUR && day < PER_DAY && company < PER_DAY_OF_COMPANY;
}

/** Many providers deliver `name+anything@host` to `name@host`, so these are asked as often as one address. */
async function mayAskMailbox(
  tx: Tx,
  companyId: number,
  { formId, mailbox, now }: { formId: number; mailbox: Buffer; now: Date },
): Promise<boolean> {
  const windowStart = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const subject = `mailbox ${mailbox.toString('hex')}`;
  return (await countInWindow(tx, companyId, formId, { subject, windowStart })) <= PER_DAY;
}

/** Returns the address without its tag; a phone number as it is. */
function mailboxOf(address: string): string {
  return address.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}

/** The idempotency key of the message that requests the confirmation of a channel. */
export function confirmationKey(submissionId: number, channel: Channel): string {
  return `t:form:${submissionId}:${channel}`;
}

/** Queues the message, once per channel of a submission. */
export async function queueConfirmation(
  tx: Tx,
  { company_id: companyId, language }: FormRow,
  { id, contactId, channel, now }: { id: number; contactId: number; channel: Channel; now: Date },
): Promise<void> {
  const data = { form_submission_id: id, language };
  const origin = { kind: 'system', template: 'confirm_form', data } as const;
  const message = {
    idemKey: confirmationKey(id, channel),
    channel,
    contactId,
    origin,
    transactional: true,
    dueAt: now,
  };
  await queueMessages(tx, companyId, [message], now);
}

/** Subscribes the contact at once. An earlier unsubscription stays. */
async function subscribe(
  tx: Tx,
  { suppressions, tokenKey }: SignUpDeps,
  { form, submission, ip, userAgent, now }: Sent,
) {
  const { company_id: companyId, id: formId, channels } = form;
  const { channel, address, key } = principalOf(submission);
  const yes: GivenConsent = { state: 'subscribed', text: form.consent_text, ip, ...(userAgent && { userAgent }) };
  const signedUp = await signUp(
    tx,
    companyId,
    suppressions,
    key,
    channels.includes(channel) ? { [channel]: yes } : {},
    now,
  );
  const { contactId } = signedUp;
  let contact = await fillSignedUp(tx, companyId, suppressions, signedUp, submission.given, {}, now);
  // The phone is subscribed only if it belongs to this contact.
  if (channel === 'email' && channels.includes('sms') && contact.phone !== null && contact.phone === submission.phone) {
    contact = await fillSignedUp(tx, companyId, suppressions, { contactId, contact }, {}, { sms: yes }, now);
  }
  const joins = form.list_ids.map((listId) => ({ contactId, listId, action: 'add' as const }));
  await changeMemberships(tx, companyId, joins, now, { at: now, source: 'form', ip });
  const hash = suppressionHash(tokenKey, channel, address);
  const confirmed = CHANNELS.filter(
    (one) =>
      channels.includes(one) &&
      addressOf(contact, one) === submittedAddress(submission, one) &&
      consentOf(contact, one).state === 'subscribed',
  );
  const isFirst = await mayAsk(tx, companyId, { formId, contactId, hash, now });
  // Repeated submissions are not stored: the evidence of a consent is stored at most once an hour.
  if (isFirst) {
    const { phone } = submission;
    const row = { formId, contactId, hash, phone, given: {}, consentText: form.consent_text, ip, userAgent, confirmed };
    await insertSubmission(tx, companyId, { ...row, expiresAt: null }, now);
  }
  await addToTotals(tx, companyId, formId, { submissions: 1, confirmed: isFirst && confirmed.length > 0 ? 1 : 0 }, now);
}

/** The submitted address; undefined if there is none. */
function submittedAddress({ email, phone }: Submission, channel: Channel): string | undefined {
  return (channel === 'email' ? email : phone) ?? undefined;
}

export function addressOf({ email, phone }: SignedUp['contact'] | Contact, channel: Channel): string | null {
  return channel === 'email' ? email : phone;
}
