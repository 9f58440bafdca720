import { fromMinor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { type Balance, owed, sideOf } from './books.ts';
import type { Ledger, LedgerEntry, Payment } from './contract.ts';
import type { PaymentRow } from './payment.ts';
import type { EntryRow } from './queries.ts';

/** A payment as the API returns it: amounts in major units. */
export function paymentRecord(row: PaymentRow, shop: Shop): Payment {
  const { amount, captured, refunded, created_at, updated_at, ...fields } = row;
  const method = shop.paymentMethods.find(({ id }) => id === row.method_id);
  return {
    ...fields,
    amount: fromMinor(amount, shop.exponent),
    captured: fromMinor(captured, shop.exponent),
    refunded: fromMinor(refunded, shop.exponent),
    currency: shop.currency,
    instructions: method?.instructions ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** What an order shows of its ledger; `balance` is null for an order without one. */
export function moneyRecord(balance: Balance | null, { exponent }: Shop) {
  if (balance === null) return { payment_status: 'none' as const, paid: 0, refunded: 0, balance: null };
  return {
    payment_status: balance.payment_status,
    paid: fromMinor(balance.paid, exponent),
    refunded: fromMinor(balance.refunded, exponent),
    balance: fromMinor(owed(balance), exponent),
  };
}

export function ledgerRecord(balance: Balance | null, entries: readonly EntryRow[], shop: Shop): Ledger {
  return {
    charged: fromMinor(balance?.charged ?? 0, shop.exponent),
    ...moneyRecord(balance, shop),
    entries: entries.map((entry) => entryRecord(entry, shop)),
  };
}

function entryRecord(entry: EntryRow, shop: Shop): LedgerEntry {
  const { id, kind, amount, payment_id, refund_id, reference, received_on, actor, created_at } = entry;
  return {
    id,
    side: sideOf(kind),
    kind,
    amount: fromMinor(amount, shop.exponent),
    payment_id,
    refund_id,
    reference,
    received_on,
    actor,
    created_at: created_at.toISOString(),
  };
}
