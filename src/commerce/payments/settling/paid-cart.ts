import type { Ending } from '../operations/queries.ts';
import type { Facts } from '../providers/provider.ts';
import type { SavedMethod } from '../saved/saved-method.ts';

/** What pays a cart: the facts of its payment, and the operation whose outcome they are. */
export interface PaidCart {
  paymentId: number;
  facts: Facts;
  ending: Ending | null;
  /** What the service keeps of it for the buyer. */
  saved: SavedMethod | null;
}
