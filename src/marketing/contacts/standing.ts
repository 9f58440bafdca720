import type { Caller } from '../../access/caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { invalidField, notFound } from '../../errors.ts';
import type { Suppressions } from '../../messaging/suppressions.ts';
import type { Consent } from '../lists/membership.ts';
import { confirmPending, findListSettings, leaveLists, returnToLists } from '../lists/service.ts';
import * as queries from './queries.ts';
import { type ContactRecord, recordOf } from './record.ts';
import { type StatusCause, TRANSITIONS } from './status.ts';

/** Moves contacts' statuses for a cause, where the table of transitions has it; logged. Gives the ids that moved. */
export async function changeStatuses(
  tx: Tx,
  companyId: number,
  ids: number[],
  cause: StatusCause,
  now: Date,
): Promise<number[]> {
  const moved = await queries.moveStatuses(tx, companyId, ids, { ...TRANSITIONS[cause], cause, now });
  return moved.map((row) => row.contact_id);
}

/** From everything, or from the lists alone. Throws not_found, validation_failed for a list that does not exist. */
export async function unsubscribeContact(
  db: Db,
  caller: Caller,
  id: number,
  listIds: number[] | undefined,
): Promise<ContactRecord> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    if (listIds === undefined) await changeStatuses(tx, companyId, [id], 'unsubscribe', now);
    else await leaveLists(tx, companyId, await pairs(tx, companyId, id, listIds), now);
    return present(tx, companyId, id);
  });
}

/**
 * Takes a contact back, and onto lists that they had left; what was kept against their addresses goes. Throws not_found,
 * validation_failed.
 */
export async function resubscribeContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  id: number,
  listIds: number[] | undefined,
): Promise<ContactRecord> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    await changeStatuses(tx, companyId, [id], 'resubscribe', now);
    await suppressions.lift(tx, companyId, [id]);
    if (listIds !== undefined) {
      const consent: Consent = { at: now, source: 'api', ip: null };
      await returnToLists(tx, companyId, await pairs(tx, companyId, id, listIds), consent);
    }
    return present(tx, companyId, id);
  });
}

/**
 * The contact says yes to a list with double opt-in. Only one who is still pending becomes active, and with that is
 * subscribed again if they were not, and nothing is kept against their addresses; false for everybody else, so that an old link brings nobody back.
 */
export async function confirmMembership(
  db: Db,
  suppressions: Suppressions,
  { companyId, listId, contactId }: { companyId: number; listId: number; contactId: number },
  now: Date,
  ip: string | null = null,
): Promise<boolean> {
  return db.tenantTx(companyId, async (tx) => {
    const [list] = await findListSettings(tx, companyId, [listId]);
    if (list === undefined) return false;
    const confirmed = await confirmPending(
      tx,
      companyId,
      { listId, contactId },
      { at: now, source: 'double_opt_in', ip },
    );
    if (!confirmed) return false;
    await changeStatuses(tx, companyId, [contactId], 'opt_in', now);
    await suppressions.lift(tx, companyId, [contactId]);
    return true;
  });
}

async function pairs(
  tx: Tx,
  companyId: number,
  contactId: number,
  listIds: number[],
): Promise<{ listId: number; contactId: number }[]> {
  const known = new Set((await findListSettings(tx, companyId, listIds)).map((list) => list.id));
  const unknown = listIds.find((listId) => !known.has(listId));
  if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
  return listIds.map((listId) => ({ listId, contactId }));
}

async function present(tx: Tx, companyId: number, id: number): Promise<ContactRecord> {
  const [row] = await queries.findContactsById(tx, companyId, [id]);
  if (row === undefined) throw notFound(`contact ${id}`);
  const { lists, ...contact } = row;
  return recordOf(id, contact, lists);
}
