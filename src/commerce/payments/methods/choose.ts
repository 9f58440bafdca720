import { AppError } from '../../../errors.ts';
import type { Minor } from '../../money.ts';
import type { PaymentMethod } from './method.ts';

/** Returns an active method. Throws payment_method_unavailable if it is unknown or inactive, or for staff only. */
export function methodFor(
  shop: { paymentMethods: readonly PaymentMethod[] },
  id: number,
  { isStaff }: { isStaff: boolean },
): PaymentMethod {
  const method = shop.paymentMethods.find((one) => one.id === id);
  if (method === undefined || !method.active || (method.staff_only && !isStaff)) throw unavailable(id);
  return method;
}

/** Throws payment_method_unavailable if the method is not allowed for the total. */
export function checkTotal({ id, min_total, max_total }: PaymentMethod, total: Minor): void {
  if ((min_total !== null && total < min_total) || (max_total !== null && total > max_total)) throw unavailable(id);
}

function unavailable(id: number): AppError {
  const message = `The order cannot be paid by the payment method ${id}`;
  return new AppError('payment_method_unavailable', message, { method_id: id });
}
