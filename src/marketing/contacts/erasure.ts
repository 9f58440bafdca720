import type { Caller } from '../../access/caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import type { Suppressions } from '../../messaging/suppressions.ts';
import { eraseRefusals } from '../../outbox/refusals/service.ts';
import { eraseEventData } from '../events/service.ts';
import { eraseDependents, eraseLinks, eraseStoredAnswers, findRecipients } from './dependents-queries.ts';
import { textsInAnswers, textsInLinks } from './personal-texts.ts';
import * as queries from './queries.ts';

/**
 * Erases a contact: whatever says who it was is gone when this returns, and what is counted stays without it. Throws
 * not_found.
 */
export async function eraseContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  id: number,
): Promise<{ contact_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    const erased = await eraseContacts(tx, caller.companyId, suppressions, [id], caller.now);
    if (erased.length === 0) throw notFound(`contact ${id}`);
    return { contact_id: id, deleted: true };
  });
}

/**
 * Erases those of the contacts that there are, and gives their ids. Waits for all transactions that have found contacts
 * to hang something on, and holds up new ones until COMMIT. With the ids in contact_erasures it repeats the erasures on a
 * restored backup. Of those who had left or bounced a keyed hash of the address stays, so that nobody writes to them.
 */
export async function eraseContacts(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  ids: number[],
  now: Date,
): Promise<number[]> {
  await queries.lockErasure(tx, companyId);
  const gone = await queries.removeContacts(tx, companyId, ids, now);
  const erased = gone.map((row) => row.id);
  if (erased.length === 0) return [];
  // Links to a person are made in messages, which know where they went also when the address is another by now.
  const known = new Set(gone.flatMap(({ email, phone }) => [email, phone]));
  const recipients = await findRecipients(tx, companyId, erased);
  const former = recipients.filter(({ email, phone }) => !known.has(email ?? phone));
  const keys = [...gone, ...former.map((recipient) => ({ ...recipient, external_id: null }))];
  await Promise.all([
    eraseStoredAnswers(tx, companyId, erased, keys.flatMap(textsInAnswers)),
    eraseEventData(tx, companyId, erased),
    eraseDependents(tx, companyId, erased),
    eraseLinks(tx, companyId, keys.flatMap(textsInLinks)),
    suppressions.keep(tx, companyId, gone, now),
    eraseRefusals(tx, companyId, keys),
  ]);
  return erased;
}
