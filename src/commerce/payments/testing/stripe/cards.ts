/** What happens when a payment method is charged. */
export type Behavior =
  | { kind: 'succeeds' }
  /** Needs 3-D Secure while the buyer is present; declined in its absence. */
  | { kind: 'challenges' }
  /** The outcome comes later. */
  | { kind: 'processes' }
  | { kind: 'declines'; code: string; reason: string; message: string };

const decline = (code: string, reason: string, message: string): Behavior => ({
  kind: 'declines',
  code,
  reason,
  message,
});

export const BEHAVIORS = {
  succeeds: { kind: 'succeeds' },
  challenges: { kind: 'challenges' },
  processes: { kind: 'processes' },
  declined: decline('card_declined', 'generic_decline', 'Your card was declined.'),
  insufficient_funds: decline('card_declined', 'insufficient_funds', 'Your card has insufficient funds.'),
  expired: decline('expired_card', 'expired_card', 'Your card has expired.'),
  fraud: decline('card_declined', 'fraudulent', 'Your card was declined.'),
  stolen: decline('card_declined', 'stolen_card', 'Your card was declined.'),
  velocity: decline('card_declined', 'card_velocity_exceeded', 'Your card was declined for making repeated attempts.'),
  processing_error: decline('processing_error', 'processing_error', 'An error occurred while processing your card.'),
} as const satisfies Record<string, Behavior>;
export type BehaviorName = keyof typeof BEHAVIORS;

/** Stripe's own names and numbers for tests (https://docs.stripe.com/testing). */
const TEST_METHODS: Readonly<Record<string, { number: string; brand: string; behavior: BehaviorName }>> = {
  pm_card_visa: { number: '4242424242424242', brand: 'visa', behavior: 'succeeds' },
  pm_card_mastercard: { number: '5555555555554444', brand: 'mastercard', behavior: 'succeeds' },
  pm_card_authenticationRequired: { number: '4000002760003184', brand: 'visa', behavior: 'challenges' },
  pm_card_chargeDeclined: { number: '4000000000000002', brand: 'visa', behavior: 'declined' },
  pm_card_chargeDeclinedInsufficientFunds: {
    number: '4000000000009995',
    brand: 'visa',
    behavior: 'insufficient_funds',
  },
  pm_card_chargeDeclinedExpiredCard: { number: '4000000000000069', brand: 'visa', behavior: 'expired' },
  pm_card_chargeDeclinedFraudulent: { number: '4100000000000019', brand: 'visa', behavior: 'fraud' },
  pm_card_chargeDeclinedStolenCard: { number: '4000000000009979', brand: 'visa', behavior: 'stolen' },
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: { number: '4000000000006975', brand: 'visa', behavior: 'velocity' },
  pm_card_chargeDeclinedProcessingError: { number: '4000000000000119', brand: 'visa', behavior: 'processing_error' },
  pm_usBankAccount_processing: { number: '000123456789', brand: 'us_bank_account', behavior: 'processes' },
};

export interface TestCard {
  brand: string;
  last4: string;
  behavior: Behavior;
}

/** Returns the payment method with the name, or the card with the number. */
export function testCard(nameOrNumber: string): TestCard | null {
  const digits = nameOrNumber.replaceAll(' ', '');
  const found = TEST_METHODS[nameOrNumber] ?? Object.values(TEST_METHODS).find(({ number }) => number === digits);
  if (found === undefined) return null;
  return { brand: found.brand, last4: found.number.slice(-4), behavior: BEHAVIORS[found.behavior] };
}
