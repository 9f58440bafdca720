import type { Caller } from '../../../caller.ts';
import { type Batcher, createBatcher, type Settled } from '../../../db/batching/batcher.ts';
import { type BatchWork, runBatch } from '../../../db/batching/idempotent-batch.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { AppError, type FieldError, invalidField, validationFailed } from '../../../errors.ts';
import { validatorOf } from '../../../lib/validation/validation.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, consentOf } from '../../../recipients/consent.ts';
import type { Contact } from '../contact.ts';
import { ContactInput, type UpsertedContact } from '../contact-schema.ts';
import type { UpsertResults } from '../contract.ts';
import { type ContactRecord, recordOf } from '../record.ts';
import { givenConsents, mapSettled, settleEach, unwrap, updateOf, upsertOf } from './input.ts';
import type { ContactUpsert } from './plan.ts';
import { bulkUpsert, sendBulkUpsert, type UpsertOutcome } from './upsert.ts';

interface PendingUpsert {
  caller: Caller;
  upsert: ContactUpsert;
}

export interface BatchedUpsertsDeps {
  db: Db;
  /** Returns the country (ISO 3166) of a company's phone numbers without a country code. */
  countryOf: (companyId: number) => Promise<string>;
  suppressions: Suppressions;
}

/**
 * Applies single upserts; those of one company that arrive at the same time share a transaction. The promise settles after COMMIT.
 * Throws validation_failed, contact_conflict.
 */
export function createBatchedUpserts({ db, countryOf, suppressions }: BatchedUpsertsDeps) {
  const options = { withLists: true, suppressions };
  const alone = (item: PendingUpsert): Promise<UpsertedContact> =>
    write(db, item.caller, async (tx) => {
      const [outcome] = await bulkUpsert(tx, item.caller.companyId, [item.upsert], options);
      return upsertedOf(unwrap(outcome!));
    });
  const together = async (tx: Tx, items: PendingUpsert[]): Promise<BatchWork<UpsertedContact>> => {
    const upserts = items.map((item) => item.upsert);
    const { outcomes, pending } = await sendBulkUpsert(tx, items[0]!.caller.companyId, upserts, options);
    return { outcomes: outcomes.map((outcome) => mapSettled(outcome, upsertedOf)), pending };
  };
  const batcher: Batcher<PendingUpsert, UpsertedContact> = createBatcher({
    name: 'contacts',
    key: (item) => item.caller.companyId,
    bytesOf: ({ caller }) => caller.bodyBytes ?? 0,
    run: (companyId, items) => runBatch(db, companyId, items, together, alone),
    maxSize: 64,
    // Two transactions per company, so that one that waits for a locked contact does not delay all others.
    maxInFlight: 4,
    maxInFlightPerKey: 2,
  });
  return async function upsert(caller: Caller, input: ContactInput): Promise<UpsertedContact> {
    const country = await countryOf(caller.companyId);
    return batcher.submit({ caller, upsert: upsertOf(input, country, caller) });
  };
}

function upsertedOf({ contactId, contact, lists, created }: UpsertOutcome): UpsertedContact {
  return { ...recordOf(contactId, contact, lists), created };
}

const checkInput = validatorOf(ContactInput);

/**
 * Applies up to 500 upserts in one transaction, in the given order. Each is validated and settled on its own: its result is the
 * contact's id or the error.
 */
export async function importContacts(
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
        return upsertOf(input as ContactInput, country, caller);
      },
      (upserts) => bulkUpsert(tx, caller.companyId, upserts, { withLists: true, suppressions }),
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

function resultOf(outcome: Settled<UpsertOutcome>): Omit<UpsertResults['results'][number], 'index'> {
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
