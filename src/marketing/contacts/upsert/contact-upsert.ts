import type { InitialConsent } from '../consent/states.ts';
import type { ContactPatch } from '../patch.ts';

/** A change of one contact, which is created if there is none. */
export interface ContactUpsert {
  /** The contact to update. Absent: the contact with the patch's keys, or a new one. */
  contactId?: number;
  patch: ContactPatch;
  /** The source of a new contact if the patch has none. */
  origin?: string;
  /** Lists to which the contact is added. */
  listIds?: number[];
  /** The consents of a new contact. */
  initial: InitialConsent;
  /** The upsert is about a customer of the shop: customers/match.ts finds the contact. */
  isOfShop?: true;
  /** External ids of customers of the shop whose contacts are merged into this one. */
  absorbs?: string[];
  /** Contacts that a person merges into `contactId`, whatever their keys. */
  merges?: number[];
  now: Date;
}
