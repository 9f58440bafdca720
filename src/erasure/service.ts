import type { Caller } from '../access/caller.ts';
import { anonymiseCustomer } from '../commerce/customers/service.ts';
import { cancelOfErased } from '../commerce/subscriptions/service.ts';
import { write } from '../db/idempotency.ts';
import type { Tx } from '../db/pool.ts';
import { found, notFound } from '../errors.ts';
import type { PersonKeys } from '../marketing/contacts/personal-texts.ts';
import { findContactsOfCustomer, removeContacts } from '../marketing/contacts/service.ts';
import type { Suppressions } from '../messaging/suppressions.ts';
import { holdOutbox } from '../outbox/service.ts';
import { eraseWaitingEvents } from './customer-queries.ts';
import { insertErasure } from './journal-queries.ts';
import { type ErasureDeps, searchAll } from './process.ts';

export interface Deps extends ErasureDeps {
  messaging: { suppressions: Suppressions };
}

/** Erases a contact: nothing that the API shows says who it was when this returns, and what is counted stays. Throws not_found. */
export async function eraseContact(
  deps: Deps,
  caller: Caller,
  id: number,
): Promise<{ contact_id: number; deleted: boolean }> {
  const { companyId, now } = caller;
  const erasure = await write(deps.db, caller, async (tx) => {
    const removed = await removeContacts(tx, companyId, deps.messaging.suppressions, [id], now);
    if (removed.ids.length === 0) throw notFound(`contact ${id}`);
    return record(tx, deps, companyId, { customerId: null, ...removed, now });
  });
  await searchAll(deps, companyId, erasure);
  return { contact_id: id, deleted: true };
}

/** Erases a customer of the shop and their contact: amounts and books stay. Throws not_found. */
export async function eraseCustomer(deps: Deps, caller: Caller, id: number): Promise<{ id: number; deleted: boolean }> {
  const { companyId, now } = caller;
  const erasure = await write(deps.db, caller, async (tx) => {
    // Nothing of theirs is being carried over to the marketing side, which would make a contact of them again.
    await holdOutbox(tx, companyId);
    const customer = found(await anonymiseCustomer(tx, companyId, id, now), 'customer');
    const contactIds = await findContactsOfCustomer(tx, companyId, id, customer.email);
    const removed = await removeContacts(tx, companyId, deps.messaging.suppressions, contactIds, now);
    await eraseWaitingEvents(tx, companyId, [id]);
    await cancelOfErased(tx, companyId, id, caller);
    const keys = [...removed.keys, { email: customer.email, phone: customer.phone, external_id: null }];
    return record(tx, deps, companyId, { customerId: id, ...removed, keys, now });
  });
  await searchAll(deps, companyId, erasure);
  return { id, deleted: true };
}

function record(
  tx: Tx,
  { masterKey }: Deps,
  companyId: number,
  erased: { customerId: number | null; ids: number[]; mergedIds: number[]; keys: PersonKeys[]; now: Date },
): Promise<number> {
  const { customerId, ids, mergedIds, keys, now } = erased;
  const texts = masterKey.seal(JSON.stringify(keys));
  return insertErasure(tx, companyId, { customerId, contactIds: [...ids, ...mergedIds], texts }, now);
}
