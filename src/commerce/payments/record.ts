import type { MasterKey } from '../../access/master-key.ts';
import { fromMinor, type Minor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { type Balance, owed, sideOf } from './books.ts';
import type { CheckoutPayment, Ledger, LedgerEntry, Payment, PaymentOperation } from './contract.ts';
import type { OperationRow } from './operations/operation.ts';
import type { PaymentRow } from './payment.ts';
import type { NextAction } from './providers/provider.ts';
import type { EntryRow } from './queries.ts';

/** A payment as the API returns it: amounts in major units. */
export function paymentRecord(row: PaymentRow, shop: Shop): Payment {
  const { amount, authorized, captured, refunded, disputed, capture_pending, refund_pending, ...others } = row;
  const { authorized_until, dispute_due_by, created_at, updated_at, ...more } = others;
  const { next_action, fetch_at, fetches, declines, ...fields } = more;
  const money = (minor: Minor): number => fromMinor(minor, shop.exponent);
  const method = shop.paymentMethods.find(({ id }) => id === row.method_id);
  return {
    ...fields,
    amount: money(amount),
    authorized: money(authorized),
    captured: money(captured),
    refunded: money(refunded),
    disputed: money(disputed),
    dispute_due_by: dispute_due_by?.toISOString() ?? null,
    refund_pending: money(refund_pending),
    authorized_until: authorized_until?.toISOString() ?? null,
    currency: shop.currency,
    instructions: method?.instructions ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** A payment with what its buyer does next. */
export function checkoutPayment(row: PaymentRow, shop: Shop, masterKey: Pick<MasterKey, 'open'>): CheckoutPayment {
  const account = shop.paymentAccounts.find(({ id }) => id === row.account_id);
  const next =
    row.next_action === null
      ? null
      : (JSON.parse(masterKey.open(Buffer.from(row.next_action, 'base64'))) as NextAction);
  return {
    ...paymentRecord(row, shop),
    publishable_key: account?.publishable_key ?? null,
    client_secret: next?.type === 'client_secret' ? next.clientSecret : null,
    redirect_url: next?.type === 'redirect' ? next.url : null,
  };
}

export function operationRecord(row: OperationRow, { exponent }: Shop): PaymentOperation {
  const { id, kind, amount, state, refund_id, attempts, error, created_at } = row;
  const created = created_at.toISOString();
  return { id, kind, amount: fromMinor(amount, exponent), state, refund_id, attempts, error, created_at: created };
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
