import type { Contact, KeyField } from '../contact.ts';
import type { ContactPatch } from '../patch.ts';

/** A customer of the shop, as far as matching needs it. */
export interface ShopCustomer {
  /** The current phone; absent if unknown: then the contact keeps its phone, which may be the customer's. */
  phone?: string | null;
}

interface Holder {
  current: Contact;
}

export interface CustomerMatch<H extends Holder> {
  /** The customer's contact; null if a new one is needed. */
  slot: H | null;
  /** Contacts without an external_id that are merged into the customer's. */
  losers: H[];
  /** Other contacts that must give up an address because it is the customer's now. */
  givers: { holder: H; field: 'email' | 'phone' }[];
  /** The patch for the customer's contact: without the phone if another contact keeps it. */
  patch: ContactPatch;
}

/**
 * Finds the contact of a customer of the shop. The external_id decides; the contact of another customer is never taken over. An
 * e-mail address belongs to one customer of the shop, so another contact must give it up. A phone may belong to several customers, but
 * only to one contact, which keeps it as long as it is that customer's phone in the shop. A contact that belongs to no customer becomes
 * this customer's if it has their e-mail, or if it has their phone and no other key.
 * @param customerOf returns undefined for an external_id that is not a customer's
 */
export function matchCustomer<H extends Holder>(
  holders: Partial<Record<KeyField, H>>,
  patch: ContactPatch,
  customerOf: (externalId: string) => ShopCustomer | undefined,
): CustomerMatch<H> {
  const { external_id: own, email: byEmail, phone: byPhone } = holders;
  const isFree = ({ current }: H): boolean =>
    current.external_id === null || customerOf(current.external_id) === undefined;
  const isPhoneAlone = ({ current }: H): boolean => current.external_id === null && current.email === null;
  const slot =
    own ??
    (byEmail !== undefined && isFree(byEmail) ? byEmail : null) ??
    (byPhone !== undefined && isPhoneAlone(byPhone) ? byPhone : null);
  const match: CustomerMatch<H> = { slot, losers: [], givers: [], patch };
  if (byEmail !== undefined && byEmail !== slot) {
    if (byEmail.current.external_id === null) match.losers.push(byEmail);
    else match.givers.push({ holder: byEmail, field: 'email' });
  }
  if (byPhone !== undefined && byPhone !== slot && !match.losers.includes(byPhone)) {
    const { external_id: id, phone } = byPhone.current;
    const inShop = id === null ? undefined : customerOf(id)?.phone;
    if (isPhoneAlone(byPhone)) match.losers.push(byPhone);
    else if (inShop !== undefined && inShop !== phone) match.givers.push({ holder: byPhone, field: 'phone' });
    else match.patch = { ...patch, phone: null };
  }
  return match;
}
