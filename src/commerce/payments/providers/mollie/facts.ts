import type { Chargeback, Mandate, Payment, Refund } from '@mollie/api-client';
import type {
  DeclineCode,
  Facts,
  ProviderCurrency,
  ProviderDispute,
  ProviderRefund,
  ProviderSavedMethod,
  Started,
} from '../provider.ts';
import { fromMollie } from './amounts.ts';

const STATUSES: Record<`${Payment['status']}`, Facts['status']> = {
  open: 'action_required',
  pending: 'processing',
  authorized: 'authorized',
  paid: 'captured',
  failed: 'failed',
  expired: 'failed',
  canceled: 'cancelled',
};

/** The fields of a payment that only some payments have, in the forms in which they come. */
interface Details {
  failureReason?: string;
  failureMessage?: string;
  bankReasonCode?: string;
  bankReason?: string;
}

/** `payment`: with its refunds and chargebacks embedded, unless it has just been made. */
export function factsOf(payment: Payment, currency: ProviderCurrency, savedMethod: ProviderSavedMethod | null): Facts {
  const amount = fromMollie(payment.amount, currency);
  const captured =
    payment.amountCaptured != null
      ? fromMollie(payment.amountCaptured, currency)
      : // Methods without captures take all at once.
        payment.status === 'paid'
        ? amount
        : 0;
  const authorized = payment.status === 'authorized';
  return {
    ref: payment.id,
    status: STATUSES[payment.status],
    currency: payment.amount.currency,
    amount,
    authorized: authorized ? amount : captured,
    captured,
    refunds: (payment._embedded?.refunds ?? []).map((refund) => refundOf(refund, currency)),
    disputes: (payment._embedded?.chargebacks ?? []).map((chargeback) => disputeOf(chargeback, currency)),
    cancelable: authorized || payment.isCancelable === true,
    authorizedUntil: authorized && payment.captureBefore ? new Date(payment.captureBefore) : null,
    failure: failureOf(payment),
    // A payment is one attempt here.
    declines: payment.status === 'failed' ? 1 : 0,
    savedMethod,
  };
}

export function startedOf(payment: Payment, facts: Facts): Started {
  const url = facts.status === 'action_required' ? payment.getCheckoutUrl() : null;
  return { facts, next: url === null || url === undefined ? null : { type: 'redirect', url } };
}

const REFUND_STATUSES: Record<`${Refund['status']}`, ProviderRefund['status']> = {
  queued: 'pending',
  pending: 'pending',
  processing: 'pending',
  refunded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

function refundOf(refund: Refund, currency: ProviderCurrency): ProviderRefund {
  return {
    ref: refund.id,
    amount: fromMollie(refund.amount, currency),
    status: REFUND_STATUSES[refund.status],
    operationId: operationIn(refund.metadata),
  };
}

/** Mollie withdraws the money at once, and its API takes no evidence: it is lost unless it comes back. */
function disputeOf(chargeback: Chargeback, currency: ProviderCurrency): ProviderDispute {
  return {
    ref: chargeback.id,
    amount: fromMollie(chargeback.amount, currency),
    status: chargeback.reversedAt ? 'won' : 'lost',
    respondBy: null,
  };
}

/** Returns the operation that metadata names. Staff can write anything into it at Mollie. */
export function operationIn(metadata: unknown): number | null {
  if (typeof metadata !== 'object' || metadata === null || !('operation' in metadata)) return null;
  return typeof metadata.operation === 'number' ? metadata.operation : null;
}

const REASONS: ReadonlyMap<string, DeclineCode> = new Map([
  ['authentication_abandoned', 'authentication_required'],
  ['authentication_failed', 'authentication_required'],
  ['authentication_required', 'authentication_required'],
  ['authentication_unavailable_acs', 'authentication_required'],
  ['card_declined', 'card_declined'],
  ['card_expired', 'expired_card'],
  ['inactive_card', 'card_declined'],
  ['insufficient_funds', 'insufficient_funds'],
  ['invalid_cvv', 'card_declined'],
  ['invalid_card_holder_name', 'card_declined'],
  ['invalid_card_number', 'card_declined'],
  ['invalid_card_type', 'method_unavailable'],
  ['possible_fraud', 'fraud_suspected'],
  ['refused_by_issuer', 'card_declined'],
  // Reason codes of SEPA.
  ['AM04', 'insufficient_funds'],
  ['AM14', 'limit_exceeded'],
  ['AC04', 'method_unavailable'],
  ['AC06', 'method_unavailable'],
  ['MD01', 'method_unavailable'],
  ['MD06', 'card_declined'],
  ['MS02', 'card_declined'],
]);

function failureOf({ status, statusReason, details }: Payment): Facts['failure'] {
  if (status === 'expired') return { code: 'other', message: 'The payment expired.' };
  if (status !== 'failed') return null;
  const { failureReason, failureMessage, bankReasonCode, bankReason } = (details ?? {}) as Details;
  const reason = failureReason ?? bankReasonCode ?? statusReason?.code ?? '';
  return {
    code: REASONS.get(reason) ?? 'other',
    message: failureMessage ?? bankReason ?? statusReason?.message ?? 'The payment failed.',
  };
}

/** Whether the same charge may succeed later, without the buyer. */
export function mayRetry(code: DeclineCode): boolean {
  return code === 'card_declined' || code === 'insufficient_funds' || code === 'limit_exceeded';
}

/** `cst_…/mdt_…`: Mollie needs the customer and the mandate. */
export function tokenOf(customerId: string, mandateId: string): string {
  return `${customerId}/${mandateId}`;
}

export function readToken(token: string): { customerId: string; mandateId: string } | null {
  const [, customerId, mandateId] = /^(cst_\w+)\/(mdt_\w+)$/.exec(token) ?? [];
  return customerId === undefined || mandateId === undefined ? null : { customerId, mandateId };
}

/** The fields of a mandate's details by method, in the forms in which they come. */
interface MandateDetails {
  cardNumber?: string;
  cardLabel?: string | null;
  cardExpiryDate?: string | null;
  consumerAccount?: string | null;
}

export function savedMethodOf({ id, method, details }: Mandate, customerId: string): ProviderSavedMethod {
  const { cardNumber, cardLabel, cardExpiryDate, consumerAccount } = details as MandateDetails;
  const token = tokenOf(customerId, id);
  if (method === 'creditcard') {
    const brand = cardLabel ?? null;
    const last4 = lastDigits(cardNumber);
    return { token, label: labelOf(brand ?? 'Card', last4), brand, last4, expiresOn: cardExpiryDate ?? null };
  }
  if (method === 'directdebit') {
    const last4 = lastDigits(consumerAccount);
    return { token, label: labelOf('SEPA', last4), brand: null, last4, expiresOn: null };
  }
  return { token, label: 'PayPal', brand: null, last4: null, expiresOn: null };
}

function lastDigits(number: string | null | undefined): string | null {
  const characters = number?.replace(/\s/g, '').slice(-4) ?? '';
  return characters.length === 4 ? characters : null;
}

function labelOf(name: string, last4: string | null): string {
  return last4 === null ? name : `${name} •••• ${last4}`;
}
