import type { Settled } from '../../../db/batching/batch.ts';
import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { INITIAL_BY_API, type InitialConsent } from '../consent/states.ts';
import type { ContactPatch } from '../contact.ts';
import { findCountry, KNOWN_FIELDS, type KnownContact } from '../queries.ts';
import { type DeedOptions, doDeeds, findHolders, requireKey } from './bulk-upsert.ts';
import { MAX_LENGTH, normalisePatch } from './normalise.ts';
import { settleEach } from './settle-each.ts';
import { type ContactDeed, keysOf } from './working-set.ts';

/** What is known of somebody who did something: their keys, and what to note of them. */
export interface ContactKey {
  email?: string | null;
  externalId?: string | null;
  phone?: string | null;
  firstName?: string;
  lastName?: string;
  /** Kept of a contact that is made; never changes one that is there. */
  source?: string;
}

/** What contacts that are made need. */
export interface NewContacts {
  suppressions: Suppressions;
  /** The consents that they begin with. */
  initial: InitialConsent;
}

export interface Resolved {
  contactId: number;
  created: boolean;
}

/**
 * Finds the contacts of the keys, as an upsert does, and makes those that are missing; names that are given are set.
 * Each item is settled alone: `contact_conflict` or a malformed e-mail refuses only that one. Where all contacts are
 * there and nothing about them is new, it costs one turn and locks no row.
 */
export async function resolveContacts(
  tx: Tx,
  companyId: number,
  items: ContactKey[],
  now: Date,
  { suppressions, initial }: NewContacts,
): Promise<Settled<Resolved>[]> {
  const options = { withLists: false, suppressions };
  const country = items.some((item) => item.phone) ? await findCountry(tx, companyId) : null;
  return settleEach(
    items,
    (item) => deedOf(item, country, now, initial),
    (deeds) => settleKnown(tx, companyId, deeds, options),
  );
}

/** Does those of the deeds that change something. One that has no room for its properties is done without them. */
export async function settleKnown(
  tx: Tx,
  companyId: number,
  deeds: ContactDeed[],
  options: DeedOptions,
): Promise<Settled<Resolved>[]> {
  const unchanged = await findUnchanged(tx, companyId, deeds);
  const open = deeds.filter((deed) => !unchanged.has(deed));
  const outcomes = open.length === 0 ? [] : await doDeeds(tx, companyId, open, options);
  const outcomeOf = new Map(open.map((deed, i) => [deed, outcomes[i]!]));
  const refused = open.filter((deed) => !outcomeOf.get(deed)!.ok && deed.patch.properties !== undefined);
  if (refused.length > 0) {
    const without = refused.map(({ patch: { properties: _, ...patch }, ...deed }) => ({ ...deed, patch }));
    const again = await doDeeds(tx, companyId, without, options);
    for (const [i, deed] of refused.entries()) outcomeOf.set(deed, again[i]!);
  }
  return deeds.map((deed): Settled<Resolved> => {
    const outcome = outcomeOf.get(deed);
    if (outcome === undefined) return { ok: true, value: { contactId: unchanged.get(deed)!, created: false } };
    if (!outcome.ok) return outcome;
    return { ok: true, value: { contactId: outcome.value.contactId, created: outcome.value.created } };
  });
}

/**
 * The contacts of the items, as far as they are there and nothing about them is new; null for the others, with which
 * nothing is done. One turn, in which no row is locked.
 */
export async function findContacts(
  tx: Tx,
  companyId: number,
  items: ContactKey[],
  now: Date,
): Promise<(number | null)[]> {
  const country = items.some((item) => item.phone) ? await findCountry(tx, companyId) : null;
  const settled = await settleEach(
    items,
    (item) => deedOf(item, country, now, INITIAL_BY_API),
    async (deeds) => {
      const unchanged = await findUnchanged(tx, companyId, deeds);
      return deeds.map((deed) => ({ ok: true, value: unchanged.get(deed) ?? null }));
    },
  );
  return settled.map((one) => (one.ok ? one.value : null));
}

function deedOf(item: ContactKey, country: string | null, now: Date, initial: InitialConsent): ContactDeed {
  const patch: ContactPatch = {};
  if (item.email) patch.email = item.email;
  if (item.externalId) patch.external_id = item.externalId;
  if (item.phone) patch.phone = item.phone;
  // What somebody is called must not cost them what they did.
  if (item.firstName !== undefined) patch.first_name = item.firstName.slice(0, MAX_LENGTH.first_name).toWellFormed();
  if (item.lastName !== undefined) patch.last_name = item.lastName.slice(0, MAX_LENGTH.last_name).toWellFormed();
  requireKey(patch);
  const deed: ContactDeed = { patch: normalisePatch(patch, country), initial, now };
  if (item.source !== undefined) deed.origin = item.source;
  return deed;
}

/**
 * The deeds that change nothing, with their contacts. A deed on a contact or a key that an earlier one of the set may
 * change is not among them: the order of a set counts.
 */
async function findUnchanged(tx: Tx, companyId: number, deeds: ContactDeed[]): Promise<Map<ContactDeed, number>> {
  const holders = new Map<string, KnownContact>();
  for (const contact of await findHolders(tx, companyId, deeds)) {
    for (const key of keysOf(contact)) holders.set(key, contact);
  }
  const unchanged = new Map<ContactDeed, number>();
  const touched = new Set<string | KnownContact>();
  for (const deed of deeds) {
    const keys = keysOf(deed.patch);
    const contact = holders.get(keys[0]!);
    if (contact !== undefined && isAsPatched(contact, deed.patch)) {
      if (!touched.has(contact) && !keys.some((key) => touched.has(key))) {
        unchanged.set(deed, contact.id);
        continue;
      }
    }
    for (const key of keys) {
      touched.add(key);
      const holder = holders.get(key);
      if (holder !== undefined) touched.add(holder);
    }
  }
  return unchanged;
}

/** Whether the contact has all that the patch gives, its keys among it: those of others it cannot have. */
function isAsPatched(contact: KnownContact, patch: ContactPatch): boolean {
  if (patch.properties !== undefined || patch.shop_accepts !== undefined) return false;
  for (const field of KNOWN_FIELDS) if (patch[field] !== undefined && patch[field] !== contact[field]) return false;
  return true;
}
