import type { Caller } from '../../caller.ts';
import { type Batcher, createBatcher, type Settled } from '../../db/batching/batch.ts';
import { type BatchWork, runBatch } from '../../db/batching/idempotent-batch.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError, type FieldError, invalidField, validationFailed } from '../../errors.ts';
import { validatorOf } from '../../lib/validation.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { givenPreferences } from './consent/preferences.ts';
import { CHANNELS, consentOf, INITIAL_BY_API } from './consent/states.ts';
import type { Contact, ContactPatch } from './contact.ts';
import { ContactInput, type UpsertedContact, type UpsertResults } from './contract.ts';
import * as queries from './queries.ts';
import { type ContactRecord, recordOf } from './record.ts';
import { type DeedOutcome, doDeeds, requireKey, sendDeeds } from './upsert/bulk-upsert.ts';
import { normalisePatch } from './upsert/normalise.ts';
import { settleEach } from './upsert/settle-each.ts';
import type { ContactDeed } from './upsert/working-set.ts';

export { backfillSuppressions } from './consent/backfill.ts';
export { changeConsents, changeShopConsent, markBounced, movePreferences } from './consent/change.ts';
export { fillSignedUp, type GivenFields, lockSignedUp, type SignedUp, signUp } from './consent/signup.ts';
export { type CustomerContact, syncCustomers } from './customers/sync.ts';
export { type RemovedContacts, removeContacts } from './erasure/erasure.ts';
export { findContactsOfCustomer, findHeldKeys, findOlderContacts } from './erasure/queries.ts';
export { exportContact } from './export/export.ts';
export { getContact, loadContacts } from './load.ts';
export { holdMerges } from './queries.ts';
export type { ContactRecord } from './record.ts';
export { confirmMembership } from './subscription-status.ts';
export { type ContactKey, findContacts, type Resolved, resolveContacts } from './upsert/resolve.ts';

interface Upsert {
  caller: Caller;
  deed: ContactDeed;
}

/** What keeps upserts in memory: those that wait for the next transaction. */
export interface ContactsService {
  /** Makes or changes one contact; its answer comes after COMMIT. Throws validation_failed, contact_conflict. */
  upsert(caller: Caller, input: ContactInput): Promise<UpsertedContact>;
}

export interface ContactsDeps {
  db: Db;
  /** In which a phone number without a country code is read: ISO 3166. */
  countryOf: (companyId: number) => Promise<string>;
  suppressions: Suppressions;
}

/** Upserts of one company that come at the same time share a transaction; two are on their way while others gather. */
export function createContactsService({ db, countryOf, suppressions }: ContactsDeps): ContactsService {
  const options = { withLists: true, suppressions };
  const alone = (item: Upsert): Promise<UpsertedContact> =>
    write(db, item.caller, async (tx) => {
      const [outcome] = await doDeeds(tx, item.caller.companyId, [item.deed], options);
      return upsertedOf(unwrap(outcome!));
    });
  const together = async (tx: Tx, items: Upsert[]): Promise<BatchWork<UpsertedContact>> => {
    const deeds = items.map((item) => item.deed);
    const { outcomes, pending } = await sendDeeds(tx, items[0]!.caller.companyId, deeds, options);
    return { outcomes: outcomes.map((outcome) => mapped(outcome, upsertedOf)), pending };
  };
  const batcher: Batcher<Upsert, UpsertedContact> = createBatcher({
    name: 'contacts',
    key: (item) => item.caller.companyId,
    run: (companyId, items) => runBatch(db, companyId, items, together, alone),
    maxSize: 64,
    // Two of one company: one whose contacts are locked for long leaves the others their way.
    maxInFlight: 4,
    maxInFlightPerKey: 2,
  });
  return {
    async upsert(caller, input) {
      const country = await countryOf(caller.companyId);
      return batcher.submit({ caller, deed: upsertDeed(input, country, caller.now) });
    },
  };
}

const checkInput = validatorOf(ContactInput);

/**
 * Up to 500 upserts in one transaction, in the given order. Each is checked and settled alone: its result has the
 * contact's id, or the error.
 */
export async function upsertContacts(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  inputs: unknown[],
  country: string,
): Promise<UpsertResults> {
  return write(db, caller, async (tx) => {
    const outcomes = await settleEach(
      inputs,
      (input) => {
        const errors = checkInput(input);
        if (errors !== null) throw validationFailed(errors);
        return upsertDeed(input as ContactInput, country, caller.now);
      },
      (deeds) => doDeeds(tx, caller.companyId, deeds, { withLists: true, suppressions }),
    );
    const results = outcomes.map((outcome, index) => ({ index, ...resultOf(outcome) }));
    return {
      created: results.filter((result) => result.created === true).length,
      updated: results.filter((result) => result.created === false).length,
      rejected: results.filter((result) => result.created === undefined).length,
      results,
    };
  });
}

function resultOf(outcome: Settled<DeedOutcome>): Omit<UpsertResults['results'][number], 'index'> {
  if (outcome.ok) return { contact_id: outcome.value.contactId, created: outcome.value.created };
  if (!(outcome.error instanceof AppError)) throw outcome.error;
  const fields = (outcome.error.details.fields as FieldError[] | undefined) ?? [];
  return { error: outcome.error.message, details: fields.map(({ field, message }) => ({ field, message })) };
}

/** Throws not_found, validation_failed, contact_conflict. */
export async function updateContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  contactId: number,
  input: ContactInput,
  country: string,
): Promise<ContactRecord> {
  const deed = { ...deedOf(input, country, caller.now), contactId };
  return write(db, caller, async (tx) => {
    const [settled] = await doDeeds(tx, caller.companyId, [deed], { withLists: true, suppressions });
    const outcome = unwrap(settled!);
    requireConsents(contactId, input, outcome.contact);
    return recordOf(outcome.contactId, outcome.contact, outcome.lists);
  });
}

/** A yes that an update asked for and a no forbids is an error, where an upsert leaves the no as it is. Throws validation_failed. */
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

function givenConsents(consent: ContactInput['consent']): ContactPatch['consent'] {
  if (consent === undefined) return undefined;
  const given: NonNullable<ContactPatch['consent']> = {};
  for (const channel of CHANNELS) {
    const one = consent[channel];
    if (one === undefined) continue;
    const { user_agent, ...rest } = typeof one === 'string' ? { state: one } : one;
    given[channel] = { ...rest, ...(user_agent === undefined ? {} : { userAgent: user_agent }) };
  }
  return given;
}

function upsertDeed(input: ContactInput, country: string, now: Date): ContactDeed {
  const deed = deedOf(input, country, now);
  requireKey(deed.patch);
  return deed;
}

function deedOf(input: ContactInput, country: string, now: Date): ContactDeed {
  const { email, first_name, last_name, phone, external_id, source, tags, tags_mode, remove_tags } = input;
  const patch: ContactPatch = { email, first_name, last_name, phone, external_id, source, remove_tags };
  if (tags !== undefined) {
    patch.tags = tags ?? [];
    patch.replace_tags = tags === null || tags_mode === 'replace';
  }
  patch.properties = input.properties;
  patch.status = input.status;
  patch.consent = givenConsents(input.consent);
  patch.preferences = givenPreferences(input.preferences);
  return { patch: normalisePatch(patch, country), listIds: input.list_ids ?? [], initial: INITIAL_BY_API, now };
}

function upsertedOf({ contactId, contact, lists, created }: DeedOutcome): UpsertedContact {
  return { ...recordOf(contactId, contact, lists), created };
}

function unwrap<T>(settled: Settled<T>): T {
  if (settled.ok) return settled.value;
  throw settled.error;
}

function mapped<From, To>(settled: Settled<From>, map: (value: From) => To): Settled<To> {
  return settled.ok ? { ok: true, value: map(settled.value) } : settled;
}

/** What a flow or another part of the product changes of a contact. */
export interface ContactChange {
  contactId: number;
  /** Absent: unchanged; null: cleared; `properties` are merged one level deep. */
  set?: {
    email?: string | null;
    phone?: string | null;
    external_id?: string | null;
    first_name?: string | null;
    last_name?: string | null;
    source?: string | null;
    properties?: Record<string, unknown> | null;
  };
  addTags?: string[];
  removeTags?: string[];
}

/**
 * Changes contacts, in the given order, and settles each change alone: an unknown contact (`not_found`), a key that
 * belongs to another one (`contact_conflict`), too many tags. A set of 500 costs a constant number of statements.
 */
export async function changeContacts(
  tx: Tx,
  companyId: number,
  changes: ContactChange[],
  now: Date,
): Promise<Settled<{ contactId: number; changed: boolean }>[]> {
  if (changes.length === 0) return [];
  const country = changes.some((change) => change.set?.phone) ? await queries.findCountry(tx, companyId) : null;
  return settleEach(
    changes,
    ({ contactId, set = {}, addTags, removeTags }) => {
      const patch: ContactPatch = { ...set };
      if (addTags !== undefined) patch.tags = addTags;
      if (removeTags !== undefined) patch.remove_tags = removeTags;
      return { contactId, patch: normalisePatch(patch, country), initial: INITIAL_BY_API, now };
    },
    async (deeds) => {
      // An address that a flow writes down is looked at by the gate alone.
      const outcomes = await doDeeds(tx, companyId, deeds, { withLists: false, suppressions: null });
      return outcomes.map((outcome) => {
        if (!outcome.ok) return outcome;
        return { ok: true, value: { contactId: outcome.value.contactId, changed: outcome.value.changed } };
      });
    },
  );
}
