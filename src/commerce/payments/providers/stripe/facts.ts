import type Stripe from 'stripe';
import type { Minor } from '../../../money.ts';
import {
  type Facts,
  type ProviderCurrency,
  type ProviderDispute,
  type ProviderRefund,
  type ProviderSavedMethod,
  ProviderUnavailable,
} from '../provider.ts';
import { fromStripe } from './currency.ts';
import { declineOf } from './declines.ts';

/** A PaymentIntent with `latest_charge` and `payment_method` expanded, and what belongs to it. */
export interface Gathered {
  intent: Stripe.PaymentIntent;
  refunds: readonly Stripe.Refund[];
  disputes: readonly Stripe.Dispute[];
  declines: number;
}

/** Marks PaymentIntents of saved methods in their metadata: no buyer can act on them. */
export const OFF_SESSION = { tl_kind: 'charge' } as const;

/** Throws ProviderUnavailable for an amount with more decimals than the currency has here. */
export function factsOf({ intent, refunds, disputes, declines }: Gathered, currency: ProviderCurrency): Facts {
  const charge = chargeOf(intent);
  const code = intent.currency.toUpperCase();
  const ours = (amount: number): Minor => exact(fromStripe(amount, code, currency), amount, code);
  return {
    ref: intent.id,
    status: statusOf(intent),
    currency: code,
    amount: ours(intent.amount),
    authorized: ours(intent.amount_capturable + intent.amount_received),
    captured: ours(intent.amount_received),
    refunds: refunds
      .filter((refund) => !isRelease(refund, intent, charge))
      .map((refund) => ({
        ref: refund.id,
        amount: ours(refund.amount),
        status: refundStatus(refund.status),
        operationId: operationOf(refund.metadata),
      })),
    disputes: disputes
      .filter(({ status }) => !status.startsWith('warning_'))
      .map((dispute) => ({
        ref: dispute.id,
        amount: disputedAmount(dispute, intent, currency),
        status: disputeStatus(dispute),
        respondBy: respondBy(dispute),
      })),
    cancelable: CANCELABLE.has(intent.status),
    authorizedUntil: intent.status === 'requires_capture' ? captureBefore(charge) : null,
    failure: failureOf(intent),
    declines,
    savedMethod: savedMethodOf(intent, charge),
  };
}

/** Returns the operation that wrote the metadata; null: none of this program. */
export function operationOf(metadata: Stripe.Metadata | null): number | null {
  const id = Number(metadata?.tl_operation);
  return Number.isSafeInteger(id) ? id : null;
}

export function chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
}

function exact(converted: Minor | null, amount: number, code: string): Minor {
  if (converted === null) throw new ProviderUnavailable(`${amount} at Stripe is no whole amount in ${code} here`);
  return converted;
}

const CANCELABLE = new Set<string>([
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'requires_capture',
]);

function statusOf({ id, status, metadata }: Stripe.PaymentIntent): Facts['status'] {
  switch (status) {
    case 'requires_payment_method':
    case 'requires_confirmation':
    case 'requires_action':
      return metadata.tl_kind === OFF_SESSION.tl_kind ? 'failed' : 'action_required';
    case 'processing':
      return 'processing';
    case 'requires_capture':
      return 'authorized';
    case 'succeeded':
      return 'captured';
    case 'canceled':
      return 'cancelled';
    default:
      throw new ProviderUnavailable(`Stripe has an unknown status of ${id}`);
  }
}

function refundStatus(status: string | null): ProviderRefund['status'] {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

/** Stripe also makes a refund of what is authorized and released without a capture: no money came, so none goes back. */
function isRelease(refund: Stripe.Refund, intent: Stripe.PaymentIntent, charge: Stripe.Charge | null): boolean {
  if (refund.reason === 'expired_uncaptured_charge') return true;
  const released = (charge?.amount ?? 0) - intent.amount_received;
  const moved = refund.balance_transaction !== null || refund.status !== 'succeeded';
  return released > 0 && refund.amount === released && !moved && operationOf(refund.metadata) === null;
}

/** A dispute is in the issuer's currency at times, and an amount in it may not be whole in ours: then all that was captured is disputed. */
function disputedAmount(dispute: Stripe.Dispute, intent: Stripe.PaymentIntent, currency: ProviderCurrency): Minor {
  const code = intent.currency.toUpperCase();
  const same = dispute.currency === intent.currency ? fromStripe(dispute.amount, code, currency) : null;
  return same ?? exact(fromStripe(intent.amount_received, code, currency), intent.amount_received, code);
}

function disputeStatus(dispute: Stripe.Dispute): ProviderDispute['status'] {
  if (dispute.status === 'won') return 'won';
  if (dispute.status === 'lost') return 'lost';
  if (dispute.status !== 'prevented') return 'open';
  // Resolved before it became a chargeback: by giving the money back, or not at all.
  const net = dispute.balance_transactions.reduce((sum, { amount }) => sum + amount, 0);
  return net < 0 ? 'lost' : 'won';
}

function respondBy({ status, evidence_details: { due_by: dueBy } }: Stripe.Dispute): Date | null {
  return status.endsWith('needs_response') && dueBy ? new Date(dueBy * 1_000) : null;
}

function captureBefore(charge: Stripe.Charge | null): Date | null {
  const details = charge?.payment_method_details;
  const before = details?.card?.capture_before ?? details?.card_present?.capture_before;
  return before === undefined ? null : new Date(before * 1_000);
}

function failureOf({ status, last_payment_error: error }: Stripe.PaymentIntent): Facts['failure'] {
  if (error === null || status === 'succeeded' || status === 'requires_capture' || status === 'processing') return null;
  const { code, message } = declineOf(error);
  return { code, message };
}

/** A token names customer, method and type, since a charge of a saved method needs all three. */
export function readToken(token: string): { customer: string; method: string; type: string } {
  const [customer, method, type] = token.split(':');
  if (!customer || !method || !type) throw new Error('The token of a saved payment method is damaged');
  return { customer, method, type };
}

function savedMethodOf(intent: Stripe.PaymentIntent, charge: Stripe.Charge | null): ProviderSavedMethod | null {
  const { setup_future_usage: usage, status, customer, payment_method: method } = intent;
  if (usage !== 'off_session' || (status !== 'succeeded' && status !== 'requires_capture')) return null;
  if (customer === null || method === null || typeof method === 'string') return null;
  const owner = typeof customer === 'string' ? customer : customer.id;
  const debit = generatedDebit(charge);
  if (debit !== null)
    return {
      token: `${owner}:${debit.id}:sepa_debit`,
      ...described('SEPA', debit.last4),
      brand: null,
      expiresOn: null,
    };
  if (method.customer !== owner && !(typeof method.customer === 'object' && method.customer?.id === owner)) return null;
  const token = `${owner}:${method.id}:${method.type}`;
  if (!method.card) return { token, ...described(nameOf(method.type), last4Of(method)), brand: null, expiresOn: null };
  const { brand, last4, exp_year: year, exp_month: month } = method.card;
  return { token, ...described(nameOf(brand), last4), brand, expiresOn: lastDayOf(year, month) };
}

/** Some methods, such as iDEAL, cannot be charged again themselves, but yield a direct debit. */
function generatedDebit(charge: Stripe.Charge | null): { id: string; last4: string | null } | null {
  const details = charge?.payment_method_details;
  const by = details?.ideal ?? details?.bancontact ?? details?.sofort;
  const debit = by?.generated_sepa_debit;
  if (!by || !debit) return null;
  return { id: typeof debit === 'string' ? debit : debit.id, last4: by.iban_last4 };
}

function last4Of(method: Stripe.PaymentMethod): string | null {
  return method.sepa_debit?.last4 ?? method.us_bank_account?.last4 ?? method.bacs_debit?.last4 ?? null;
}

function described(name: string, last4: string | null): { label: string; last4: string | null } {
  return { label: last4 === null ? name : `${name} •••• ${last4}`, last4 };
}

/** `sepa_debit` is `Sepa debit`, `visa` is `Visa`. */
function nameOf(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');
}

function lastDayOf(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
