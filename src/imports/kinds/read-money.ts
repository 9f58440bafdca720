import type { Minor } from '../../commerce/money.ts';
import type { ImportedMoney } from '../../commerce/payments/imported.ts';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import type { Fields } from '../formats/format.ts';
import type { ImportContext } from './kind.ts';
import { amountOf, momentOf, RowFault, shown } from './values.ts';

export interface ReadMoney {
  /** What was given back; it lowers the order's total. */
  refunded: Minor;
  /** Null if the file does not say that anything was paid, or contradicts itself. */
  money: ImportedMoney | null;
  /** Why money of the file is not entered; the order is imported without it. */
  note: string | null;
}

/** What a payment status says of the total: all of it was paid, a part, or nothing. */
const STATES = new Map<string, 'all' | 'part' | 'nothing'>(
  Object.entries({
    paid: 'all',
    partially_refunded: 'all',
    refunded: 'all',
    partially_paid: 'part',
    pending: 'nothing',
    authorized: 'nothing',
    unpaid: 'nothing',
    voided: 'nothing',
    expired: 'nothing',
    failed: 'nothing',
    none: 'nothing',
  }),
);

const MAX_REFERENCE = 200;

/**
 * Reads what was paid for an order of this total, and given back of it. Without an amount, the payment status decides how much was paid; without
 * either, money that was given back has been paid. Throws RowFault for a value that is no amount or date, or a negative `paid`.
 */
export function readMoney(head: Fields, total: Minor, createdAt: Date, context: ImportContext): ReadMoney {
  const { shop, readings, now } = context;
  const amount = (field: string): Minor | null => amountOf(field, head[field], shop.exponent, readings);
  const state = head.payment_status?.toLowerCase().replace(/[\s-]+/g, '_');
  const meaning = state === undefined ? undefined : STATES.get(state);
  const stated = amount('paid');
  if (stated !== null && stated < 0) throw new RowFault('paid', 'what was paid is not negative');
  const outstanding = amount('outstanding');
  const part = outstanding === null ? null : Math.max(0, total - outstanding);
  let refunded = Math.abs(amount('refunded') ?? refundsIn(head, context));

  const byState = { all: total, part, nothing: 0 } as const;
  let paid = stated ?? (meaning === undefined ? (refunded > 0 ? total : 0) : byState[meaning]);
  const isWhole = state === 'refunded';
  // Everything that was paid was given back.
  if (isWhole && refunded === 0) refunded = paid ?? total;
  if (isWhole && stated === null && refunded < total) paid = refunded;

  const without = (note: string | null): ReadMoney => ({ refunded, money: null, note });
  if (meaning === undefined && state !== undefined && stated === null && refunded === 0) {
    return without(`«${shown(head.payment_status!)}» is no payment status: no payment is recorded`);
  }
  if (paid === null) return without('the file does not say how much was paid: no payment is recorded');
  if (refunded > paid) return without('more was refunded than was paid: no payment is recorded');
  if (paid === 0) return without(null);
  const paidAt = momentOf('paid_at', head.paid_at, readings, now) ?? createdAt;
  const reference = [head.payment_method, head.payment_reference].filter((one) => one !== undefined).join(' ');
  const isUnknown = state === 'partially_refunded' && refunded === 0;
  return {
    refunded,
    money: {
      total,
      paid,
      refunded,
      reference: reference.slice(0, MAX_REFERENCE) || null,
      paidOn: dateIn(shop.timeZone, paidAt),
    },
    note: isUnknown ? 'the file does not say how much was refunded: no refund is recorded' : null,
  };
}

/** The sum of refunds that one cell lists: `id:7|date:2025-03-01|amount:5.00|reason:late;id:8|…`. */
function refundsIn({ refunds }: Fields, { shop, readings }: ImportContext): Minor {
  const amounts = [...(refunds ?? '').matchAll(/\bamount:([^|;]*)/g)].map(([, amount]) => amount!.trim());
  return amounts.reduce((sum, one) => sum + Math.abs(amountOf('refunds', one || '0', shop.exponent, readings)!), 0);
}
