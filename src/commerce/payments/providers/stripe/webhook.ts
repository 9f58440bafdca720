import Stripe from 'stripe';

/** How far the time of a signature may be from ours, in seconds. */
const TOLERANCE_S = 300;

/** Events whose object belongs to a PaymentIntent. */
const ABOUT_PAYMENTS = /^(payment_intent|charge|refund)\./;

/** Returns what a webhook is about if one of the secrets has signed it lately; null: it is not genuine. */
export function readStripeWebhook(
  raw: Buffer,
  signature: string | undefined,
  { secrets, now }: { secrets: readonly string[]; now: Date },
): { dedupeKey: string; ref: string | null } | null {
  if (signature === undefined || isFromTheFuture(signature, now)) return null;
  for (const secret of secrets) {
    const event = verified(raw, signature, secret, now);
    if (event !== null) return isEvent(event) ? { dedupeKey: event.id, ref: refOf(event) } : null;
  }
  return null;
}

/** The SDK checks the signature only. Events of other forms than the usual one, such as thin ones, have no object. */
interface SignedEvent {
  id: string;
  type: string;
  data?: { object?: { object?: unknown; id?: unknown; payment_intent?: unknown } | null } | null;
}

function isEvent(signed: unknown): signed is SignedEvent {
  if (signed === null || typeof signed !== 'object') return false;
  return 'id' in signed && typeof signed.id === 'string' && 'type' in signed && typeof signed.type === 'string';
}

function verified(raw: Buffer, signature: string, secret: string, now: Date): unknown {
  try {
    return Stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_S, undefined, now.getTime());
  } catch {
    // Not by this secret, too old, or not JSON: all of it is not genuine.
    return null;
  }
}

/** The SDK checks the age only. */
function isFromTheFuture(signature: string, now: Date): boolean {
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]);
  return !(signedAt - now.getTime() / 1_000 <= TOLERANCE_S);
}

function refOf({ type, data }: SignedEvent): string | null {
  const object = data?.object;
  if (!ABOUT_PAYMENTS.test(type) || !object) return null;
  const intent = object.object === 'payment_intent' ? object : object.payment_intent;
  if (typeof intent === 'string') return intent;
  return intent !== null && typeof intent === 'object' && 'id' in intent ? String(intent.id) : null;
}
