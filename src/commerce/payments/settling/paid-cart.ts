import type { Ending } from '../operations/queries.ts';
import type { PaymentRow } from '../payment.ts';
import type { Facts } from '../providers/provider.ts';
import type { SavedMethod } from '../saved/saved-method.ts';

/** What pays a cart: the facts of its payment, and the operation whose outcome they are. */
export interface PaidCart {
  paymentId: number;
  facts: Facts;
  /** How often the payment was settled when its service was asked. */
  seen: number;
  ending: Ending | null;
  /** What the service keeps of it for the buyer. */
  saved: SavedMethod | null;
}

/** Whether something was settled since the service was asked: what it said was authorized then may be released by now. */
export function isOvertaken(
  { amount, fetches }: Pick<PaymentRow, 'amount' | 'fetches'>,
  { facts, seen }: Pick<PaidCart, 'facts' | 'seen'>,
): boolean {
  return facts.captured < amount && fetches !== seen;
}
