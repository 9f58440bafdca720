import type { Clock } from '../../../../clock.ts';
import type { Behavior } from './cards.ts';
import { testCard } from './cards.ts';
import { invalid, missing, StripeApiError } from './errors.ts';
import { type Charge, type Intent, type Method, type Refund, type Store, shownIntent } from './objects.ts';

export interface Machine {
  store: Store;
  clock: Clock;
  id(prefix: string): string;
  now(): number;
  /** Tells of a PaymentIntent, or of what belongs to one. */
  emit(type: string, object: { id: string; payment_intent?: string }): void;
}

const DAY_S = 86_400;
/** How long an authorization holds. */
const HOLDS_S = 7 * DAY_S;

export function intentOf({ store }: Machine, id: string, param = 'intent'): Intent {
  const intent = store.intents.get(id);
  if (intent === undefined) throw missing('payment_intent', id, param);
  return intent;
}

/** Returns a payment method by its id, or a new one of Stripe's for tests. */
export function methodOf(machine: Machine, id: string): Method {
  const { store } = machine;
  const known = store.methods.get(id);
  if (known !== undefined) return known;
  const card = testCard(id);
  if (card === null) throw missing('PaymentMethod', id, 'payment_method');
  return newMethod(machine, card);
}

export function newMethod(machine: Machine, card: { brand: string; last4: string; behavior: Behavior }): Method {
  const { store } = machine;
  const { brand, last4, behavior } = card;
  const isBank = brand === 'us_bank_account';
  const method: Method = {
    id: machine.id('pm'),
    object: 'payment_method',
    type: isBank ? brand : 'card',
    created: machine.now(),
    customer: null,
  };
  if (isBank) method.us_bank_account = { last4 };
  else method.card = { brand, last4, exp_month: 8, exp_year: machine.clock.now().getUTCFullYear() + 3 };
  store.methods.set(method.id, method);
  store.behaviors.set(method.id, behavior);
  return method;
}

function unexpectedState(machine: Machine, intent: Intent, action: string): StripeApiError {
  return invalid(`You cannot ${action} this PaymentIntent because it has a status of ${intent.status}.`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: shownIntent(machine.store, intent),
  });
}

/**
 * The buyer, or the shop in its absence, tries to pay. `returnUrl`: where a page of the bank, to which a buyer is sent without Stripe.js, leads back
 * to. Throws the card error of a decline.
 */
export function confirm(
  machine: Machine,
  intent: Intent,
  method: Method,
  { offSession = false, returnUrl = null }: { offSession?: boolean; returnUrl?: string | null } = {},
): void {
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') {
    throw unexpectedState(machine, intent, 'confirm');
  }
  if (!intent.payment_method_types.includes(method.type)) {
    throw invalid(`The PaymentMethod provided (${method.type}) is not allowed for this PaymentIntent.`, {
      code: 'payment_intent_incompatible_payment_method',
      param: 'payment_method',
    });
  }
  intent.payment_method = method.id;
  intent.last_payment_error = null;
  const behavior = machine.store.behaviors.get(method.id)!;
  if (behavior.kind === 'succeeds') {
    succeed(machine, intent);
  } else if (behavior.kind === 'processes') {
    newCharge(machine, intent, 'pending');
    intent.status = 'processing';
    emitIntent(machine, intent, 'processing');
  } else if (behavior.kind === 'declines') {
    throw decline(machine, intent, behavior);
  } else if (offSession) {
    const message = 'Your card was declined. This transaction requires authentication.';
    throw decline(machine, intent, { code: 'authentication_required', reason: 'authentication_required', message });
  } else {
    intent.status = 'requires_action';
    intent.next_action =
      returnUrl === null
        ? { type: 'use_stripe_sdk' }
        : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl } };
    emitIntent(machine, intent, 'requires_action');
  }
}

export function completeChallenge(machine: Machine, intent: Intent, outcome: 'passed' | 'failed'): void {
  if (intent.status !== 'requires_action') throw unexpectedState(machine, intent, 'authenticate');
  if (outcome === 'passed') {
    succeed(machine, intent);
    return;
  }
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  refuse(machine, intent, { type: 'invalid_request_error', code: 'payment_intent_authentication_failure', message });
}

/** The outcome of a method that needed days. */
export function settleProcessing(machine: Machine, intent: Intent, outcome: 'succeeded' | 'failed'): void {
  if (intent.status !== 'processing') throw unexpectedState(machine, intent, 'settle');
  if (outcome === 'succeeded') {
    succeed(machine, intent);
    return;
  }
  const charge = chargeOf(machine, intent)!;
  charge.status = 'failed';
  const message = 'The customer’s bank account has insufficient funds.';
  refuse(machine, intent, {
    type: 'card_error',
    code: 'insufficient_funds',
    decline_code: 'insufficient_funds',
    message,
  });
}

/** The payment method pays: the money is authorized or captured. */
export function succeed(machine: Machine, intent: Intent): void {
  const { store } = machine;
  const pending = chargeOf(machine, intent);
  const charge = pending?.status === 'pending' ? pending : newCharge(machine, intent, 'succeeded');
  charge.status = 'succeeded';
  charge.paid = true;
  intent.next_action = null;
  intent.last_payment_error = null;
  if (intent.customer !== null && intent.setup_future_usage !== null) {
    store.methods.get(intent.payment_method!)!.customer = intent.customer;
  }
  machine.emit('charge.succeeded', charge);
  if (intent.capture_method === 'manual') {
    intent.status = 'requires_capture';
    intent.amount_capturable = intent.amount;
    emitIntent(machine, intent, 'amount_capturable_updated');
    return;
  }
  take(machine, intent, charge, intent.amount);
}

function take(machine: Machine, intent: Intent, charge: Charge, amount: number): void {
  charge.captured = true;
  charge.amount_captured = amount;
  intent.amount_received = amount;
  intent.amount_capturable = 0;
  intent.status = 'succeeded';
  emitIntent(machine, intent, 'succeeded');
}

function decline(
  machine: Machine,
  intent: Intent,
  { code, reason, message }: { code: string; reason: string; message: string },
): StripeApiError {
  const charge = newCharge(machine, intent, 'failed');
  charge.failure_code = code;
  charge.failure_message = message;
  machine.emit('charge.failed', charge);
  refuse(machine, intent, { type: 'card_error', code, decline_code: reason, message });
  const payment_intent = shownIntent(machine.store, intent);
  return new StripeApiError(402, 'card_error', message, {
    code,
    decline_code: reason,
    charge: charge.id,
    payment_intent,
  });
}

function refuse(
  machine: Machine,
  intent: Intent,
  error: { type: string; code: string; decline_code?: string; message: string },
): void {
  const method = machine.store.methods.get(intent.payment_method!);
  intent.status = 'requires_payment_method';
  intent.next_action = null;
  intent.payment_method = null;
  intent.last_payment_error = { ...error, payment_method: method };
  emitIntent(machine, intent, 'payment_failed');
}

function newCharge(machine: Machine, intent: Intent, status: Charge['status']): Charge {
  const { store } = machine;
  const method = store.methods.get(intent.payment_method!)!;
  const created = machine.now();
  const details: Record<string, unknown> = { type: method.type };
  if (method.card) {
    details.card =
      intent.capture_method === 'manual' ? { ...method.card, capture_before: created + HOLDS_S } : method.card;
  }
  const charge: Charge = {
    id: machine.id('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    captured: false,
    created,
    currency: intent.currency,
    disputed: false,
    failure_code: null,
    failure_message: null,
    metadata: intent.metadata,
    paid: status === 'succeeded',
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: details,
    refunded: false,
    status,
  };
  store.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  return charge;
}

export function chargeOf({ store }: Machine, intent: Intent): Charge | null {
  return intent.latest_charge === null ? null : store.charges.get(intent.latest_charge)!;
}

/** What is not captured is released. */
export function capture(machine: Machine, intent: Intent, amount: number | null): void {
  if (intent.status !== 'requires_capture') throw unexpectedState(machine, intent, 'capture');
  const taken = amount ?? intent.amount_capturable;
  if (taken < 1 || taken > intent.amount_capturable) {
    throw invalid(`The amount to capture is greater than the amount capturable (${intent.amount_capturable}).`, {
      code: 'amount_too_large',
      param: 'amount_to_capture',
    });
  }
  const charge = chargeOf(machine, intent)!;
  const rest = intent.amount_capturable - taken;
  take(machine, intent, charge, taken);
  machine.emit('charge.captured', charge);
  if (rest > 0) release(machine, intent, charge, rest, null);
}

export function cancel(machine: Machine, intent: Intent, reason: string | null): void {
  if (!['requires_payment_method', 'requires_action', 'requires_capture'].includes(intent.status)) {
    throw unexpectedState(machine, intent, 'cancel');
  }
  const held = intent.amount_capturable;
  intent.status = 'canceled';
  intent.cancellation_reason = reason;
  intent.canceled_at = machine.now();
  intent.amount_capturable = 0;
  intent.next_action = null;
  if (held > 0)
    release(
      machine,
      intent,
      chargeOf(machine, intent)!,
      held,
      reason === 'automatic' ? 'expired_uncaptured_charge' : null,
    );
  emitIntent(machine, intent, 'canceled');
}

/** Cancels the authorizations whose time is over. */
export function expireAuthorizations(machine: Machine): void {
  for (const intent of machine.store.intents.values()) {
    const since = intent.status === 'requires_capture' ? chargeOf(machine, intent)?.created : undefined;
    if (since !== undefined && since + HOLDS_S <= machine.now()) cancel(machine, intent, 'automatic');
  }
}

/** Stripe makes a refund of an amount that was authorized only, though no money moves. */
function release(machine: Machine, intent: Intent, charge: Charge, amount: number, reason: string | null): Refund {
  const refund: Refund = {
    id: machine.id('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: machine.now(),
    currency: intent.currency,
    metadata: {},
    payment_intent: intent.id,
    reason,
    status: 'succeeded',
  };
  machine.store.refunds.set(refund.id, refund);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_captured === 0;
  machine.emit('charge.refunded', charge);
  return refund;
}

export function emitIntent(machine: Machine, intent: Intent, event: string): void {
  machine.emit(`payment_intent.${event}`, shownIntent(machine.store, intent));
}
