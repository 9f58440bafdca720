export const ADDRESS = [
  'shipping_address',
  'shipping_zip',
  'shipping_city',
  'shipping_state',
  'shipping_country',
] as const;
export type Address = Record<(typeof ADDRESS)[number], string>;

export const NOWHERE: Address = {
  shipping_address: '',
  shipping_zip: '',
  shipping_city: '',
  shipping_state: '',
  shipping_country: '',
};

/** The part of a new order that follows its customer. */
type Addressed = Address & {
  customer: { id: number; label: string } | null;
  /** Whether the address was filled in for the customer. */
  isFilled: boolean;
};

function isBlank(address: Address): boolean {
  return address.shipping_address === '' && address.shipping_city === '' && address.shipping_zip === '';
}

/** Returns the draft without its customer, and without the address that was filled in for them. */
export function withoutCustomer<D extends Addressed>(draft: D): D {
  const next = { ...draft, customer: null, isFilled: false };
  return draft.isFilled ? { ...next, ...NOWHERE } : next;
}

/**
 * Returns the draft with the address of the customer's last order, otherwise their own. One that was typed stays, and so does the draft if
 * another customer was chosen in the meantime.
 */
export function withAddressOf<D extends Addressed>(
  draft: D,
  customerId: number,
  last: Address | undefined,
  own: Address,
): D {
  const found = last ?? own;
  if (draft.customer?.id !== customerId || !isBlank(draft) || isBlank(found)) return draft;
  const filled = Object.fromEntries(ADDRESS.map((name) => [name, found[name]])) as Address;
  return { ...draft, ...filled, isFilled: true };
}
