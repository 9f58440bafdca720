import Stripe from 'stripe';
import {
  AccountRefused,
  type AmountCall,
  type Asked,
  type ChargeCall,
  type Facts,
  type Outcome,
  type PaymentCall,
  type PaymentProvider,
  type ProviderAccount,
  type ProviderCall,
  ProviderUnavailable,
  type SoughtOperation,
  type StartCall,
  type Started,
} from '../provider.ts';
import { toStripe } from './currency.ts';
import { chargeOf, factsOf, OFF_SESSION, operationOf, readToken } from './facts.ts';
import { isMissing, outcomeOf, read } from './outcome.ts';
import { readStripeWebhook } from './webhook.ts';

const TIMEOUT_MS = 10_000;
const PAGE = 100;
/** Of refunds and disputes of a payment, and of payments that are looked through for an operation. */
const MAX_OF_PAYMENT = 1_000;
const MAX_LOOKED_THROUGH = 5_000;
/** A PaymentIntent may be older than `since` by the clocks' difference. */
const CLOCKS_DIFFER_MS = 60_000;
const EXPAND = ['latest_charge', 'payment_method'];

interface Client {
  stripe: Stripe;
  /** Whether the last response was an old one, remembered under the idempotency key. */
  wasReplayed(): boolean;
}

/** Payments by Stripe. `url`: where Stripe is, for tests; null: at its own address. */
export function createStripe({ url }: { url: string | null }): PaymentProvider {
  const place = url === null ? {} : placeOf(new URL(url));

  function clientFor({ account, signal }: Pick<Asked, 'account' | 'signal'>): Client {
    let replayed = false;
    // By `fetch`, because the other client cannot be aborted, and repeats a call whose connection was closed.
    const httpClient = Stripe.createFetchHttpClient(async (input: string | URL | Request, init?: RequestInit) => {
      const signals = init?.signal ? [init.signal, signal] : [signal];
      const response = await fetch(input, { ...init, redirect: 'error', signal: AbortSignal.any(signals) });
      replayed = response.headers.get('idempotent-replayed') === 'true';
      return response;
    });
    const stripe = new Stripe(account.secretKey, {
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MS,
      telemetry: false,
      httpClient,
      ...place,
    });
    return { stripe, wasReplayed: () => replayed };
  }

  return {
    name: 'stripe',
    keyLifetimeMs: 24 * 3_600_000,
    methods: (asked) => methods(clientFor(asked), asked.account),
    start: (call) => start(clientFor(call), call),
    charge: (call) => charge(clientFor(call), call),
    capture: (call) => capture(clientFor(call), call),
    cancel: (call) => cancel(clientFor(call), call),
    refund: (call) => refund(clientFor(call), call),
    fetch: (asked, ref) => available(() => retrieve(clientFor(asked).stripe, ref, asked)),
    find: (asked, operation) => available(() => find(clientFor(asked).stripe, asked, operation)),
    forget: (asked, token) => available(() => forget(clientFor(asked).stripe, token)),
    readWebhook: (raw, headers, asked) => readStripeWebhook(raw, headers['stripe-signature'], asked),
  };
}

function placeOf({ protocol, hostname, port }: URL): { protocol: 'http' | 'https'; host: string; port: string } {
  const secure = protocol === 'https:';
  return { protocol: secure ? 'https' : 'http', host: hostname, port: port || (secure ? '443' : '80') };
}

/** A key that was revoked leaves the state of a payment unknown. */
async function available<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await read(call);
  } catch (error) {
    throw error instanceof AccountRefused ? new ProviderUnavailable(error.message) : error;
  }
}

async function methods({ stripe }: Client, { secretKey, mode }: ProviderAccount): Promise<string[]> {
  if (/^[sr]k_(test|live)_/.exec(secretKey)?.[1] !== mode)
    throw new AccountRefused(`It is no secret key of ${mode} mode.`);
  const { capabilities = {} } = await read(() => stripe.accounts.retrieveCurrent());
  const names = Object.entries(capabilities).flatMap(([capability, state]) => {
    const name = /^(.+)_payments$/.exec(capability)?.[1];
    return name !== undefined && state === 'active' ? [name] : [];
  });
  return ['any', ...names.sort()];
}

async function start(client: Client, call: StartCall): Promise<Outcome<Started>> {
  const amount = toStripe(call.amount, call.currency);
  if (amount === null) return notTaken(call);
  return outcomeOf(async () => {
    const params: Stripe.PaymentIntentCreateParams = {
      amount,
      currency: call.currency.code.toLowerCase(),
      description: call.description,
      metadata: metadataOf(call),
      expand: EXPAND,
      ...meansOf(call),
    };
    if (call.capture === 'later') params.capture_method = 'manual';
    if (call.save) {
      const options = { idempotencyKey: `${call.key}_customer` };
      params.customer = (await client.stripe.customers.create({ metadata: metadataOf(call) }, options)).id;
      params.setup_future_usage = 'off_session';
    }
    return current(client, await client.stripe.paymentIntents.create(params, { idempotencyKey: call.key }), call);
  });
}

async function charge(client: Client, call: ChargeCall): Promise<Outcome<Facts>> {
  const amount = toStripe(call.amount, call.currency);
  if (amount === null) return notTaken(call);
  return outcomeOf(async () => {
    const intent = await client.stripe.paymentIntents.create(
      {
        amount,
        currency: call.currency.code.toLowerCase(),
        description: call.description,
        metadata: { ...metadataOf(call), ...OFF_SESSION },
        ...savedParams(call.token),
        off_session: true,
        expand: EXPAND,
      },
      { idempotencyKey: call.key },
    );
    return (await current(client, intent, call)).facts;
  });
}

/** With what a buyer who is present pays: Stripe.js has a saved method authenticated, if the buyer's bank wants that. */
function meansOf({ token, kind, returnUrl }: StartCall) {
  if (token !== null) return { ...savedParams(token), return_url: returnUrl, use_stripe_sdk: true };
  return kind === 'any' ? { automatic_payment_methods: { enabled: true } } : { allowed_payment_method_types: [kind] };
}

/** Confirms the PaymentIntent with a saved method at once. */
function savedParams(token: string) {
  const { customer, method, type } = readToken(token);
  return { customer, payment_method: method, allowed_payment_method_types: [type], confirm: true };
}

async function capture(client: Client, call: AmountCall): Promise<Outcome<Facts>> {
  const amount = toStripe(call.amount, call.currency);
  if (amount === null) return notTaken(call);
  return outcomeOf(async () => {
    const params = { amount_to_capture: amount, expand: EXPAND };
    const intent = await client.stripe.paymentIntents.capture(call.ref, params, { idempotencyKey: call.key });
    return (await current(client, intent, call)).facts;
  });
}

async function cancel(client: Client, call: PaymentCall): Promise<Outcome<Facts>> {
  const outcome = await outcomeOf(async () => {
    const intent = await client.stripe.paymentIntents.cancel(
      call.ref,
      { expand: EXPAND },
      { idempotencyKey: call.key },
    );
    return (await current(client, intent, call)).facts;
  });
  if (outcome.kind !== 'declined') return outcome;
  // Stripe refuses to cancel what is cancelled, as by the end of its authorization.
  const after = await outcomeOf(() => retrieve(client.stripe, call.ref, call));
  return after.kind !== 'done' || after.value.status === 'cancelled' ? after : outcome;
}

async function refund({ stripe }: Client, call: AmountCall): Promise<Outcome<Facts>> {
  const amount = toStripe(call.amount, call.currency);
  if (amount === null) return notTaken(call);
  return outcomeOf(async () => {
    const params = { payment_intent: call.ref, amount, metadata: { tl_operation: String(call.operationId) } };
    await stripe.refunds.create(params, { idempotencyKey: call.key });
    return retrieve(stripe, call.ref, call);
  });
}

function notTaken({ amount, currency: { code, exponent } }: AmountCall | StartCall | ChargeCall): Outcome<never> {
  const message = `Stripe does not take ${amount} / 10^${exponent} ${code}.`;
  return { kind: 'declined', code: 'other', message, retry: false };
}

function metadataOf({ companyId, paymentId, operationId }: StartCall | ChargeCall): Record<string, string> {
  return { tl_company: String(companyId), tl_payment: String(paymentId), tl_operation: String(operationId) };
}

type Context = Pick<ProviderCall, 'currency'>;

/**
 * Returns the state after a call that returned the PaymentIntent. It has no refunds and disputes yet, unless the response is an old one that
 * Stripe remembered under the idempotency key: then the PaymentIntent is fetched.
 */
async function current(
  { stripe, wasReplayed }: Client,
  intent: Stripe.PaymentIntent,
  { currency }: Context,
): Promise<Started> {
  return wasReplayed()
    ? retrieveStarted(stripe, intent.id, { currency })
    : startedBy(intent, factsOf({ intent, refunds: [], disputes: [], declines: 0 }, currency));
}

function startedBy({ client_secret: clientSecret }: Stripe.PaymentIntent, facts: Facts): Started {
  const waits = facts.status === 'action_required' && clientSecret !== null;
  return { facts, next: waits ? { type: 'client_secret', clientSecret } : null };
}

async function retrieve(stripe: Stripe, ref: string, context: Context): Promise<Facts> {
  return (await retrieveStarted(stripe, ref, context)).facts;
}

async function retrieveStarted(stripe: Stripe, ref: string, { currency }: Context): Promise<Started> {
  const intent = await stripe.paymentIntents.retrieve(ref, { expand: EXPAND });
  const paid = chargeOf(intent);
  const [refunds, disputes, declines] = await Promise.all([
    paid?.status === 'succeeded' ? refundsOf(stripe, ref) : [],
    paid?.disputed ? all(stripe.disputes.list({ payment_intent: ref, limit: PAGE })) : [],
    paid?.status === 'failed' ? declinesOf(stripe, ref) : 0,
  ]);
  // Captured in part in the meantime: Stripe lists what it has released then as a refund.
  const isOld = intent.status === 'requires_capture' && refunds.length > 0;
  const newest = isOld ? await stripe.paymentIntents.retrieve(ref, { expand: EXPAND }) : intent;
  return startedBy(newest, factsOf({ intent: newest, refunds, disputes, declines }, currency));
}

function refundsOf(stripe: Stripe, ref: string): Promise<Stripe.Refund[]> {
  return all(stripe.refunds.list({ payment_intent: ref, limit: PAGE }));
}

/** How many cards were declined, of the last hundred. */
async function declinesOf(stripe: Stripe, ref: string): Promise<number> {
  const charges = await stripe.charges.list({ payment_intent: ref, limit: PAGE }).autoPagingToArray({ limit: PAGE });
  return charges.filter(({ status }) => status === 'failed').length;
}

/** Throws ProviderUnavailable if there are too many: facts are never a part. */
async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) {
    if (found.length === MAX_OF_PAYMENT) throw new ProviderUnavailable(`More than ${MAX_OF_PAYMENT} at one payment`);
    found.push(one);
  }
  return found;
}

async function find(stripe: Stripe, asked: Asked, operation: SoughtOperation): Promise<Started | 'not_found'> {
  const { kind, ref } = operation;
  if (kind === 'start' || kind === 'charge') {
    const found = ref ?? (await intentOf(stripe, operation));
    return found === null ? 'not_found' : retrieveStarted(stripe, found, asked);
  }
  if (ref === null) return 'not_found';
  if (kind === 'refund') {
    const refunds = await refundsOf(stripe, ref);
    const happened = refunds.some(({ metadata }) => operationOf(metadata) === operation.id);
    return happened ? retrieveStarted(stripe, ref, asked) : 'not_found';
  }
  const started = await retrieveStarted(stripe, ref, asked);
  const happened = kind === 'cancel' ? started.facts.status === 'cancelled' : started.facts.captured > 0;
  return happened ? started : 'not_found';
}

/** By the list, because the search index lags. */
async function intentOf(stripe: Stripe, { id, since }: SoughtOperation): Promise<string | null> {
  const created = { gte: Math.floor((since.getTime() - CLOCKS_DIFFER_MS) / 1_000) };
  let looked = 0;
  for await (const intent of stripe.paymentIntents.list({ created, limit: PAGE })) {
    if (operationOf(intent.metadata) === id) return intent.id;
    looked += 1;
    if (looked === MAX_LOOKED_THROUGH) throw new ProviderUnavailable(`More than ${MAX_LOOKED_THROUGH} payments since`);
  }
  return null;
}

async function forget(stripe: Stripe, token: string): Promise<void> {
  try {
    await stripe.paymentMethods.detach(readToken(token).method);
  } catch (error) {
    if (!isMissing(error) && !isDetached(error)) throw error;
  }
}

/** Stripe has no code for a method that no customer has (any more). */
function isDetached(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && error.message.includes('not attached to a customer')
  );
}
