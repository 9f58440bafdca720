import { dateIn } from '../../lib/time-zones/time-zones.ts';
import type { Minor } from '../money.ts';
import type { PaymentAccount } from './accounts/account.ts';
import type { PaymentMethod } from './methods/method.ts';
import type { DeclineCode } from './providers/provider.ts';
import { OPEN_STATUSES, type PaymentStatus } from './status.ts';

/** An attempt to pay a cart or an order by one method. */
export interface PaymentRow {
  id: number;
  cart_id: number | null;
  /** Null until the order is placed. */
  order_id: number | null;
  method_id: number;
  provider: PaymentMethod['provider'];
  /** At the payment service, with the service's id of the payment once it is known; null for manual methods. */
  account_id: number | null;
  mode: 'test' | 'live' | null;
  provider_ref: string | null;
  /** The name of the method at that time. */
  label: string;
  amount: Minor;
  /** What the buyer has authorized at a service, with what was captured of it. */
  authorized: Minor;
  /** What was received. */
  captured: Minor;
  /** What was given back of it. */
  refunded: Minor;
  /** What was charged back of it, less what the shop won. */
  disputed: Minor;
  /** Until when the shop can respond to a dispute; of several, the first. Null: not to any, or not any more. */
  dispute_due_by: Date | null;
  /** Of operations that have not ended. */
  capture_pending: Minor;
  refund_pending: Minor;
  authorized_until: Date | null;
  status: PaymentStatus;
  /** Why the last attempt of the buyer failed. */
  failure: { code: DeclineCode; message: string } | null;
  /** How many cards the service has declined, as far as it says. */
  declines: number;
  /** What the buyer does next: a NextAction as JSON, sealed with the master key, in base64. */
  next_action: string | null;
  attention: Attention | null;
  /** Whether its money is of another amount or currency than was asked for: it pays no cart or order, and no ledger has it. */
  wrong: boolean;
  /** When it is fetched from its service next; null: when a webhook says so. */
  fetch_at: Date | null;
  /** How many times it was settled since it began. */
  fetches: number;
  /** What the buyer states with the transfer. */
  reference: string | null;
  /** `YYYY-MM-DD`; null if the order does not wait for the money. */
  due_on: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Why somebody should look at a payment. */
export const ATTENTIONS = ['wrong_amount', 'dispute', 'capture_declined', 'uncertain'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Whether the payment has not ended. */
export function isOpen({ status }: Pick<PaymentRow, 'status'>): boolean {
  return OPEN_STATUSES.includes(status);
}

/** Whether a bank has refused, perhaps after days, what it had accepted, although the service would let the buyer try again. */
export function isRefusedLater(
  before: PaymentStatus,
  { status, failure }: Pick<PaymentRow, 'status' | 'failure'>,
): boolean {
  return before === 'processing' && status === 'action_required' && failure !== null;
}

/** Whether money by a manual method is awaited. */
export function isAwaited({ provider, status }: Pick<PaymentRow, 'provider' | 'status'>): boolean {
  return provider === 'manual' && status === 'action_required';
}

/** What a payment is for: a cart, an order, or the order of a cart. */
export interface Payable {
  cartId: number | null;
  orderId: number | null;
  amount: Minor;
  /** Until when the money is awaited; null if no reservation depends on it. */
  reservedUntil: Date | null;
}

/**
 * Returns a payment that begins: by a manual method its money is awaited; by a service it is `created`, and an operation starts it. `account`
 * is that of the service.
 */
export function newPayment(
  { id: method_id, provider, kind, name: label, account_id }: PaymentMethod,
  id: number,
  { cartId, orderId, amount, reservedUntil }: Payable,
  { timeZone, accounts, now }: { timeZone: string; accounts: readonly PaymentAccount[]; now: Date },
): PaymentRow {
  const isManual = provider === 'manual';
  return {
    id,
    cart_id: cartId,
    order_id: orderId,
    method_id,
    provider,
    account_id,
    mode: accounts.find((one) => one.id === account_id)?.mode ?? null,
    provider_ref: null,
    label,
    amount,
    authorized: 0,
    captured: 0,
    refunded: 0,
    disputed: 0,
    dispute_due_by: null,
    capture_pending: 0,
    refund_pending: 0,
    authorized_until: null,
    status: isManual ? 'action_required' : 'created',
    failure: null,
    declines: 0,
    next_action: null,
    attention: null,
    wrong: false,
    fetch_at: null,
    fetches: 0,
    reference: kind === 'bank_transfer' && isManual ? `PAY-${id}` : null,
    due_on: reservedUntil === null || !isManual ? null : dateIn(timeZone, reservedUntil),
    created_at: now,
    updated_at: now,
  };
}
