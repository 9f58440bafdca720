import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { invalidField, notFound } from '../../../errors.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, consentOf, sourceOf } from '../../../recipients/consent.ts';
import type { Consent } from '../../lists/membership.ts';
import { confirmPending, findListSettings, leaveLists, returnToLists } from '../../lists/service.ts';
import * as queries from '../queries.ts';
import { type ContactRecord, recordOf } from '../record.ts';
import { statusChannel } from '../status.ts';
import { changeConsents } from './change-consents.ts';
import type { SubscriptionInput } from './contract.ts';
import { lockByEmail } from './queries.ts';
import { lockSignedUp } from './signup.ts';

/** Unsubscribes the contact from all marketing, some channels, or some lists. Throws not_found, validation_failed for an unknown list. */
export async function unsubscribeContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  id: number,
  { list_ids: listIds, channels, reason: text }: SubscriptionInput,
): Promise<ContactRecord> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    if (listIds !== undefined) await leaveLists(tx, companyId, await pairs(tx, companyId, id, listIds), now);
    if (listIds === undefined || channels !== undefined) {
      const change = {
        channels: channels ?? CHANNELS,
        state: 'unsubscribed',
        source: sourceOf(caller),
        cause: 'unsubscribe',
      } as const;
      await changeConsents(tx, companyId, suppressions, [id], { ...change, evidence: { text }, now });
    }
    return present(tx, companyId, id);
  });
}

/**
 * Subscribes a contact again, also to lists that it had left, and lifts the suppressions of its addresses. Throws not_found,
 * validation_failed.
 */
export async function resubscribeContact(
  db: Db,
  caller: Caller,
  suppressions: Suppressions,
  id: number,
  { list_ids: listIds, channels, reason: text }: SubscriptionInput,
): Promise<ContactRecord> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const contact = await present(tx, companyId, id);
    const change = { state: 'subscribed', source: sourceOf(caller), cause: 'resubscribe' } as const;
    const of = channels ?? [statusChannel(contact)];
    await changeConsents(tx, companyId, suppressions, [id], { ...change, channels: of, evidence: { text }, now });
    if (listIds !== undefined) {
      const consent: Consent = { at: now, source: sourceOf(caller), ip: null };
      await returnToLists(tx, companyId, await pairs(tx, companyId, id, listIds), consent);
    }
    return present(tx, companyId, id);
  });
}

/**
 * Confirms the membership of a list with double opt-in, by the link that was sent to `email`. If the membership is pending and the
 * contact still has this address, it becomes active, the contact is subscribed to e-mail, and suppressions of the address are lifted.
 * Otherwise returns false and changes nothing, so that an old link has no effect.
 */
export async function confirmMembership(
  db: Db,
  suppressions: Suppressions,
  { companyId, listId, contactId, email }: { companyId: number; listId: number; contactId: number; email: string },
  now: Date,
  { ip, userAgent }: { ip: string | null; userAgent?: string | undefined } = { ip: null },
): Promise<boolean> {
  return db.tenantTx(companyId, async (tx) => {
    const [list] = await findListSettings(tx, companyId, [listId]);
    if (list === undefined || !(await lockByEmail(tx, companyId, contactId, email))) return false;
    const consent: Consent = { at: now, source: 'double_opt_in', ip };
    if (!(await confirmPending(tx, companyId, { listId, contactId }, consent))) return false;
    const change = { channels: ['email'], state: 'subscribed', source: 'double_opt_in', cause: 'opt_in' } as const;
    const evidence = { text: list.name, ip: ip ?? undefined, userAgent };
    await changeConsents(tx, companyId, suppressions, [contactId], { ...change, evidence, now });
    return true;
  });
}

/** How long a request for a consent can be confirmed. */
const UNCONFIRMED_MS = 30 * 86_400_000;

/**
 * Confirms the consent to e-mail by the link that was sent to `email` at `askedAt`: subscribes the contact and lifts suppressions of the
 * address. Returns false and changes nothing if the contact has another address now, unsubscribed after it was asked, or was asked
 * long ago.
 */
export async function confirmConsent(
  db: Db,
  suppressions: Suppressions,
  { companyId, contactId, email, askedAt }: { companyId: number; contactId: number; email: string; askedAt: Date },
  now: Date,
  { ip, userAgent }: { ip: string; userAgent: string | undefined },
): Promise<boolean> {
  if (now.getTime() - askedAt.getTime() > UNCONFIRMED_MS) return false;
  return db.tenantTx(companyId, async (tx) => {
    const contact = await lockSignedUp(tx, companyId, contactId, now);
    if (contact === null || contact.email !== email) return false;
    const { state, at } = consentOf(contact, 'email');
    if (state === 'unsubscribed' && at !== null && at > askedAt) return false;
    const change = { channels: ['email'], state: 'subscribed', source: 'double_opt_in', cause: 'opt_in' } as const;
    await changeConsents(tx, companyId, suppressions, [contactId], { ...change, evidence: { ip, userAgent }, now });
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
