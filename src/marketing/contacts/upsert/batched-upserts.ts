import type { Caller } from '../../../caller.ts';
import { createBatcher } from '../../../db/batching/batch.ts';
import type { Batcher } from '../../../db/batching/batcher.ts';
import { type BatchWork, runBatch } from '../../../db/batching/idempotent-batch.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { ContactInput, UpsertedContact } from '../contact-schema.ts';
import { recordOf } from '../record.ts';
import { bulkUpsert, sendBulkUpsert } from './bulk-upsert.ts';
import type { ContactUpsert } from './contact-upsert.ts';
import { upsertOf } from './input.ts';
import type { UpsertOutcome } from './run.ts';
import { mapSettled, unwrap } from './settled.ts';

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
