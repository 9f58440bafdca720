import Stripe from 'stripe';
import { AccountRefused, type Outcome, ProviderUnavailable } from '../provider.ts';
import { declineOf, withoutSecrets } from './declines.ts';

const { StripeError, StripeCardError, StripeInvalidRequestError, StripeIdempotencyError } = Stripe.errors;
const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;

/** Runs a call that changes something at Stripe. Throws only for faults of the program. */
export async function outcomeOf<T>(call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'done', value: await call() };
  } catch (error) {
    if (error instanceof ProviderUnavailable) return { kind: 'uncertain', cause: error.message };
    if (!(error instanceof StripeError)) throw error;
    return refusalOf(error);
  }
}

/** Runs a call that only reads. Throws ProviderUnavailable, AccountRefused. */
export async function read<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    if (keysAreRefused(error)) throw new AccountRefused(causeOf(error));
    throw new ProviderUnavailable(causeOf(error));
  }
}

/** A key can be replaced, so that what it was refused for can be tried again. */
export function keysAreRefused(error: unknown): boolean {
  return error instanceof StripeAuthenticationError || error instanceof StripePermissionError;
}

function refusalOf(error: InstanceType<typeof StripeError>): Outcome<never> {
  const definite =
    error instanceof StripeCardError ||
    // A payment that is missing may be in another account, whose key was replaced by a wrong one.
    (error instanceof StripeInvalidRequestError && !(isMissing(error) && isPayment(error.param)));
  if (!definite) {
    const cause = causeOf(error);
    return isReplayed(error) ? { kind: 'uncertain', cause, isSpent: true } : { kind: 'uncertain', cause };
  }
  const decline = declineOf(error);
  const code =
    decline.code === 'other' && error.param?.includes('payment_method') ? 'method_unavailable' : decline.code;
  // Stripe takes wrong parameters, and what the state does not allow, no better the next time.
  const retry = error instanceof StripeCardError && decline.retry;
  return { kind: 'declined', code, message: decline.message, retry };
}

function isPayment(param: string | undefined): boolean {
  return param === 'intent' || param === 'payment_intent';
}

export function isMissing(error: unknown): boolean {
  return error instanceof StripeInvalidRequestError && error.code === 'resource_missing';
}

function isReplayed({ headers }: InstanceType<typeof StripeError>): boolean {
  return headers?.['idempotent-replayed'] === 'true';
}

/** Says what happened, without the texts of Stripe, which may quote keys. */
function causeOf(error: InstanceType<typeof StripeError>): string {
  if (error instanceof StripeIdempotencyError) return 'The idempotency key was used with other parameters.';
  const status = error.statusCode === undefined ? '' : ` ${error.statusCode}`;
  const replayed = isReplayed(error) ? ', remembered under the idempotency key' : '';
  const said = error.statusCode === undefined ? `: ${withoutSecrets(error.message)}` : '';
  return `${error.type}${status}${error.code ? ` ${error.code}` : ''}${replayed}${said}`;
}
