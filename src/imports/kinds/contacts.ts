import type { Settled } from '../../db/batching/batcher.ts';
import { AppError, type FieldError } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import { checkImported, type ImportedContact, writeImported } from '../../marketing/contacts/service.ts';
import type { Evidence } from '../../recipients/consent.ts';
import { type Fields, PROPERTY } from '../formats/format.ts';
import { type ImportContext, type ImportKind, type JournalEntry, type Outcome, type Read, refused } from './kind.ts';
import { consentOf, lineOf, listOf, momentOf, RowFault, shown, textOf, yesNoOf } from './values.ts';

const MAX_TAGS = 100;

/** Contacts of the marketing side. */
export const contactsKind: ImportKind<ImportedContact> = {
  read({ rows }, context): Read<ImportedContact>[] {
    const fields = rows[0]!;
    const contact = readContact(fields, context);
    const { email, phone, external_id } = contact;
    const key = email ?? phone ?? external_id;
    if (key === undefined) throw new RowFault('email', 'the row has neither an e-mail address nor a phone number');
    return [{ key, record: contact }];
  },

  async check(tx, context, contacts) {
    const settled = await checkImported(tx, context.companyId, given(context, contacts), context.suppressions);
    return settled.map((one) => (one.ok ? one.value : faultOf(one)));
  },

  async write(tx, context, contacts) {
    const { companyId, suppressions } = context;
    const settled = await writeImported(tx, companyId, given(context, contacts), suppressions);
    const created = settled.flatMap((one) => (one.ok && one.value.outcome === 'created' ? [one.value.contactId] : []));
    const journal: JournalEntry[] = settled.flatMap((one) =>
      one.ok && one.value.before !== null
        ? [{ kind: 'contact' as const, ids: [one.value.contactId], before: one.value.before }]
        : [],
    );
    // Placed before the others, so that an undo processes it last: another row of the batch may have changed a new contact.
    if (created.length > 0) journal.unshift({ kind: 'contact', ids: created, before: null });
    return { outcomes: settled.map((one) => (one.ok ? outcomeOf(one.value) : faultOf(one))), journal };
  },
};

function outcomeOf({
  outcome,
  suppressed,
}: {
  outcome: 'created' | 'updated' | 'unchanged';
  suppressed: boolean;
}): Outcome {
  return { outcome, suppressed };
}

function faultOf(one: Settled<unknown> & { ok: false }): Outcome {
  const { error } = one;
  if (!(error instanceof AppError)) throw error;
  const [first] = (error.details.fields as FieldError[] | undefined) ?? [];
  if (error.code === 'contact_conflict') {
    return refused(first?.field ?? null, 'the e-mail address, phone number and id belong to different contacts');
  }
  return refused(first?.field ?? null, first?.message ?? error.message);
}

function given({ choices, format, now }: ImportContext, contacts: ImportedContact[]) {
  return {
    contacts,
    initial: { email: choices.email_consent ?? 'never', sms: choices.sms_consent ?? 'never' },
    listId: choices.list_id ?? null,
    onlyNew: choices.only_new ?? false,
    origin: format,
    now,
  } as const;
}

export function readContact(fields: Fields, context: ImportContext): ImportedContact {
  const { choices, shop } = context;
  const contact: ImportedContact = {};
  if (fields.email !== undefined) contact.email = emailOf('email', fields.email);
  const phone = phoneOf(fields.phone, shop.country);
  if (phone !== null) contact.phone = phone;
  for (const field of ['external_id', 'first_name', 'last_name', 'source'] as const) {
    const text = lineOf(field, fields[field], 255);
    if (text !== null) contact[field] = text;
  }
  const tags = [...listOf(fields.tags), ...(choices.tags ?? [])].map((tag) => textOf('tags', tag, 100)!);
  if (tags.length > MAX_TAGS) throw new RowFault('tags', `at most ${MAX_TAGS} tags`);
  if (tags.length > 0) contact.tags = [...new Set(tags)];
  const properties = Object.entries(fields).filter(([field]) => field.startsWith(PROPERTY));
  if (properties.length > 0) {
    contact.properties = Object.fromEntries(
      properties.map(([field, text]) => [field.slice(PROPERTY.length), textOf(field, text, 5_000)]),
    );
  }
  if (yesNoOf('bounced', fields.bounced)) contact.bounced = true;
  const consent = readConsent(fields, context);
  if (consent !== undefined) contact.consent = consent;
  return contact;
}

/** Returns the consent of a row, with what the file says about how it was given. */
function readConsent(fields: Fields, { format, readings, now }: ImportContext): ImportedContact['consent'] {
  const email = consentOf('email_consent', fields.email_consent);
  const sms = consentOf('sms_consent', fields.sms_consent);
  if (email === null && sms === null) return undefined;
  const evidence: Evidence = {};
  const at = momentOf('consent_at', fields.consent_at, readings, now);
  if (at !== null) evidence.text = `Imported from ${format}: given on ${at.toISOString().slice(0, 19)}Z`;
  if (fields.consent_ip !== undefined) evidence.ip = textOf('consent_ip', fields.consent_ip, 45) ?? undefined;
  return {
    ...(email === null ? {} : { email: { state: email, ...evidence } }),
    ...(sms === null ? {} : { sms: { state: sms } }),
  };
}

/** Spreadsheets turn long numbers into 4.9E+11, whose digits are lost. */
export function lostDigits(phone: string): boolean {
  return /\de\+\d/i.test(phone);
}

/** Normalises a phone number if possible, and removes the apostrophe that keeps it a text in spreadsheets. */
export function phoneOf(text: string | undefined, country: string): string | null {
  const phone = textOf('phone', text?.replace(/^'/, ''), 64);
  if (phone === null) return null;
  if (lostDigits(phone)) throw new RowFault('phone', `«${shown(phone)}» lost its digits in a spreadsheet`);
  return normalisePhone(phone, country) ?? phone;
}

/** Normalises an e-mail address. Throws RowFault if it is invalid. */
export function emailOf(field: string, text: string): string {
  const email = normaliseEmail(text);
  if (email === null) throw new RowFault(field, `«${shown(text)}» is no e-mail address`);
  return email;
}
