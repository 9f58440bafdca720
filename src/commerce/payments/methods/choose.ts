import { AppError } from '../../../errors.ts';
import { type Minor, toMinor } from '../../money.ts';
import type { Shop } from '../../shop.ts';
import type { PaymentMethod } from './method.ts';

type Offers = Pick<Shop, 'paymentMethods'> & {
  paymentAccounts: readonly Pick<Shop['paymentAccounts'][number], 'id' | 'active'>[];
};

/** Returns an active method. Throws payment_method_unavailable if it is unknown, for staff only, or it or its account is inactive. */
export function methodFor(shop: Offers, id: number, { isStaff }: { isStaff: boolean }): PaymentMethod {
  const method = shop.paymentMethods.find((one) => one.id === id);
  if (method === undefined || !isActive(method, shop) || (method.staff_only && !isStaff)) throw unavailable(id);
  return method;
}

/** Returns the methods among which a buyer may choose, by position. */
export function methodsForBuyers(shop: Offers): PaymentMethod[] {
  return shop.paymentMethods.filter((one) => isActive(one, shop) && !one.staff_only);
}

/** Returns the methods among which a buyer may choose for a total in major units, by position. */
export function methodsFor(shop: Offers & { exponent: number }, total: number): PaymentMethod[] {
  const minor = toMinor(total, shop.exponent) ?? 0;
  return methodsForBuyers(shop).filter((one) => isAllowed(one, minor));
}

/** Throws payment_method_unavailable if the method is not allowed for the total. */
export function checkTotal(method: PaymentMethod, total: Minor): void {
  if (!isAllowed(method, total)) throw unavailable(method.id);
}

function isActive({ active, account_id }: PaymentMethod, { paymentAccounts }: Offers): boolean {
  return active && (account_id === null || paymentAccounts.some((one) => one.id === account_id && one.active));
}

function isAllowed({ min_total, max_total }: PaymentMethod, total: Minor): boolean {
  return (min_total === null || total >= min_total) && (max_total === null || total <= max_total);
}

function unavailable(id: number): AppError {
  const message = `The order cannot be paid by the payment method ${id}`;
  return new AppError('payment_method_unavailable', message, { method_id: id });
}
