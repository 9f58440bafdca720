import { AppError } from '../../../errors.ts';
import type { Minor } from '../../money.ts';
import type { PaymentMethod } from './method.ts';

/**
 * Returns the method for an order with this total. Throws payment_method_unavailable if it is unknown or inactive, for staff only, or not
 * allowed for the total.
 */
export function methodFor(
  shop: { paymentMethods: readonly PaymentMethod[] },
  id: number,
  order: { total: Minor; isStaff: boolean },
): PaymentMethod {
  const method = shop.paymentMethods.find((one) => one.id === id);
  if (method === undefined || !isOffered(method, order)) {
    throw new AppError('payment_method_unavailable', `The order cannot be paid by the payment method ${id}`, {
      method_id: id,
    });
  }
  return method;
}

function isOffered(method: PaymentMethod, { total, isStaff }: { total: Minor; isStaff: boolean }): boolean {
  return (
    method.active &&
    (isStaff || !method.staff_only) &&
    (method.min_total === null || total >= method.min_total) &&
    (method.max_total === null || total <= method.max_total)
  );
}
