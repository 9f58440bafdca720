import type { Queryable } from '../../../db/pool.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { savedMethodIn } from '../operations/operation.ts';
import { findOperations } from '../operations/queries.ts';
import type { PaymentRow } from '../payment.ts';
import { findSavedMethods } from './queries.ts';

/** With what a buyer pays: a saved method, or what the buyer enters. */
export interface Means {
  /** Null with a saved method: the one by which it was saved. */
  methodId: number | null;
  savedId: number | null;
}

/** Throws validation_failed unless it is the cart or order of the customer who is signed in: its token alone does not show whose it is. */
export function requireOwner(
  field: 'save_method' | 'saved_method_id',
  { of, customerId, signedIn }: { of: 'cart' | 'order'; customerId: number | null; signedIn: number | null },
): void {
  if (customerId !== null && customerId === signedIn) return;
  const message = `Only the customer of the ${of} can save and use payment methods, signed in`;
  throw invalidField(field, message, 'not_allowed');
}

/**
 * Returns the payment method by which is paid. Throws validation_failed for a saved method that is not the customer's, was removed, or was saved by
 * another payment method than the one that is named.
 */
export async function methodOf(
  db: Queryable,
  companyId: number,
  customerId: number | null,
  { methodId, savedId }: Means,
): Promise<number | null> {
  if (savedId === null) return methodId;
  const saved = (await findSavedMethods(db, companyId, [savedId])).get(savedId);
  if (saved === undefined || saved.customer_id !== customerId) {
    throw invalidField('saved_method_id', 'Unknown saved payment method of the customer', 'unknown');
  }
  if (methodId !== null && methodId !== saved.method_id) {
    throw invalidField('method_id', 'The saved payment method was saved by another payment method', 'not_allowed');
  }
  return saved.method_id;
}

/** Throws payment_in_progress if a payment that is under way began with something else. */
export async function requireSame(
  db: Queryable,
  companyId: number,
  payment: PaymentRow,
  { methodId, savedId }: Means,
): Promise<void> {
  const isOther = payment.method_id !== methodId && (methodId !== null || savedId === null);
  const begunWith =
    payment.provider === 'manual' ? null : savedMethodIn(await findOperations(db, companyId, payment.id));
  if (!isOther && begunWith === savedId) return;
  const means = isOther ? '' : ' with another means of payment';
  throw new AppError('payment_in_progress', `It is being paid by ${payment.label}${means}: cancel that first`, {
    payment_id: payment.id,
  });
}
