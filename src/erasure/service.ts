import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Caller } from '../caller.ts';
import { type CartOwner, cancelCartsOf, findPaymentOf } from '../commerce/carts/queries.ts';
import { anonymiseCustomer, findMergedInto } from '../commerce/customers/service.ts';
import { removeSavedMethodsOf } from '../commerce/payments/saved/service.ts';
import { cancelOfErased } from '../commerce/subscriptions/service.ts';
import { write } from '../db/idempotency.ts';
import type { Tx } from '../db/pool.ts';
import { AppError, found, notFound } from '../errors.ts';
import type { PersonKeys } from '../marketing/contacts/erasure/personal-texts.ts';
import { findContactsOfCustomer, type RemovedContacts, removeContacts } from '../marketing/contacts/service.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import { holdOutbox } from '../outbox/service.ts';
import { eraseWaitingEvents } from './customer-queries.ts';
import type { JournalEntry, JournalFile } from './journal-file.ts';
import { insertErasure } from './journal-queries.ts';
import { type ErasureDeps, sealKeys, searchAll } from './process.ts';

export { searchAll } from './process.ts';
export { createJournalSync, findUnreplayed, replayErasures, replayFile } from './replay.ts';

export interface ErasureServiceDeps extends ErasureDeps {
  suppressions: Suppressions;
  journalFile: JournalFile;
  log: Logger;
}

export type ErasureService = ReturnType<typeof createErasureService>;

/** Erases people on request. The methods return once nothing that the API shows identifies the person; counts stay. */
export function createErasureService(deps: ErasureServiceDeps) {
  const { db, suppressions } = deps;
  return {
    /** Throws not_found. */
    async eraseContact(caller: Caller, id: number): Promise<{ contact_id: number; deleted: boolean }> {
      const { companyId, now } = caller;
      const begun = await write(db, caller, async (tx) => {
        const removed = await removeContacts(tx, companyId, suppressions, [id], now);
        if (removed.ids.length === 0) throw notFound(`contact ${id}`);
        return begin(tx, deps, caller, null, removed);
      });
      await finish(deps, begun);
      return { contact_id: id, deleted: true };
    },

    /** Erases a customer of the shop and their contact; orders and amounts stay. Throws not_found, payment_in_progress. */
    async eraseCustomer(caller: Caller, id: number): Promise<{ id: number; deleted: boolean }> {
      const { companyId, now } = caller;
      const begun = await write(db, caller, async (tx) => {
        // Ensures that no outbox message of the customer is being transferred, which would create the contact again.
        await holdOutbox(tx, companyId);
        const customer = found(await anonymiseCustomer(tx, companyId, id, now), 'customer');
        const owner = { customerId: id, email: customer.email };
        await endCarts(tx, companyId, owner, now);
        // Customers merged into this one: data with their ids is found by those ids, and their contacts may not be merged yet.
        const mergedIds = await findMergedInto(tx, companyId, id);
        const contacts = [await findContactsOfCustomer(tx, companyId, id, customer.email)];
        for (const mergedId of mergedIds) contacts.push(await findContactsOfCustomer(tx, companyId, mergedId, null));
        const contactIds = contacts.flat();
        const removed = await removeContacts(tx, companyId, suppressions, contactIds, now);
        const emails = customer.email === null ? [] : [customer.email.toLowerCase()];
        await eraseWaitingEvents(tx, companyId, { ids: [id, ...mergedIds], emails });
        await cancelOfErased(tx, companyId, id, caller);
        // A renewal may have begun one until its subscription was locked.
        await endCarts(tx, companyId, owner, now);
        await removeSavedMethodsOf(tx, companyId, id, caller.now);
        const keys: PersonKeys[] = [...removed.keys, { ...customer, external_id: null }];
        const begun = [await begin(tx, deps, caller, id, { ...removed, keys })];
        for (const mergedId of mergedIds) {
          begun.push(await begin(tx, deps, caller, mergedId, { ids: [], mergedIds: [], keys: [] }));
        }
        return begun;
      });
      for (const one of begun) await finish(deps, one);
      return { id, deleted: true };
    },
  };
}

/** Cancels the carts of the customer. Throws payment_in_progress for one that is being paid: its order needs their address. */
async function endCarts(tx: Tx, companyId: number, owner: CartOwner, now: Date): Promise<void> {
  await cancelCartsOf(tx, companyId, owner, now);
  const paymentId = await findPaymentOf(tx, companyId, owner);
  if (paymentId === undefined) return;
  const message = 'The customer is paying for a cart: cancel the payment, or wait for its end';
  throw new AppError('payment_in_progress', message, { payment_id: paymentId });
}

/** An erasure that is stored but not yet carried out. */
interface Begun {
  id: number;
  entry: JournalEntry;
}

async function begin(
  tx: Tx,
  { masterKey, suppressions }: ErasureServiceDeps,
  { companyId, now }: Caller,
  customerId: number | null,
  { ids, mergedIds, keys }: RemovedContacts,
): Promise<Begun> {
  const key = randomUUID();
  const contactIds = [...ids, ...mergedIds];
  const suppressed = await suppressions.list(tx, companyId, keys);
  const erasure = { key, customerId, contactIds, texts: sealKeys(masterKey, keys), suppressed };
  const id = await insertErasure(tx, companyId, erasure, now);
  const at = now.toISOString();
  return {
    id,
    entry: { key, at, company_id: companyId, customer_id: customerId, contact_ids: contactIds, suppressed },
  };
}

async function finish(deps: ErasureServiceDeps, { id, entry }: Begun): Promise<void> {
  // If the file cannot be written now, the journal sync of any process does it later.
  await deps.journalFile.append([entry]).catch((error: unknown) => {
    deps.log.error({ err: error, file: deps.journalFile.path }, 'an erasure could not be written to the journal file');
  });
  // On the worker's lane, so that it neither waits for requests nor delays them.
  await searchAll({ ...deps, db: deps.db.choresOf(entry.company_id) }, entry.company_id, id);
}
