import type { Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { CHANNELS, consentOf, withConsent } from '../../../recipients/consent.ts';
import { lockMerges } from '../../../recipients/merge-lock.ts';
import { consentChanges, withSuppressed } from '../consent/effects.ts';
import { insertConsents } from '../consent/history-queries.ts';
import { type Contact, keysOf, withStatus } from '../contact.ts';
import * as contacts from '../queries.ts';
import { type ContactRow, columns } from '../queries.ts';
import { findContactsByKeys, lockKeysInOrder } from '../upsert/queries.ts';
import type { ContactBefore } from './imported.ts';

/**
 * Removes the contacts that an import created at `stamp` and that are unaffected since: no change, event, message, form or list
 * except the one that the import chose. Returns the ids of the others.
 */
export async function removeImported(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  await lockMerges(tx, companyId);
  const gone = new Set(await deleteUntouched(tx, companyId, ids, stamp));
  return ids.filter((id) => !gone.has(id));
}

interface Restoring {
  id: number;
  before: ContactBefore;
  stamp: Date;
  now: Date;
  suppressions: Suppressions;
}

/**
 * Restores the contact to its state before the import, if nobody changed it since and no other contact has its former keys now. An
 * unsubscription stays, whatever its source: it belongs to the address. Returns whether it was restored.
 */
export async function restoreImported(
  tx: Tx,
  companyId: number,
  { id, before, stamp, now, suppressions }: Restoring,
): Promise<boolean> {
  // Keys are locked before rows, as in upserts.
  if (before.contact !== null) await lockKeysInOrder(tx, companyId, keysOf(before.contact).sort());
  const [row] = await lockContacts(tx, companyId, [id]);
  if (row === undefined) return false;
  const left =
    before.joined === null || (await leaveJoined(tx, companyId, { listId: before.joined, contactId: id, stamp }));
  if (before.contact === null) return left;
  const { id: _, ...current } = row;
  if (current.updated_at.getTime() !== stamp.getTime()) return false;
  if (await isTaken(tx, companyId, id, before.contact)) return false;
  const own = restored(before.contact, current, { stamp, now });
  const [suppressed] = await suppressions.find(tx, companyId, [own]);
  const next = withSuppressed(own, suppressed!);
  await contacts.updateContacts(tx, companyId, [{ id, ...next }]);
  const changes = consentChanges(current, next).map((change) => ({ ...change, contactId: id }));
  if (changes.length > 0) await insertConsents(tx, companyId, changes);
  return left;
}

async function isTaken(tx: Tx, companyId: number, id: number, { email, phone, external_id }: Contact) {
  const given = (value: string | null): string[] => (value === null ? [] : [value]);
  const keys = { ids: [], externalIds: given(external_id), emails: given(email), phones: given(phone) };
  return (await findContactsByKeys(tx, companyId, keys)).some((holder) => holder.id !== id);
}

function restored(before: Contact, current: Contact, { stamp, now }: { stamp: Date; now: Date }): Contact {
  const old = revived(before);
  // The state before was written by another row of the same import, whose change is undone next.
  const isImported = old.updated_at.getTime() === stamp.getTime();
  let next: Contact = { ...old, updated_at: isImported ? stamp : now };
  for (const channel of CHANNELS) {
    const consent = consentOf(current, channel);
    if (consent.state === 'unsubscribed') next = withConsent(next, channel, consent);
  }
  return withStatus({ ...next, email_bounced: current.email_bounced });
}

/** The journal stores timestamps as text. */
function revived(before: Contact): Contact {
  const moment = (value: Date | null): Date | null => (value === null ? null : new Date(value));
  return {
    ...before,
    email_consent_at: moment(before.email_consent_at),
    sms_consent_at: moment(before.sms_consent_at),
    paused_until: moment(before.paused_until),
    created_at: new Date(before.created_at),
    updated_at: new Date(before.updated_at),
  };
}

function lockContacts(tx: Tx, companyId: number, ids: number[]): Promise<ContactRow[]> {
  return tx.query<ContactRow>(sql`
    select ${columns} from contacts c where c.company_id = ${companyId} and c.id = any(${ids}::bigint[])
    order by c.id for no key update`);
}

/** Deletes those of the contacts that are unchanged since an import created them at `stamp`; returns their ids. */
async function deleteUntouched(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    with untouched as materialized (
      select c.id from contacts c
      where c.company_id = ${companyId} and c.id = any(${ids}::bigint[]) and c.updated_at = ${stamp}
        and not exists (select from events e where e.company_id = ${companyId} and e.contact_id = c.id)
        and not exists (select from ledger m where m.company_id = ${companyId} and m.contact_id = c.id)
        and not exists (select from flow_runs r where r.company_id = ${companyId} and r.contact_id = c.id)
        and not exists (select from form_submissions s where s.company_id = ${companyId} and s.contact_id = c.id)
        and not exists (
          select from customers k
          where k.company_id = ${companyId} and k.erased_at is null
            and k.id = case when c.external_id ~ '^[1-9][0-9]{0,15}$' then c.external_id::bigint end)
        and not exists (
          select from list_memberships m where m.company_id = ${companyId} and m.contact_id = c.id
            and (m.created_at <> ${stamp} or m.updated_at <> ${stamp}))
      order by c.id for update of c
    ),
    consents as (
      delete from contact_consents x using untouched u where x.company_id = ${companyId} and x.contact_id = u.id
    ),
    activity as (
      delete from contact_activity x using untouched u where x.company_id = ${companyId} and x.contact_id = u.id
    )
    delete from contacts c using untouched u where c.company_id = ${companyId} and c.id = u.id returning c.id`);
  return rows.map((row) => row.id);
}

/** Removes the contact from a list that it was added to at `stamp`, unless that changed since. */
async function leaveJoined(
  tx: Tx,
  companyId: number,
  { listId, contactId, stamp }: { listId: number; contactId: number; stamp: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from list_memberships
    where company_id = ${companyId} and list_id = ${listId} and contact_id = ${contactId} and created_at = ${stamp}
      and updated_at = ${stamp}
    returning 1 as gone`);
  return rows.length > 0;
}
