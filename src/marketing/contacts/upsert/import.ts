import type { Caller } from '../../../caller.ts';
import type { Settled } from '../../../db/batching/batcher.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db } from '../../../db/pool.ts';
import { AppError, type FieldError, validationFailed } from '../../../errors.ts';
import { validatorOf } from '../../../lib/validation/validation.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { ContactInput } from '../contact-schema.ts';
import type { UpsertResults } from '../contract.ts';
import { bulkUpsert } from './bulk-upsert.ts';
import { upsertOf } from './input.ts';
import type { UpsertOutcome } from './run.ts';
import { settleEach } from './settled.ts';

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
