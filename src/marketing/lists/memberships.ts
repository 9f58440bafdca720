import type { Queryable, Tx } from '../../db/pool.ts';
import type { MembershipStatus } from '../../recipients/consent.ts';
import { type Consent, joinStatus, type Membership } from './membership.ts';
import * as queries from './membership-queries.ts';
import { findListSettings } from './queries.ts';

/** A contact to add to a list, or to remove from it. */
export interface MembershipChange {
  contactId: number;
  listId: number;
  action: 'add' | 'remove';
}

/** The memberships of each contact, ordered by list; the map omits contacts without any. */
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
 * Adds contacts to lists and removes them; if a pair is changed several times, the last change counts. On a list with double opt-in,
 * added contacts are pending until they confirm. Lists and contacts that do not exist are ignored. Returns each changed pair with its
 * new status, or `removed`.
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
    findListSettings(tx, companyId, [...new Set(pairs.map((pair) => pair.listId))]),
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

/** Writes memberships with statuses that `joinStatus` returned. */
export async function joinLists(tx: Tx, companyId: number, joins: queries.Join[]): Promise<void> {
  if (joins.length > 0) await queries.writeJoins(tx, companyId, joins);
}

/** Unsubscribes contacts from lists by their own choice: only they can return (see `joinStatus`). Returns the changed lists. */
export async function leaveLists(tx: Tx, companyId: number, pairs: queries.Pair[], now: Date): Promise<number[]> {
  const left = await queries.updateMemberships(tx, companyId, pairs, {
    from: ['pending', 'active'],
    to: 'unsubscribed',
    consent: null,
    now,
  });
  return left.map((row) => row.list_id);
}

/** Subscribes contacts again to lists that they had left, by their own choice. Returns the changed lists. */
export async function returnToLists(
  tx: Tx,
  companyId: number,
  pairs: queries.Pair[],
  consent: Consent,
): Promise<number[]> {
  const back = await queries.updateMemberships(tx, companyId, pairs, {
    from: ['unsubscribed'],
    to: 'active',
    consent,
    now: consent.at,
  });
  return back.map((row) => row.list_id);
}

/** Activates a pending membership; false if there is none. */
export async function confirmPending(
  tx: Tx,
  companyId: number,
  pair: queries.Pair,
  consent: Consent,
): Promise<boolean> {
  const move = { from: ['pending' as const], to: 'active' as const, consent, now: consent.at };
  return (await queries.updateMemberships(tx, companyId, [pair], move)).length > 0;
}
