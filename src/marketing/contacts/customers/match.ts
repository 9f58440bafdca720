import type { Contact, KeyField } from '../contact.ts';
import type { ContactPatch } from '../patch.ts';

/** A customer of the shop, as far as others have to know. */
export interface ShopCustomer {
  /** The present one; absent where it is not known, and may be the contact's. */
  phone?: string | null;
}

interface Holder {
  current: Contact;
}

export interface CustomerMatch<H extends Holder> {
  /** The customer's contact; null where one is to be made. */
  slot: H | null;
  /** Contacts without an external_id of their own that become part of the customer's. */
  losers: H[];
  /** Contacts of others that give the address up, which is the customer's now. */
  givers: { holder: H; field: 'email' | 'phone' }[];
  /** What the customer's contact gets: no phone where another contact keeps it. */
  patch: ContactPatch;
}

/**
 * Which contact a customer of the shop is. Its external_id decides: the contact of another customer is never taken over.
 * E-mail addresses are where the shop has them, and the shop has each once, so that a contact of somebody else gives one
 * up. A phone may be of several customers in the shop, but only one contact has it: who has it keeps it as long as the
 * shop agrees. A contact that stands for no customer of the shop becomes the customer's, by its e-mail address, or by its
 * phone where it has nothing else.
 * @param customerOf undefined for an external_id that is no customer's
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
