import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { Channel, InitialConsent } from '../../../recipients/consent.ts';
import type { Contact } from '../contact.ts';
import type { ContactPatch, GivenConsent } from '../patch.ts';
import { bulkUpsert, type UpsertOutcome } from '../upsert/upsert.ts';

/** Fields of a form. Its sender is not verified, so they only fill empty fields of a contact. */
export interface GivenFields {
  first_name?: string;
  last_name?: string;
  /** In E.164. */
  phone?: string;
  properties?: Record<string, string>;
}

/** The consents of a contact that a form creates. */
const INITIAL: InitialConsent = { email: 'never', sms: 'never', source: 'form' };

export interface SignedUp {
  contactId: number;
  contact: Contact;
  created: boolean;
}

/** Locks the contact with the address, or creates it without consent. Consents from here never take back an unsubscription. */
export async function signUp(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  address: { email: string } | { phone: string },
  consent: Partial<Record<Channel, GivenConsent>>,
  now: Date,
): Promise<SignedUp> {
  const patch: ContactPatch = { ...address, ...consentPatch(consent) };
  return unwrap(await one(tx, companyId, suppressions, { patch, origin: 'form', initial: INITIAL, now }));
}

/** Locks the contact until COMMIT; null if it no longer exists. */
export async function lockSignedUp(tx: Tx, companyId: number, contactId: number, now: Date): Promise<Contact | null> {
  const upsert = { contactId, patch: {}, initial: INITIAL, now };
  const [settled] = await bulkUpsert(tx, companyId, [upsert], { withLists: false, suppressions: null });
  if (settled!.ok) return settled!.value.contact;
  if (settled!.error instanceof AppError && settled!.error.code === 'not_found') return null;
  throw settled!.error;
}

/** Fills empty fields of the contact. A phone number that belongs to another contact is ignored. */
export async function fillSignedUp(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  { contactId, contact }: Pick<SignedUp, 'contactId' | 'contact'>,
  given: GivenFields,
  consent: Partial<Record<Channel, GivenConsent>>,
  now: Date,
): Promise<Contact> {
  const { phone, properties = {} } = given;
  let current = contact;
  const patch: ContactPatch = consentPatch(consent);
  for (const field of ['first_name', 'last_name'] as const) {
    if (given[field] !== undefined && !contact[field]) patch[field] = given[field];
  }
  const known = new Set(Object.keys(contact.properties));
  const missing = Object.entries(properties).filter(([name]) => !known.has(name));
  if (missing.length > 0) patch.properties = Object.fromEntries(missing);
  const apply = async (next: ContactPatch): Promise<boolean> => {
    if (Object.keys(next).length === 0) return true;
    const settled = await one(tx, companyId, suppressions, { contactId, patch: next, initial: INITIAL, now });
    if (settled.ok) current = settled.value.contact;
    else if (!(settled.error instanceof AppError)) throw settled.error;
    return settled.ok;
  };
  if (phone !== undefined && contact.phone === null) await apply({ phone });
  // Rejected for too many or too large properties: apply the consents without them.
  if (!(await apply(patch))) await apply(consentPatch(consent));
  return current;
}

function consentPatch(consent: Partial<Record<Channel, GivenConsent>>): ContactPatch {
  return Object.keys(consent).length === 0 ? {} : { consent, consent_source: 'form' };
}

async function one(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  upsert: Parameters<typeof bulkUpsert>[2][number],
): Promise<Settled<UpsertOutcome>> {
  const [settled] = await bulkUpsert(tx, companyId, [upsert], { withLists: false, suppressions });
  return settled!;
}

function unwrap(settled: Settled<UpsertOutcome>): SignedUp {
  if (!settled.ok) throw settled.error;
  return settled.value;
}
