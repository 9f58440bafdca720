import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import { INITIAL_BY_API, type InitialConsent } from '../../../recipients/consent.ts';
import { keysOf } from '../contact.ts';
import { MAX_LENGTH } from '../limits.ts';
import type { ContactPatch } from '../patch.ts';
import { findCountry } from '../queries.ts';
import { normalisePatch, requireKey, settleEach } from './input.ts';
import type { ContactUpsert } from './plan.ts';
import { findHolders, KNOWN_FIELDS, type KnownContact } from './queries.ts';
import { type BulkUpsertOptions, bulkUpsert } from './upsert.ts';

/** The keys and names of the person that an event is about. */
export interface ContactKey {
  email?: string | null;
  externalId?: string | null;
  phone?: string | null;
  firstName?: string;
  lastName?: string;
  /** The source of a new contact; ignored for an existing one. */
  source?: string;
}

/** Settings for new contacts. */
interface NewContacts {
  suppressions: Suppressions;
  /** The consents of a new contact. */
  initialOf: (item: ContactKey) => InitialConsent;
}

export interface Resolved {
  contactId: number;
  created: boolean;
}

/**
 * Finds the contacts with the keys, as an upsert does, creates those that are missing, and sets the given names. Each item is
 * settled on its own: contact_conflict or validation_failed rejects only that one. If nothing changes, it takes one round trip and
 * locks no row.
 */
export async function resolveContacts(
  tx: Tx,
  companyId: number,
  items: ContactKey[],
  now: Date,
  { suppressions, initialOf }: NewContacts,
): Promise<Settled<Resolved>[]> {
  const options = { withLists: false, suppressions };
  const country = items.some((item) => item.phone) ? await findCountry(tx, companyId) : null;
  return settleEach(
    items,
    (item) => upsertOf(item, country, now, initialOf(item)),
    (upserts) => settleKnown(tx, companyId, upserts, options),
  );
}

/** Applies the upserts that change something. One that is rejected is retried without its properties. */
export async function settleKnown(
  tx: Tx,
  companyId: number,
  upserts: ContactUpsert[],
  options: BulkUpsertOptions,
): Promise<Settled<Resolved>[]> {
  const unchanged = await findUnchanged(tx, companyId, upserts);
  const changing = upserts.filter((upsert) => !unchanged.has(upsert));
  const outcomes = changing.length === 0 ? [] : await bulkUpsert(tx, companyId, changing, options);
  const outcomeOf = new Map(changing.map((upsert, i) => [upsert, outcomes[i]!]));
  const rejected = changing.filter((upsert) => !outcomeOf.get(upsert)!.ok && upsert.patch.properties !== undefined);
  if (rejected.length > 0) {
    const without = rejected.map(({ patch: { properties: _, ...patch }, ...upsert }) => ({ ...upsert, patch }));
    const again = await bulkUpsert(tx, companyId, without, options);
    for (const [i, upsert] of rejected.entries()) outcomeOf.set(upsert, again[i]!);
  }
  return upserts.map((upsert): Settled<Resolved> => {
    const outcome = outcomeOf.get(upsert);
    if (outcome === undefined) return { ok: true, value: { contactId: unchanged.get(upsert)!, created: false } };
    if (!outcome.ok) return outcome;
    return { ok: true, value: { contactId: outcome.value.contactId, created: outcome.value.created } };
  });
}

/**
 * Returns the contacts of the items that exist and would not change, and null for the others. One round trip; locks no row and writes
 * nothing.
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
    (item) => upsertOf(item, country, now, INITIAL_BY_API),
    async (upserts) => {
      const unchanged = await findUnchanged(tx, companyId, upserts);
      return upserts.map((upsert) => ({ ok: true, value: unchanged.get(upsert) ?? null }));
    },
  );
  return settled.map((one) => (one.ok ? one.value : null));
}

function upsertOf(item: ContactKey, country: string | null, now: Date, initial: InitialConsent): ContactUpsert {
  const patch: ContactPatch = {};
  if (item.email) patch.email = item.email;
  if (item.externalId) patch.external_id = item.externalId;
  if (item.phone) patch.phone = item.phone;
  // A name that is too long or malformed must not cause the rejection of the event.
  if (item.firstName !== undefined) patch.first_name = item.firstName.slice(0, MAX_LENGTH.first_name).toWellFormed();
  if (item.lastName !== undefined) patch.last_name = item.lastName.slice(0, MAX_LENGTH.last_name).toWellFormed();
  requireKey(patch);
  const upsert: ContactUpsert = { patch: normalisePatch(patch, country), initial, now };
  if (item.source !== undefined) upsert.origin = item.source;
  return upsert;
}

/**
 * Returns the upserts that change nothing, with the ids of their contacts. Omits those whose contact or key an earlier upsert of the
 * set may change, since the order matters.
 */
async function findUnchanged(tx: Tx, companyId: number, upserts: ContactUpsert[]): Promise<Map<ContactUpsert, number>> {
  const holders = new Map<string, KnownContact>();
  for (const contact of await findHolders(tx, companyId, upserts)) {
    for (const key of keysOf(contact)) holders.set(key, contact);
  }
  const unchanged = new Map<ContactUpsert, number>();
  const touched = new Set<string | KnownContact>();
  for (const upsert of upserts) {
    const keys = keysOf(upsert.patch);
    const contact = holders.get(keys[0]!);
    if (contact !== undefined && upsert.absorbs === undefined && isAsPatched(contact, upsert.patch)) {
      if (!touched.has(contact) && !keys.some((key) => touched.has(key))) {
        unchanged.set(upsert, contact.id);
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

/** Whether the contact has every value of the patch. */
function isAsPatched(contact: KnownContact, patch: ContactPatch): boolean {
  if (patch.properties !== undefined || patch.shop_accepts !== undefined) return false;
  for (const field of KNOWN_FIELDS) if (patch[field] !== undefined && patch[field] !== contact[field]) return false;
  return true;
}

/** A change made by a flow or another part of the program. */
export interface ContactChange {
  contactId: number;
  /** Absent fields are unchanged; null clears a field; `properties` are merged one level deep. */
  set?: {
    email?: string | null;
    phone?: string | null;
    external_id?: string | null;
    first_name?: string | null;
    last_name?: string | null;
    source?: string | null;
    properties?: Record<string, unknown> | null;
  };
  addTags?: string[];
  removeTags?: string[];
}

/**
 * Changes contacts in the given order and settles each change on its own. Errors: not_found, contact_conflict for a key of
 * another contact, validation_failed. The number of statements is the same for 1 and for 500 changes.
 */
export async function changeContacts(
  tx: Tx,
  companyId: number,
  changes: ContactChange[],
  now: Date,
): Promise<Settled<{ contactId: number; changed: boolean }>[]> {
  if (changes.length === 0) return [];
  const country = changes.some((change) => change.set?.phone) ? await findCountry(tx, companyId) : null;
  return settleEach(
    changes,
    ({ contactId, set = {}, addTags, removeTags }) => {
      const patch: ContactPatch = { ...set };
      if (addTags !== undefined) patch.tags = addTags;
      if (removeTags !== undefined) patch.remove_tags = removeTags;
      return { contactId, patch: normalisePatch(patch, country), initial: INITIAL_BY_API, now };
    },
    async (upserts) => {
      // For an address set by a flow, only the gate checks for a suppression.
      const outcomes = await bulkUpsert(tx, companyId, upserts, { withLists: false, suppressions: null });
      return outcomes.map((outcome) => {
        if (!outcome.ok) return outcome;
        return { ok: true, value: { contactId: outcome.value.contactId, changed: outcome.value.changed } };
      });
    },
  );
}
