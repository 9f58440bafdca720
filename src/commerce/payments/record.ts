import { fromMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { Payment } from './contract.ts';
import type { PaymentRow } from './payment.ts';

/** A payment as the API returns it: the amount in major units. */
export function paymentRecord(row: PaymentRow, shop: Shop): Payment {
  const { amount, created_at, updated_at, ...fields } = row;
  const method = shop.paymentMethods.find(({ id }) => id === row.method_id);
  return {
    ...fields,
    amount: fromMinor(amount, shop.exponent),
    currency: shop.currency,
    instructions: method?.instructions ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
