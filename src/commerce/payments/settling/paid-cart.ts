import type { Ending } from '../operations/queries.ts';
import type { Facts } from '../providers/provider.ts';

/** What pays a cart: the facts of its payment, and the operation whose outcome they are. */
export interface PaidCart {
  paymentId: number;
  facts: Facts;
  ending: Ending | null;
}
