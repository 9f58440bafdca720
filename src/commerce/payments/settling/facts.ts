import type { Minor } from '../../money.ts';
import type { PaymentRow } from '../payment.ts';
import type { Facts, ProviderDispute } from '../providers/provider.ts';
import type { PaymentStatus } from '../status.ts';

/** The operations of a payment that have not ended, besides the one whose outcome the facts are. */
export interface OpenOperations {
  captures: Minor;
  refunds: readonly { id: number; amount: Minor }[];
  /** Whether the service has not said for long what became of one. */
  isUncertain: boolean;
  /** Whether the service has refused the last capture. */
  isCaptureDeclined: boolean;
}

export const NO_OPERATIONS: OpenOperations = {
  captures: 0,
  refunds: [],
  isUncertain: false,
  isCaptureDeclined: false,
};

/**
 * Sets what a service says of a payment. Amounts that were captured only grow; what is given back follows from the lists of refunds and
 * disputes, which are cumulative too: so facts that arrive twice, late or in another order change nothing. `isFresh`: nothing was settled
 * since the facts were asked for, so that the status counts as well. `byHand`: what staff gave back without the service. Pure.
 */
export function applyFacts(
  payment: PaymentRow,
  facts: Facts,
  { open, currency, isFresh, byHand }: { open: OpenOperations; currency: string; isFresh: boolean; byHand: Minor },
): void {
  payment.provider_ref = facts.ref;
  // What was captured before counts as it did then.
  if (payment.captured === 0 && (facts.authorized > 0 || facts.captured > 0)) {
    payment.wrong = isWrong(payment, facts, currency);
  }
  payment.captured = Math.max(payment.captured, facts.captured);
  payment.declines = Math.max(payment.declines, facts.declines);
  const refunded = byHand + sum(facts.refunds.filter(({ status }) => status === 'succeeded'));
  const disputed = sum(facts.disputes.filter(({ status }) => status !== 'won'));
  // What is known to be given back stays so: an older reply may lack it.
  payment.refunded = isFresh ? refunded : Math.max(payment.refunded, refunded);
  payment.disputed = isFresh ? disputed : Math.max(payment.disputed, disputed);
  const known = new Set(facts.refunds.map(({ operationId }) => operationId));
  const pending = [
    ...open.refunds.filter(({ id }) => !known.has(id)),
    ...facts.refunds.filter(({ status }) => status === 'pending'),
  ];
  payment.refund_pending = Math.min(sum(pending), Math.max(0, payment.captured - payment.refunded));
  const authorized = isFresh ? facts.authorized : Math.max(payment.authorized, facts.authorized);
  payment.authorized = Math.max(authorized, payment.captured);
  payment.capture_pending = Math.min(open.captures, payment.authorized - payment.captured);
  if (isFresh) {
    payment.authorized_until = facts.authorizedUntil;
    payment.dispute_due_by = dueBy(facts.disputes);
    payment.failure = facts.failure;
    payment.status = statusOf(payment, facts);
  } else if (payment.captured > 0) {
    payment.status = statusOf(payment, { status: 'captured' });
  }
  if (payment.status !== 'action_required') payment.next_action = null;
  // Nobody has to look at what was given back.
  const isHeld = payment.captured > payment.refunded || payment.status === 'authorized';
  if (isHeld && (payment.wrong || isWrong(payment, facts, currency))) payment.attention = 'wrong_amount';
  else if (facts.disputes.some(({ status }) => status === 'open')) payment.attention = 'dispute';
  else if (payment.status === 'authorized' && open.isCaptureDeclined) payment.attention = 'capture_declined';
  else payment.attention = open.isUncertain ? 'uncertain' : null;
}

/** Whether money was taken, or will be, in another amount or currency than the buyer owes. It never counts as paid. */
export function isWrong(payment: Pick<PaymentRow, 'amount'>, facts: Facts, currency: string): boolean {
  if (facts.authorized === 0 && facts.captured === 0) return false;
  return facts.currency !== currency || facts.amount !== payment.amount;
}

/** Whether the service holds money of the payment that was not given back. */
export function hasMoney(payment: PaymentRow, { authorized, captured, status }: Facts): boolean {
  return (
    (status === 'authorized' && authorized > 0) ||
    captured > payment.refunded + payment.refund_pending + payment.disputed
  );
}

/** The same, as far as it is known. */
export function hadMoney({ status, captured, refunded, refund_pending, disputed }: PaymentRow): boolean {
  return status === 'authorized' || captured > refunded + refund_pending + disputed;
}

function statusOf(
  { captured, amount, refunded, disputed, status }: PaymentRow,
  facts: Pick<Facts, 'status'>,
): PaymentStatus {
  if (captured > 0 && (captured >= amount || facts.status !== 'authorized')) {
    if (refunded + disputed >= captured) return 'refunded';
    return refunded + disputed > 0 ? 'partially_refunded' : 'paid';
  }
  // Nothing was captured although the service says so: its next facts will tell.
  if (facts.status === 'captured') return 'processing';
  const hasEnded = status === 'failed' || status === 'cancelled';
  const isOpen = facts.status === 'action_required' || facts.status === 'processing';
  return hasEnded && isOpen ? status : facts.status;
}

/** Until when the shop can respond to the first of the disputes. */
function dueBy(disputes: readonly ProviderDispute[]): Date | null {
  const ends = disputes.flatMap(({ respondBy }) => respondBy ?? []);
  return ends.length === 0 ? null : new Date(Math.min(...ends.map(Number)));
}

function sum(parts: readonly { amount: Minor }[]): Minor {
  return parts.reduce((total, { amount }) => total + amount, 0);
}
