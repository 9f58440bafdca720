import type { Tx } from '../../db/pool.ts';
import { holdIdentity } from '../customers/service.ts';
import { lockCart } from './queries.ts';
import type { CartRow } from './row.ts';

/** Whom a cart belongs to: a customer, or a guest by the address that was given. */
export interface CartBuyer {
  customerId: number | null;
  email: string;
  first_name: string;
  last_name: string;
}

/**
 * Returns the buyer of a cart, who is not erased before COMMIT; null without an address. Locks the customer or, of a guest, the cart. So what
 * the transaction writes about the buyer is there when an erasure looks for it.
 */
export async function holdBuyer(
  tx: Tx,
  companyId: number,
  { id, customer_id: customerId }: Pick<CartRow, 'id' | 'customer_id'>,
): Promise<CartBuyer | null> {
  const row = await (customerId === null ? lockCart(tx, companyId, id) : holdIdentity(tx, companyId, customerId));
  if (row === undefined || row.email === null) return null;
  const { email, first_name, last_name } = row;
  return { customerId, email, first_name, last_name };
}
