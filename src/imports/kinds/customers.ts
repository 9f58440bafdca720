import { mergeCustom } from '../../commerce/custom-fields/values.ts';
import {
  type CustomerOutcome,
  checkImportedCustomers,
  type ImportedCustomer,
  writeImportedCustomers,
} from '../../commerce/customers/service.ts';
import { stateCode } from '../../commerce/states.ts';
import type { Tx } from '../../db/pool.ts';
import type { FieldError } from '../../errors.ts';
import { normaliseCountry } from '../../lib/countries.ts';
import { type ImportedContact, MAX_TAG_LENGTH } from '../../marketing/contacts/service.ts';
import { customIn } from '../formats/custom-cells.ts';
import type { Fields } from '../formats/format.ts';
import { contactsKind, emailOf, phoneOf, readContact } from './contacts.ts';
import { batchContext } from './custom-values.ts';
import { syncImportedCustomers } from './customer-contacts.ts';
import { type ImportContext, type ImportKind, type JournalEntry, type Outcome, type Read, refused } from './kind.ts';
import { consentOf, lineOf, listOf, momentOf, RowFault, shown, textOf } from './values.ts';

/** A customer, or somebody without an e-mail address, who can only be a contact. */
type Person =
  | { customer: ImportedCustomer; custom?: Record<string, unknown> | undefined }
  | { contact: ImportedContact };

/** The shop's customers. Each also becomes a contact, without the events of a registration. */
export const customersKind: ImportKind<Person> = {
  read({ rows }, context): Read<Person>[] {
    const fields = rows[0]!;
    if (fields.email === undefined && fields.phone !== undefined) {
      const contact = readPhoneContact(fields, context);
      return [{ key: `phone ${contact.phone}`, record: { contact } }];
    }
    const customer = readCustomer(fields, context);
    const custom = customIn(fields, 'customer', context.shop.customFields);
    return [{ key: customer.email.toLowerCase(), record: { customer, custom } }];
  },

  async check(db, context, people) {
    const read = await withCustom(db, context, people);
    const { customers, contacts } = parted(read);
    const onlyNew = context.choices.only_new ?? false;
    const checked = await checkImportedCustomers(db, context.companyId, customers, { onlyNew });
    const others = contacts.length === 0 ? [] : await contactsKind.check(db, context, contacts);
    return inOrder(
      read,
      checked.map((outcome) => ({ outcome })),
      others,
    );
  },

  async write(tx, context, people) {
    const read = await withCustom(tx, context, people);
    const { customers, contacts } = parted(read);
    const { outcomes, journal } = await writeCustomers(tx, context, customers, context.choices.only_new ?? false);
    const others =
      contacts.length === 0 ? { outcomes: [], journal: [] } : await contactsKind.write(tx, context, contacts);
    const written = outcomes.map(({ outcome }): Outcome => ({ outcome }));
    return { outcomes: inOrder(read, written, others.outcomes), journal: [...others.journal, ...journal] };
  },
};

/** Sets the custom values of customers; one with a value that does not satisfy its definition is refused. */
async function withCustom(tx: Tx, { shop }: ImportContext, people: Person[]): Promise<(Person | Outcome)[]> {
  const given = people.flatMap((one) => ('customer' in one && one.custom !== undefined ? [one.custom] : []));
  if (given.length === 0) return people;
  const context = await batchContext(tx, shop, given);
  return people.map((one): Person | Outcome => {
    if (!('customer' in one) || one.custom === undefined) return one;
    const errors: FieldError[] = [];
    // Like other fields, a required one may be missing in the file.
    const custom = mergeCustom(context, 'customer', one.custom, {}, errors);
    if (errors.length === 0) return { customer: { ...one.customer, custom } };
    const { field, message } = errors[0]!;
    return refused(field, message.slice(field.length).trimStart());
  });
}

function parted(people: (Person | Outcome)[]): { customers: ImportedCustomer[]; contacts: ImportedContact[] } {
  return {
    customers: people.flatMap((one) => ('customer' in one ? [one.customer] : [])),
    contacts: people.flatMap((one) => ('contact' in one ? [one.contact] : [])),
  };
}

/** Merges the outcomes of customers and of contacts in the order of the people. */
function inOrder(people: (Person | Outcome)[], customers: Outcome[], contacts: Outcome[]): Outcome[] {
  const [ofCustomers, ofContacts] = [customers.values(), contacts.values()];
  return people.map((one) => ('outcome' in one ? one : ('customer' in one ? ofCustomers : ofContacts).next().value!));
}

/** Their consent to e-mails has no address to which it could apply. */
function readPhoneContact({ email_consent: _, ...fields }: Fields, context: ImportContext): ImportedContact {
  const { first_name, last_name } = nameOf(fields);
  const named: Fields = { ...fields };
  if (first_name !== null) named.first_name = first_name;
  if (last_name !== null) named.last_name = last_name;
  return readContact(named, context);
}

/** Writes customers and their contacts. */
export async function writeCustomers(
  tx: Tx,
  { companyId, now, suppressions }: ImportContext,
  customers: ImportedCustomer[],
  onlyNew: boolean,
): Promise<{ outcomes: CustomerOutcome[]; journal: JournalEntry[] }> {
  const outcomes = await writeImportedCustomers(tx, companyId, customers, { onlyNew, now });
  const written = outcomes
    .map((one, i) => ({ ...one, tags: tagsOf(customers[i]!) }))
    .filter(({ outcome }) => outcome !== 'unchanged');
  const contacts = await syncImportedCustomers(tx, companyId, written, { now, suppressions });
  const journal: JournalEntry[] = [];
  const add = (kind: 'contact' | 'customer', ids: number[]): void => {
    if (ids.length > 0) journal.push({ kind, ids, before: null });
  };
  // Placed before the customers, so that an undo processes contacts last: a contact stays if its customer does.
  add('contact', contacts.created);
  for (const { id, before } of written) if (before !== null) journal.push({ kind: 'customer', ids: [id], before });
  add(
    'customer',
    written.filter(({ before }) => before === null).map(({ id }) => id),
  );
  return { outcomes, journal };
}

/** The tags in the file, which the contact gets; longer ones stay in the metadata alone. */
function tagsOf({ metadata: { tags } }: ImportedCustomer): string[] {
  const texts = Array.isArray(tags) ? tags.map((tag) => String(tag).trim()) : [];
  return texts.filter((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH);
}

function readCustomer(fields: Fields, { choices, shop, format, readings, now }: ImportContext): ImportedCustomer {
  if (fields.email === undefined)
    throw new RowFault('email', 'a customer needs an e-mail address, or a phone number to be a contact');
  const consent = consentOf('email_consent', fields.email_consent) ?? choices.email_consent ?? 'never';
  const country = countryOf('country', fields.country);
  const name = nameOf(fields);
  const address = [fields.address, fields.address_2].filter((line) => line !== undefined).join(', ');
  const metadata: Record<string, unknown> = {};
  if (fields.source_id !== undefined) metadata[`${format}_id`] = textOf('source_id', fields.source_id, 100);
  if (fields.note !== undefined) metadata.note = textOf('note', fields.note, 5_000);
  if (fields.tags !== undefined) metadata.tags = listOf(textOf('tags', fields.tags, 5_000)!);
  return {
    email: emailOf('email', fields.email),
    ...name,
    phone: phoneOf(fields.phone, country ?? shop.country),
    accepts_marketing: consent === 'subscribed',
    address: textOf('address', address === '' ? undefined : address, 500),
    city: textOf('city', fields.city, 200),
    state: stateCode(textOf('state', fields.state, 100), country ?? shop.country),
    // Shopify and spreadsheets write an apostrophe before codes that begin with a zero.
    zip: textOf('zip', fields.zip?.replace(/^'/, ''), 20),
    country,
    metadata,
    custom: {},
    created_at: momentOf('created_at', fields.created_at, readings, now),
  };
}

/** Returns first and last name: either given, or the full name split at its last space. */
function nameOf({ first_name, last_name, full_name }: Fields): { first_name: string | null; last_name: string | null } {
  if (first_name !== undefined || last_name !== undefined || full_name === undefined) {
    return { first_name: lineOf('first_name', first_name, 200), last_name: lineOf('last_name', last_name, 200) };
  }
  return splitName(full_name);
}

export function splitName(name: string): { first_name: string | null; last_name: string | null } {
  const [, first, last] = /^(.*\S)\s+(\S+)$/.exec(name) ?? [undefined, name, undefined];
  return { first_name: lineOf('full_name', first, 200), last_name: lineOf('full_name', last, 200) };
}

export function countryOf(field: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const country = normaliseCountry(text);
  if (country === null) throw new RowFault(field, `«${shown(text)}» is no country`);
  return country;
}
