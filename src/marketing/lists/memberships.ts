import type { Queryable, Tx } from '../../db/pool.ts';
import { type Consent, joinStatus, type Membership, type MembershipStatus } from './membership.ts';
import * as queries from './queries.ts';

export type { MembershipStatus } from './membership.ts';
export type { ListSettings } from './queries.ts';

/** One contact put on a list, or taken off it. */
export interface MembershipChange {
  contactId: number;
  listId: number;
  action: 'add' | 'remove';
}

export const findListSettings = queries.findListSettings;

/** The memberships of each of the contacts, by list; contacts without any are not in the map. */
export async function loadMemberships(
  db: Queryable,
  companyId: number,
  contactIds: number[],
): Promise<Map<number, Membership[]>> {
  const byContact = new Map<number, Membership[]>();
  for (const { contact_id, list_id, status } of await queries.findMemberships(db, companyId, contactIds)) {
    const memberships = byContact.get(contact_id);
    if (memberships === undefined) byContact.set(contact_id, [{ list_id, status }]);
    else memberships.push({ list_id, status });
  }
  return byContact;
}

/**
 * Adds contacts to lists and takes them off; of several changes to one pair the last counts. On a list with double
 * opt-in the added are pending until they confirm. Lists and contacts that do not exist are passed over. Gives each pair
 * that changed, with its new status (`removed` where it is off the list).
 */
export async function changeMemberships(
  tx: Tx,
  companyId: number,
  changes: MembershipChange[],
  now: Date,
  consent: Consent = { at: now, source: 'api', ip: null },
): Promise<{ contactId: number; listId: number; status: MembershipStatus | 'removed' }[]> {
  const last = new Map(changes.map((change) => [`${change.listId}:${change.contactId}`, change]));
  const removed = [...last.values()].filter((change) => change.action === 'remove');
  const added = [...last.values()].filter((change) => change.action === 'add');
  const changed: { contactId: number; listId: number; status: MembershipStatus | 'removed' }[] = [];
  if (removed.length > 0) {
    const gone = await queries.deleteMemberships(tx, companyId, removed, now);
    changed.push(
      ...gone.map((row) => ({ contactId: row.contact_id, listId: row.list_id, status: 'removed' as const })),
    );
  }
  if (added.length > 0) {
    const written = await addToLists(tx, companyId, added, consent, now);
    changed.push(...written.map((row) => ({ contactId: row.contact_id, listId: row.list_id, status: row.status })));
  }
  return changed;
}

async function addToLists(
  tx: Tx,
  companyId: number,
  pairs: queries.Pair[],
  consent: Consent,
  now: Date,
): Promise<queries.MembershipRow[]> {
  const [settings, present] = await Promise.all([
    queries.findListSettings(tx, companyId, [...new Set(pairs.map((pair) => pair.listId))]),
    loadMemberships(tx, companyId, [...new Set(pairs.map((pair) => pair.contactId))]),
  ]);
  const lists = new Map(settings.map((list) => [list.id, list]));
  const joins: queries.Join[] = [];
  for (const { listId, contactId } of pairs) {
    const list = lists.get(listId);
    if (list === undefined) continue;
    const current = present.get(contactId)?.find((membership) => membership.list_id === listId)?.status;
    const status = joinStatus(current, list.double_opt_in);
    if (status !== current) joins.push({ listId, contactId, status, consent, now });
  }
  return joins.length === 0 ? [] : queries.writeJoins(tx, companyId, joins);
}

/** Writes memberships whose status the caller has from `joinStatus`. */
export async function joinLists(tx: Tx, companyId: number, joins: queries.Join[]): Promise<void> {
  if (joins.length > 0) await queries.writeJoins(tx, companyId, joins);
}

/** The contact themself leaves lists: nobody but they bring them back (see `joinStatus`). Gives the lists that changed. */
export async function leaveLists(tx: Tx, companyId: number, pairs: queries.Pair[], now: Date): Promise<number[]> {
  const left = await queries.moveMemberships(tx, companyId, pairs, {
    from: ['pending', 'active'],
    to: 'unsubscribed',
    consent: null,
    now,
  });
  return left.map((row) => row.list_id);
}

/** The contact themself comes back to lists that they had left. */
export async function returnToLists(
  tx: Tx,
  companyId: number,
  pairs: queries.Pair[],
  consent: Consent,
): Promise<number[]> {
  const back = await queries.moveMemberships(tx, companyId, pairs, {
    from: ['unsubscribed'],
    to: 'active',
    consent,
    now: consent.at,
  });
  return back.map((row) => row.list_id);
}

/** A pending membership becomes active; false where there is none. */
export async function confirmPending(
  tx: Tx,
  companyId: number,
  pair: queries.Pair,
  consent: Consent,
): Promise<boolean> {
  const move = { from: ['pending' as const], to: 'active' as const, consent, now: consent.at };
  return (await queries.moveMemberships(tx, companyId, [pair], move)).length > 0;
}

/** Contacts who are asked to confirm several lists by one message are pending on them. */
export const awaitConfirmation = queries.insertPending;

/** They confirm all of them at once. */
export const confirmAll = queries.upsertActive;

export type { Unconfirmed } from './queries.ts';

/**
 * Up to `limit` contacts, of whatever company, who were put on a list with double opt-in and have not been asked to confirm.
 * They count as asked when `tx` commits: queue the mails in it. Each request comes once; one who left and is put on the
 * list again comes again.
 */
export const pendingConfirmations = queries.claimUnconfirmed;
