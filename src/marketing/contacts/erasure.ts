import type { Caller } from '../../access/caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { eraseEventData } from '../events/service.ts';
import { eraseDependents } from './dependents-queries.ts';
import * as queries from './queries.ts';

/**
 * Erases a contact: whatever says who it was is gone when this returns, and what is counted stays without it. Throws
 * not_found.
 */
export async function eraseContact(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ contact_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    const erased = await eraseContacts(tx, caller.companyId, [id], caller.now);
    if (erased.length === 0) throw notFound(`contact ${id}`);
    return { contact_id: id, deleted: true };
  });
}

/**
 * Erases those of the contacts that there are, and gives their ids. Waits for all transactions that have found contacts
 * to hang something on, and holds up new ones until COMMIT. With the ids in contact_erasures it repeats the erasures on a
 * restored backup.
 */
export async function eraseContacts(tx: Tx, companyId: number, ids: number[], now: Date): Promise<number[]> {
  await queries.lockErasure(tx, companyId);
  const gone = await queries.removeContacts(tx, companyId, ids, now);
  const erased = gone.map((row) => row.contact_id);
  if (erased.length === 0) return [];
  await Promise.all([eraseEventData(tx, companyId, erased), eraseDependents(tx, companyId, erased)]);
  return erased;
}
