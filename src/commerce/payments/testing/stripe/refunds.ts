import { invalid, missing } from './errors.ts';
import { chargeOf, intentOf, type Machine } from './intents.ts';
import type { Charge, Dispute, Intent, Refund } from './objects.ts';

const RESPOND_WITHIN_S = 7 * 86_400;

/** `pending`: the money is sent later, by `settleRefund` or never. */
export function refund(
  machine: Machine,
  intent: Intent,
  asked: { amount: number | null; metadata: Record<string, string>; pending: boolean },
): Refund {
  const { store } = machine;
  const charge = chargeOf(machine, intent);
  if (charge === null || !charge.captured) {
    throw invalid('This PaymentIntent does not have a successful charge to refund.', { param: 'payment_intent' });
  }
  const disputed = [...store.disputes.values()].some(
    (dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable,
  );
  if (disputed) {
    throw invalid(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' });
  }
  const left = charge.amount_captured - refundedOf(machine, charge);
  if (left === 0) {
    throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  const amount = asked.amount ?? left;
  if (amount < 1 || amount > left) {
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    });
  }
  const made: Refund = {
    id: machine.id('re'),
    object: 'refund',
    amount,
    balance_transaction: machine.id('txn'),
    charge: charge.id,
    created: machine.now(),
    currency: intent.currency,
    metadata: asked.metadata,
    payment_intent: intent.id,
    reason: null,
    status: asked.pending ? 'pending' : 'succeeded',
  };
  store.refunds.set(made.id, made);
  recount(machine, charge);
  machine.emit('refund.created', made);
  machine.emit('charge.refunded', charge);
  return made;
}

export function settleRefund(machine: Machine, id: string, outcome: 'succeeded' | 'failed'): void {
  const made = machine.store.refunds.get(id);
  if (made === undefined) throw missing('refund', id, 'refund');
  made.status = outcome;
  if (outcome === 'failed') made.failure_reason = 'expired_or_canceled_card';
  recount(machine, machine.store.charges.get(made.charge)!);
  machine.emit('refund.updated', made);
  if (outcome === 'failed') machine.emit('refund.failed', made);
}

/** What went back, or may, of the captured money. */
function refundedOf({ store }: Machine, charge: Charge): number {
  return [...store.refunds.values()]
    .filter((one) => one.charge === charge.id && one.balance_transaction !== null && one.status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}

function recount(machine: Machine, charge: Charge): void {
  const refunded = refundedOf(machine, charge);
  charge.amount_refunded = charge.amount - charge.amount_captured + refunded;
  charge.refunded = refunded === charge.amount_captured;
}

/** `inquiry`: the issuer only asks, and no money is withdrawn. */
export function openDispute(
  machine: Machine,
  intentId: string,
  { amount, inquiry }: { amount: number | null; inquiry: boolean },
): Dispute {
  const intent = intentOf(machine, intentId);
  const charge = chargeOf(machine, intent);
  if (charge === null || !charge.captured) throw invalid('Only captured charges are disputed.');
  const dispute: Dispute = {
    id: machine.id('du'),
    object: 'dispute',
    amount: amount ?? charge.amount_captured,
    balance_transactions: [],
    charge: charge.id,
    created: machine.now(),
    currency: intent.currency,
    evidence_details: {
      due_by: machine.now() + RESPOND_WITHIN_S,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: inquiry,
    metadata: {},
    payment_intent: intent.id,
    reason: 'product_not_received',
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  };
  if (!inquiry) withdraw(machine, dispute, -dispute.amount);
  charge.disputed = true;
  machine.store.disputes.set(dispute.id, dispute);
  machine.emit('charge.dispute.created', dispute);
  return dispute;
}

export function closeDispute(machine: Machine, id: string, outcome: 'won' | 'lost'): void {
  const dispute = machine.store.disputes.get(id);
  if (dispute === undefined) throw missing('dispute', id, 'dispute');
  dispute.status = outcome;
  dispute.evidence_details.due_by = null;
  if (outcome === 'won') withdraw(machine, dispute, dispute.amount);
  machine.emit('charge.dispute.closed', dispute);
}

function withdraw(machine: Machine, dispute: Dispute, amount: number): void {
  dispute.balance_transactions.push({ id: machine.id('txn'), amount, currency: dispute.currency });
}
