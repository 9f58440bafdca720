import type { InitialConsent } from '../consent/states.ts';
import type { ContactPatch } from '../patch.ts';

/** A change of one contact, which is created if there is none. */
export interface ContactUpsert {
  /** An update of this contact. Absent: the contact with the patch's keys, or a new one. */
  contactId?: number;
  patch: ContactPatch;
  /** The source of a new contact if the patch has none. */
  origin?: string;
  /** Lists to put the contact on. */
  listIds?: number[];
  /** The consents of a new contact. */
  initial: InitialConsent;
  /** About a customer of the shop: the contact is matched by customers/match.ts. */
  isOfShop?: true;
  /** External ids of customers of the shop whose contacts become part of this one. */
  absorbs?: string[];
  /** Contacts that a person makes part of `contactId`, whatever keys they have. */
  merges?: number[];
  now: Date;
}
