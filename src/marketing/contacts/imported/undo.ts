import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { consentChanges, withSuppressed } from '../consent/effects.ts';
import { insertConsents } from '../consent/history-queries.ts';
import { CHANNELS, consentOf, withConsent } from '../consent/states.ts';
import { type Contact, withStatus } from '../contact.ts';
import { keysOf } from '../keys.ts';
import { lockMerges } from '../lock-queries.ts';
import * as contacts from '../queries.ts';
import { lockKeysInOrder } from '../upsert/key-locks.ts';
import { findContactsByKeys } from '../upsert/queries.ts';
import type { ContactBefore } from './imported.ts';
import * as queries from './queries.ts';

/**
 * Removes the contacts that an import created at `stamp` and that are unaffected since: no change, event, message, form or list
 * except the one that the import chose. Returns the ids of the others.
 */
export async function removeImported(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  await lockMerges(tx, companyId);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, ids, stamp));
  return ids.filter((id) => !gone.has(id));
}

export interface Restoring {
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
  const [row] = await queries.lockContacts(tx, companyId, [id]);
  if (row === undefined) return false;
  const left =
    before.joined === null ||
    (await queries.leaveJoined(tx, companyId, { listId: before.joined, contactId: id, stamp }));
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
