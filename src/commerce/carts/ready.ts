/** What an order needs beside what its products and code need. */
export const NEEDED = ['lines', 'email', 'shipping_address', 'shipping_city', 'shipping_zip'] as const;
export type Needed = (typeof NEEDED)[number];

interface Filled {
  lines: readonly unknown[];
  customer_id: number | null;
  email: string | null;
  shipping_address: string;
  shipping_zip: string;
  shipping_city: string;
}

/** What the cart lacks to be placed as an order. Pure. */
export function missingOf(cart: Filled): Needed[] {
  return NEEDED.filter((name) => {
    if (name === 'lines') return cart.lines.length === 0;
    if (name === 'email') return cart.customer_id === null && cart.email === null;
    return cart[name] === '';
  });
}
