const ADDRESS = ['shipping_address', 'shipping_zip', 'shipping_city', 'shipping_state', 'shipping_country'] as const;
export type Address = Record<(typeof ADDRESS)[number], string>;

/** Clears the address of a cart. */
export const NO_ADDRESS = {
  shipping_address: null,
  shipping_zip: null,
  shipping_city: null,
  shipping_state: null,
  shipping_country: null,
} as const;

type Street = Pick<Address, 'shipping_address' | 'shipping_zip' | 'shipping_city'>;

function isBlank(address: Street): boolean {
  return address.shipping_address === '' && address.shipping_city === '' && address.shipping_zip === '';
}

/** Returns the address of the customer's last order, otherwise their own, for a cart without one; null where there is none to fill in. */
export function addressToFill(cart: Street, last: Address | undefined, own: Address): Address | null {
  const found = last ?? own;
  if (!isBlank(cart) || isBlank(found)) return null;
  return Object.fromEntries(ADDRESS.map((name) => [name, found[name]])) as Address;
}
