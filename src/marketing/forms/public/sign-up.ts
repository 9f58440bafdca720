import type { KeyObject } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.ts';
import { suppressionHash } from '../../../messaging/consent/tokens.ts';
import { queueMessages } from '../../../messaging/service.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, type Channel, consentOf } from '../../contacts/consent/states.ts';
import type { Contact } from '../../contacts/contact.ts';
import type { GivenConsent } from '../../contacts/patch.ts';
import { fillSignedUp, type SignedUp, signUp } from '../../contacts/service.ts';
import { addPendingMemberships, changeMemberships } from '../../lists/service.ts';
import type { FormRow } from '../queries.ts';
import type { Submission } from './submission.ts';
import { addToTotals, countAsked, insertSubmission } from './submission-queries.ts';

/** So long a submission waits for its confirmation. */
const UNCONFIRMED_MS = 30 * 86_400_000;
const PER_HOUR = 1;
const PER_DAY = 3;
/** By all forms of a company together. */
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

/** The one address that the submission is about: the e-mail where it has one. */
function principalOf({ email, phone }: Submission): { channel: Channel; address: string; key: SignUpKey } {
  if (email !== null) return { channel: 'email', address: email, key: { email } };
  return { channel: 'sms', address: phone!, key: { phone: phone! } };
}

type SignUpKey = Parameters<typeof signUp>[3];

/** Takes a submission. Nothing that it gives back says who was known before. */
export async function takeSubmission(deps: SignUpDeps, sent: Sent): Promise<void> {
  const { form } = sent;
  await deps.db.tenantTx(form.company_id, (tx) => (form.double_opt_in ? ask(tx, deps, sent) : agree(tx, deps, sent)));
}

/** Asks for the confirmation, unless that was done often enough. What the contact has consented to stays as it is. */
async function ask(tx: Tx, { suppressions, tokenKey }: SignUpDeps, { form, submission, ip, userAgent, now }: Sent) {
  const { company_id: companyId, id: formId } = form;
  const { channel, address, key } = principalOf(submission);
  const { contactId, contact } = await signUp(tx, companyId, suppressions, key, {}, now);
  const hash = suppressionHash(tokenKey, channel, address);
  if (await mayAsk(tx, companyId, { formId, contactId, hash, now })) {
    const { phone } = submission;
    const id = await insertSubmission(
      tx,
      companyId,
      {
        ...{ formId, contactId, hash, phone, given: submission.given, ip, userAgent },
        ...{ consentText: form.consent_text, confirmed: [], expiresAt: new Date(now.getTime() + UNCONFIRMED_MS) },
      },
      now,
    );
    const pairs = form.list_ids.map((listId) => ({ listId, contactId }));
    await addPendingMemberships(tx, companyId, pairs, { at: now, source: 'form', ip });
    // A number that is not the contact's yet is asked when the e-mail address is confirmed.
    for (const asked of form.channels) {
      if (addressOf(contact, asked) === given(submission, asked)) {
        await queueConfirmation(tx, form, { id, contactId, channel: asked, now });
      }
    }
  }
  await addToTotals(tx, companyId, formId, { submissions: 1, confirmed: 0 });
}

async function mayAsk(tx: Tx, companyId: number, asked: Parameters<typeof countAsked>[2]): Promise<boolean> {
  const { hour, day, company } = await countAsked(tx, companyId, asked);
  return hour < PER_HOUR && day < PER_DAY && company < PER_DAY_OF_COMPANY;
}

/** Once for each channel of a submission. */
export async function queueConfirmation(
  tx: Tx,
  { company_id: companyId, language }: FormRow,
  { id, contactId, channel, now }: { id: number; contactId: number; channel: Channel; now: Date },
): Promise<void> {
  const data = { form_submission_id: id, language };
  const origin = { kind: 'system', template: 'confirm_form', data } as const;
  const message = { idemKey: `t:form:${id}:${channel}`, channel, contactId, origin, transactional: true, dueAt: now };
  await queueMessages(tx, companyId, [message], now);
}

/** Consents at once. A no of before stands. */
async function agree(tx: Tx, { suppressions, tokenKey }: SignUpDeps, { form, submission, ip, userAgent, now }: Sent) {
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
  // The number counts where it is this contact's.
  if (channel === 'email' && channels.includes('sms') && contact.phone !== null && contact.phone === submission.phone) {
    contact = await fillSignedUp(tx, companyId, suppressions, { contactId, contact }, {}, { sms: yes }, now);
  }
  const joins = form.list_ids.map((listId) => ({ contactId, listId, action: 'add' as const }));
  await changeMemberships(tx, companyId, joins, now, { at: now, source: 'form', ip });
  const hash = suppressionHash(tokenKey, channel, address);
  const confirmed = CHANNELS.filter(
    (one) =>
      channels.includes(one) &&
      addressOf(contact, one) === given(submission, one) &&
      consentOf(contact, one).state === 'subscribed',
  );
  const isFirst = await mayAsk(tx, companyId, { formId, contactId, hash, now });
  // The same again says nothing new; what the consent rests on is stored once an hour at most.
  if (isFirst) {
    const { phone } = submission;
    const row = { formId, contactId, hash, phone, given: {}, consentText: form.consent_text, ip, userAgent, confirmed };
    await insertSubmission(tx, companyId, { ...row, expiresAt: null }, now);
  }
  await addToTotals(tx, companyId, formId, { submissions: 1, confirmed: isFirst && confirmed.length > 0 ? 1 : 0 });
}

/** undefined: it was not given; null: the contact has none. */
function given({ email, phone }: Submission, channel: Channel): string | undefined {
  return (channel === 'email' ? email : phone) ?? undefined;
}

export function addressOf({ email, phone }: SignedUp['contact'] | Contact, channel: Channel): string | null {
  return channel === 'email' ? email : phone;
}
