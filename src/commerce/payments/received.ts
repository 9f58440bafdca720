import { AppError, type FieldError, invalidField, validationFailed } from '../../errors.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import { readAmount } from '../fields.ts';
import type { Shop } from '../shop.ts';
import type { ReceivedMoney } from './books.ts';
import type { MoneyInput } from './contract.ts';
import { methodFor } from './methods/choose.ts';
import type { PaymentRow } from './payment.ts';

/**
 * Reads money that staff record. An inactive method is accepted for money that one of `payments` awaits. `path` precedes the names of its
 * fields in errors: `payments.0.`. Throws validation_failed, and payment_method_unavailable.
 */
export function readMoney(
  shop: Shop,
  input: MoneyInput,
  { payments, now, path = '' }: { payments: readonly PaymentRow[]; now: Date; path?: string },
): ReceivedMoney {
  const errors: FieldError[] = [];
  const amount = readAmount(`${path}amount`, input.amount, shop, errors);
  if (errors.length > 0) throw validationFailed(errors);
  const today = dateIn(shop.timeZone, now);
  const receivedOn = input.received_on || today;
  if (receivedOn > today) {
    throw invalidField(`${path}received_on`, `${path}received_on is in the future`, 'out_of_range');
  }
  const { method_id: id } = input;
  const isAwaited = payments.some(({ method_id, status }) => method_id === id && status === 'action_required');
  const method =
    (isAwaited && shop.paymentMethods.find((one) => one.id === id)) || methodFor(shop, id, { isStaff: true });
  return { method, amount, reference: input.reference || null, receivedOn };
}

/** Returns the payments of a request. Throws missing_scope unless it may record payments. */
export function requirePayments(
  payments: readonly MoneyInput[] = [],
  may: (scope: 'payments:write') => boolean,
): readonly MoneyInput[] {
  if (payments.length > 0) requireScope(may, 'Recording payments');
  return payments;
}

/** Throws missing_scope unless the request may charge a saved method, if it names one: no customer takes part who would consent. */
export function requireCharge(savedId: number | null | undefined, may: (scope: 'payments:write') => boolean): void {
  if (savedId) requireScope(may, 'Charging a saved payment method');
}

function requireScope(may: (scope: 'payments:write') => boolean, what: string): void {
  if (may('payments:write')) return;
  throw new AppError('missing_scope', `${what} needs the scope payments:write as well`, { required: 'payments:write' });
}
