import type { Tx } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import { keysOf } from '../keys.ts';
import { lockAllKeys, lockKeys } from '../lock-queries.ts';
import type { ContactPatch } from '../patch.ts';
import type { ContactUpsert } from './contact-upsert.ts';
import { type ContactKeys, findKnownContacts, KNOWN_FIELDS, type KnownContact } from './queries.ts';

/**
 * The maximum number of key locks in one transaction; a larger bulk upsert locks all keys at once. PostgreSQL's lock table is
 * small (6,400 entries by default), and all connections share it.
 */
const MAX_KEY_LOCKS = 200;

/** Throws validation_failed if the patch has no key. */
export function requireKey(patch: ContactPatch): void {
  if (keysOf(patch).length > 0) return;
  throw invalidField('email', 'At least one of email, external_id and phone is required', 'required');
}

/**
 * Finds the contacts that currently have keys of the upserts, with the fields that any upsert sets; takes no locks. If a contact is
 * erased before COMMIT, whatever the transaction writes for it is erased as well (see src/erasure/process.ts).
 */
export function findHolders(tx: Tx, companyId: number, upserts: ContactUpsert[]): Promise<KnownContact[]> {
  const fields = KNOWN_FIELDS.filter((field) => upserts.some(({ patch }) => patch[field] !== undefined));
  return findKnownContacts(tx, companyId, contactKeys(upserts), fields);
}

/** @param keys must be sorted: every transaction locks keys in this order */
export async function lockKeysInOrder(tx: Tx, companyId: number, keys: string[]): Promise<void> {
  if (keys.length > MAX_KEY_LOCKS) await lockAllKeys(tx, companyId);
  else if (keys.length > 0) await lockKeys(tx, companyId, keys);
}

export function contactKeys(upserts: ContactUpsert[]): ContactKeys {
  const given = <T>(read: (upsert: ContactUpsert) => T | null | undefined): T[] => {
    const values = new Set<T>();
    for (const upsert of upserts) {
      const value = read(upsert);
      if (value !== null && value !== undefined) values.add(value);
    }
    return [...values];
  };
  return {
    ids: [...given((upsert) => upsert.contactId), ...upserts.flatMap(({ merges = [] }) => merges)],
    externalIds: [
      ...new Set([...given((upsert) => upsert.patch.external_id), ...upserts.flatMap(({ absorbs = [] }) => absorbs)]),
    ],
    emails: given((upsert) => upsert.patch.email),
    phones: given((upsert) => upsert.patch.phone),
  };
}
