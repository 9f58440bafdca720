import type { DeclineCode } from '../provider.ts';

/** What Stripe says of a payment that was refused: `decline_code` is the issuer's reason where `code` is `card_declined`. */
export interface StripeDecline {
  code?: string | null | undefined;
  decline_code?: string | null | undefined;
  message?: string | null | undefined;
}

export interface Decline {
  code: DeclineCode;
  message: string;
  /** Whether another attempt can succeed. */
  retry: boolean;
}

/** By https://docs.stripe.com/declines/codes and https://docs.stripe.com/error-codes; reasons that are not here are `card_declined` or `other`. */
const REASONS: Readonly<Partial<Record<DeclineCode, readonly string[]>>> = {
  insufficient_funds: ['insufficient_funds'],
  expired_card: ['expired_card', 'invalid_expiry_year', 'invalid_expiry_month'],
  authentication_required: [
    'authentication_required',
    'authentication_not_handled',
    'payment_intent_authentication_failure',
    'setup_intent_authentication_failure',
    'mobile_device_authentication_required',
  ],
  fraud_suspected: [
    'fraudulent',
    'highest_risk_level',
    'lost_card',
    'merchant_blacklist',
    'pickup_card',
    'restricted_card',
    'security_violation',
    'stolen_card',
  ],
  method_unavailable: [
    'card_not_supported',
    'currency_not_supported',
    'invalid_account',
    'not_permitted',
    'payment_method_currency_mismatch',
    'payment_method_customer_decline',
    'payment_method_not_available',
    'payment_method_provider_decline',
    'payment_method_unactivated',
    'payment_method_unexpected_state',
    'resource_missing',
    'service_not_allowed',
    'transaction_not_allowed',
  ],
  limit_exceeded: [
    'amount_too_large',
    'card_velocity_exceeded',
    'invalid_amount',
    'charge_exceeds_source_limit',
    'charge_exceeds_transaction_limit',
    'charge_exceeds_weekly_limit',
    'withdrawal_count_limit_exceeded',
  ],
  other: [
    'issuer_not_available',
    'payment_intent_payment_attempt_expired',
    'payment_intent_payment_attempt_failed',
    'payment_method_provider_timeout',
    'processing_error',
    'reenter_transaction',
    'try_again_later',
  ],
};

const CODES = new Map(
  Object.entries(REASONS).flatMap(([code, reasons]) => reasons.map((reason) => [reason, code as DeclineCode] as const)),
);
/** The buyer or the issuer forbids further attempts; card networks fine shops that make them. */
const FINAL = new Set([
  'do_not_try_again',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stop_payment_order',
]);
/** Codes of card errors whose reason is not listed above, such as `incorrect_cvc`. */
const CARD = /^(card_declined|incorrect_|invalid_(cvc|number|pin)|pin_try_exceeded)/;

/** Returns our code for a refusal. No other attempt is made if fraud is suspected. */
export function declineOf({ code, decline_code: reason, message }: StripeDecline): Decline {
  const known = CODES.get(reason ?? '') ?? CODES.get(code ?? '') ?? (CARD.test(code ?? '') ? 'card_declined' : 'other');
  const retry = known !== 'fraud_suspected' && !FINAL.has(reason ?? '');
  return { code: known, message: withoutSecrets(message || 'Declined.'), retry };
}

/** Removes keys and client secrets from a text of Stripe, which may quote what it was sent. */
export function withoutSecrets(text: string): string {
  return text.replace(/\b((?:sk|rk|pk|whsec)_[\w*]+|\w+_secret_\w+)/g, '…');
}
