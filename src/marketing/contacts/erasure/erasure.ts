import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { keysOf } from '../contact.ts';
import { lockKeys } from '../lock-queries.ts';
import type { PersonKeys } from './personal-texts.ts';
import * as queries from './queries.ts';

/** Removed contacts, with what an erasure needs to find their data. */
export interface RemovedContacts {
  /** Those of the contacts that existed. */
  ids: number[];
  /** Contacts that had been merged into them. */
  mergedIds: number[];
  /** Their current and former keys, except those that other contacts have now. */
  keys: PersonKeys[];
}

/**
 * Deletes those of the contacts that exist, in a short transaction: after COMMIT nobody can find them. Waits only for transactions
 * that hold locks on their rows or keys. For unsubscribed or bounced contacts, a keyed hash of the address is kept as a suppression.
 */
export async function removeContacts(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  ids: number[],
  now: Date,
): Promise<RemovedContacts> {
  // A transaction that creates a contact with the same address waits for COMMIT, and then finds it suppressed.
  const locked = new Set((await queries.findKeys(tx, companyId, ids)).flatMap(keysOf));
  if (locked.size > 0) await lockKeys(tx, companyId, [...locked].sort());
  const gone = await queries.removeContacts(tx, companyId, ids, now);
  if (gone.length === 0) return { ids: [], mergedIds: [], keys: [] };
  // Keys that the contacts got meanwhile. Locked after the rows, against the usual order: a transaction that deadlocks is retried.
  const later = gone.flatMap(keysOf).filter((key) => !locked.has(key));
  if (later.length > 0) await lockKeys(tx, companyId, later.sort());
  const removed = gone.map((contact) => contact.id);
  const [mergedIds, former] = await Promise.all([
    queries.findMerged(tx, companyId, removed),
    queries.findFormerKeys(tx, companyId, removed),
    suppressions.keep(tx, companyId, gone, now),
  ]);
  return { ids: removed, mergedIds, keys: [...gone, ...former].map(onlyKeys) };
}

function onlyKeys({ email, phone, external_id }: PersonKeys): PersonKeys {
  return { email, phone, external_id };
}
