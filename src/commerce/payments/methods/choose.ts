import { AppError } from '../../../errors.ts';
import { type Minor, toMinor } from '../../money.ts';
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

/** Returns the methods among which a buyer may choose for a total in major units, by position. */
export function methodsFor(
  { paymentMethods, exponent }: { paymentMethods: readonly PaymentMethod[]; exponent: number },
  total: number,
): PaymentMethod[] {
  const minor = toMinor(total, exponent) ?? 0;
  return paymentMethods.filter((one) => one.active && !one.staff_only && isAllowed(one, minor));
}

/** Throws payment_method_unavailable if the method is not allowed for the total. */
export function checkTotal(method: PaymentMethod, total: Minor): void {
  if (!isAllowed(method, total)) throw unavailable(method.id);
}

function isAllowed({ min_total, max_total }: PaymentMethod, total: Minor): boolean {
  return (min_total === null || total >= min_total) && (max_total === null || total <= max_total);
}

function unavailable(id: number): AppError {
  const message = `The order cannot be paid by the payment method ${id}`;
  return new AppError('payment_method_unavailable', message, { method_id: id });
}
