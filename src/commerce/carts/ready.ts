import { AppError } from '../../errors.ts';
import type { CartRow } from './row.ts';

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

/** Throws cart_not_open. */
export function requireOpen({ status }: Pick<CartRow, 'status'>): void {
  if (status !== 'open') throw new AppError('cart_not_open', `The cart is ${status}`, { status });
}

/** Throws cart_not_ready. */
export function requireReady(cart: CartRow): void {
  const missing = missingOf(cart);
  if (missing.length === 0) return;
  throw new AppError('cart_not_ready', `The cart lacks ${missing.join(', ')}`, { missing });
}
