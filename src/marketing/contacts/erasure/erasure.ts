import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { keysOf } from '../keys.ts';
import { lockKeys } from '../lock-queries.ts';
import type { PersonKeys } from './personal-texts.ts';
import { findFormerKeys, findMerged } from './queries.ts';
import * as removal from './removal-queries.ts';

/** Contacts that were removed, with what an erasure needs to find their data. */
export interface RemovedContacts {
  /** Those of the contacts that existed. */
  ids: number[];
  /** Contacts that had been merged into them. */
  mergedIds: number[];
  /** Their present and former keys, except those that other contacts have now. */
  keys: PersonKeys[];
}

/**
 * Deletes those of the contacts that exist, in a short transaction: after COMMIT nobody finds them. Waits only for transactions
 * that hold their rows or keys. A keyed hash of the address of unsubscribed or bounced contacts stays as a suppression.
 */
export async function removeContacts(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  ids: number[],
  now: Date,
): Promise<RemovedContacts> {
  // A transaction that creates a contact with the same address waits for COMMIT, and then finds it suppressed.
  const locked = new Set((await removal.findKeys(tx, companyId, ids)).flatMap(keysOf));
  if (locked.size > 0) await lockKeys(tx, companyId, [...locked].sort());
  const gone = await removal.removeContacts(tx, companyId, ids, now);
  if (gone.length === 0) return { ids: [], mergedIds: [], keys: [] };
  // Keys that the contacts got meanwhile. Locked after rows, against the usual order: after a deadlock one is retried.
  const later = gone.flatMap(keysOf).filter((key) => !locked.has(key));
  if (later.length > 0) await lockKeys(tx, companyId, later.sort());
  const removed = gone.map((contact) => contact.id);
  const [mergedIds, former] = await Promise.all([
    findMerged(tx, companyId, removed),
    findFormerKeys(tx, companyId, removed),
    suppressions.keep(tx, companyId, gone, now),
  ]);
  return { ids: removed, mergedIds, keys: [...gone, ...former].map(onlyKeys) };
}

function onlyKeys({ email, phone, external_id }: PersonKeys): PersonKeys {
  return { email, phone, external_id };
}
