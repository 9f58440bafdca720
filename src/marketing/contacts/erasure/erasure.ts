import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { keysOf } from '../keys.ts';
import { lockKeys } from '../lock-queries.ts';
import type { PersonKeys } from './personal-texts.ts';
import { findFormerKeys, findMerged } from './queries.ts';
import * as removal from './removal-queries.ts';

/** Contacts that were removed: what an erasure needs to find the rest. */
export interface RemovedContacts {
  /** Those that there were. */
  ids: number[];
  /** Those that had become part of them. */
  mergedIds: number[];
  /** Their keys, former ones as well, but for those that other contacts have now. */
  keys: PersonKeys[];
}

/**
 * Removes those of the contacts that there are, in a short transaction: from its COMMIT on nobody finds them. Waits for
 * transactions that hold their rows or keys, and for nobody else. Of those who had left or bounced a keyed hash of the address
 * stays, so that nobody writes to them.
 */
export async function removeContacts(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  ids: number[],
  now: Date,
): Promise<RemovedContacts> {
  // Whoever makes a contact of the same address waits for COMMIT, and sees then that the address is suppressed.
  const locked = new Set((await removal.findKeys(tx, companyId, ids)).flatMap(keysOf));
  if (locked.size > 0) await lockKeys(tx, companyId, [...locked].sort());
  const gone = await removal.removeContacts(tx, companyId, ids, now);
  if (gone.length === 0) return { ids: [], mergedIds: [], keys: [] };
  // Keys that were given meanwhile. Taken after rows, against the order: where two wait for each other, one is run again.
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
