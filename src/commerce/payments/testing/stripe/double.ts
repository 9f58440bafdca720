import { createHmac } from 'node:crypto';
import type { Clock } from '../../../../clock.ts';
import type { ProviderAccount } from '../../providers/provider.ts';
import { createFaults, createIdempotencyTable, type Fault, type Faults } from '../faults.ts';
import { createWebhookSender, type WebhookSender } from '../webhook-sender.ts';
import { BEHAVIORS, type BehaviorName } from './cards.ts';
import * as intents from './intents.ts';
import { type BooksLine, booksOf, createStore, type Dispute, type Intent, type Refund } from './objects.ts';
import { closeDispute, openDispute, refund, settleRefund } from './refunds.ts';
import { type Reply, startServer } from './server.ts';

const DAY_MS = 86_400_000;
const TYPES = ['card', 'link', 'us_bank_account'];

export interface StripeDouble {
  url: string;
  publishableKey: string;
  /** An account with the keys and secrets of now. */
  account(): ProviderAccount;
  /** Causes faults by name; see CALL_FAULTS and WEBHOOK_FAULTS. */
  failNext(fault: Fault, times?: number, after?: number): void;
  faults: Faults;
  /** Calls with the secret key, the oldest first. */
  calls: readonly { method: string; path: string; key: string | null }[];
  webhooks: WebhookSender;
  /** Sends events there from now on: all, or those about PaymentIntents with this in their metadata. */
  registerWebhook(url: string, metadata?: Record<string, string>): void;
  /** The newest PaymentIntent with this in its metadata. Throws if there is none. */
  intentOf(metadata: Record<string, string>): Readonly<Intent>;
  /** Throws if there is none. */
  intentById(ref: string): Readonly<Intent>;
  /** What a buyer does in a browser. */
  buyer: {
    /** Tries to pay by one of Stripe's payment methods for tests, such as `pm_card_visa`; returns the status by then. */
    confirm(clientSecret: string, method: string): Promise<Intent['status']>;
    completeChallenge(ref: string, outcome: 'passed' | 'failed'): void;
  };
  /** What happens at Stripe or in its dashboard. */
  dashboard: Dashboard;
  /** Replaces the webhook secret; `keep`: Stripe signs with the old one too. Returns the new one. */
  rotateWebhookSecret(keep: boolean): string;
  /** Every call is refused, until `replaceKey` makes a new key, which it returns. */
  revokeKey(): void;
  replaceKey(): string;
  /** By PaymentIntent, in Stripe's minor units. */
  books(): Map<string, BooksLine>;
  close(): Promise<void>;
}

export interface Dashboard {
  refund(ref: string, amount?: number): Refund;
  /** Whether refunds from now on are pending until `settleRefund`. */
  pendRefunds(pend: boolean): void;
  /** A refund that succeeded may fail as well. */
  settleRefund(refund: string, outcome: 'succeeded' | 'failed'): void;
  openDispute(ref: string, options?: { amount?: number; inquiry?: boolean }): Dispute;
  closeDispute(dispute: string, outcome: 'won' | 'lost'): void;
  capture(ref: string, amount?: number): void;
  cancel(ref: string): void;
  expireAuthorization(ref: string): void;
  /** No more than this can be captured of an authorization. */
  limitCapture(ref: string, amount: number): void;
  /** Ends the days of processing. */
  settleProcessing(ref: string, outcome: 'succeeded' | 'failed'): void;
  /** The buyer's money comes just before the next cancellation arrives. */
  succeedBeforeCancel(ref: string): void;
  changeAmount(ref: string, amount: number): void;
  changeCurrency(ref: string, currency: string): void;
  /** What a saved payment method does from now on. */
  changeMethod(method: string, behavior: BehaviorName): void;
}

/**
 * Starts a stand-in for Stripe on this machine: its API for the official SDK, Stripe.js at `/v3/`, and signed webhooks. With a seed, calls and
 * webhooks have faults by chance. `signingClock`: the clock by which webhooks are signed, where the receiver's differs; `hangMs`: after which a
 * call without a response loses its connection; `maxPage`: items per page of lists.
 */
export async function startStripeDouble({
  clock,
  signingClock = clock,
  seed = null,
  chances = {},
  hangMs = 50,
  maxPage = 100,
}: {
  clock: Clock;
  signingClock?: Clock;
  seed?: number | null;
  chances?: Partial<Record<Fault, number>>;
  hangMs?: number;
  maxPage?: number;
}): Promise<StripeDouble> {
  const store = createStore();
  const faults = createFaults({ seed, chances });
  const webhooks = createWebhookSender(faults);
  const endpoints: { url: string; metadata: Record<string, string> }[] = [];
  const calls: { method: string; path: string; key: string | null }[] = [];
  const counts = new Map<string, number>();
  const publishableKey = 'pk_test_double';
  let secretKey: string | null = id('sk_test_double');
  let lastKey = secretKey;
  let secrets = [id('whsec_double')];
  let refundsPend = false;
  const lateSuccesses = new Set<string>();

  function id(prefix: string): string {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${String(count).padStart(8, '0')}`;
  }

  const machine: intents.Machine = { store, clock, id, now: () => Math.floor(clock.now().getTime() / 1_000), emit };

  function emit(type: string, object: { id: string; payment_intent?: string }): void {
    const about = store.intents.get(object.payment_intent ?? object.id)!;
    const event = { id: id('evt'), object: 'event', type, created: machine.now(), livemode: false, data: { object } };
    const body = JSON.stringify(event);
    for (const { url, metadata } of endpoints) {
      if (!hasMetadata(about, metadata)) continue;
      webhooks.send({ url, about: type, sign: (forged) => signed(body, forged) });
    }
  }

  /** A forged one tells of a thousandfold amount, and is signed by another secret. */
  function signed(genuine: string, forged: boolean): { headers: Record<string, string>; body: string } {
    const body = forged ? genuine.replaceAll(/"(amount\w*)":(\d+)/g, '"$1":$2000') : genuine;
    const t = Math.floor(signingClock.now().getTime() / 1_000);
    const signatures = (forged ? ['whsec_forged'] : secrets).map((secret) => `v1=${signature(secret, `${t}.${body}`)}`);
    const headers = { 'content-type': 'application/json', 'stripe-signature': [`t=${t}`, ...signatures].join(',') };
    return { headers, body };
  }

  const server = await startServer({
    machine,
    types: TYPES,
    refundsPend: () => refundsPend,
    beforeCancel: (intent) => {
      const awaitsBuyer = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
      if (awaitsBuyer && lateSuccesses.delete(intent.id)) payNow(intent);
    },
    maxPage,
    faults,
    remembered: createIdempotencyTable<Reply>(clock, DAY_MS),
    keys: { secret: () => secretKey, publishable: publishableKey },
    hangMs,
    onCall: (call) => calls.push(call),
    nextRequestId: () => id('req'),
  });

  function payNow(intent: Intent): void {
    if (intent.payment_method === null) intents.confirm(machine, intent, intents.methodOf(machine, 'pm_card_visa'));
    else intents.succeed(machine, intent);
  }

  const byRef = (ref: string): Intent => intents.intentOf(machine, ref);

  const dashboard: Dashboard = {
    refund: (ref, amount) =>
      refund(machine, byRef(ref), { amount: amount ?? null, metadata: {}, pending: refundsPend }),
    pendRefunds: (pend) => {
      refundsPend = pend;
    },
    settleRefund: (ref, outcome) => settleRefund(machine, ref, outcome),
    openDispute: (ref, { amount = null, inquiry = false }: { amount?: number | null; inquiry?: boolean } = {}) =>
      openDispute(machine, ref, { amount, inquiry }),
    closeDispute: (ref, outcome) => closeDispute(machine, ref, outcome),
    capture: (ref, amount) => intents.capture(machine, byRef(ref), amount ?? null),
    cancel: (ref) => intents.cancel(machine, byRef(ref), 'requested_by_customer'),
    expireAuthorization: (ref) => intents.cancel(machine, byRef(ref), 'automatic'),
    limitCapture: (ref, amount) => {
      byRef(ref).amount_capturable = amount;
    },
    settleProcessing: (ref, outcome) => intents.settleProcessing(machine, byRef(ref), outcome),
    succeedBeforeCancel: (ref) => {
      lateSuccesses.add(ref);
    },
    changeAmount: (ref, amount) => {
      byRef(ref).amount = amount;
    },
    changeCurrency: (ref, currency) => {
      byRef(ref).currency = currency;
    },
    changeMethod: (method, behavior) => {
      store.behaviors.set(method, BEHAVIORS[behavior]);
    },
  };

  return {
    url: server.url,
    publishableKey,
    account: () => ({ id: 1, mode: 'test', publishableKey, secretKey: lastKey, webhookSecrets: [...secrets] }),
    failNext: faults.failNext,
    faults,
    calls,
    webhooks,
    registerWebhook: (url, metadata = {}) => {
      endpoints.push({ url, metadata });
    },
    intentById: byRef,
    intentOf: (metadata) => {
      const found = [...store.intents.values()].findLast((one) => hasMetadata(one, metadata));
      if (found === undefined) throw new Error(`No PaymentIntent has the metadata ${JSON.stringify(metadata)}`);
      return found;
    },
    buyer: {
      confirm: (clientSecret, method) => confirmPublicly(server.url, publishableKey, clientSecret, method),
      completeChallenge: (ref, outcome) => intents.completeChallenge(machine, byRef(ref), outcome),
    },
    dashboard,
    rotateWebhookSecret: (keep) => {
      secrets = [id('whsec_double'), ...(keep ? secrets.slice(0, 1) : [])];
      return secrets[0]!;
    },
    revokeKey: () => {
      secretKey = null;
    },
    replaceKey: () => {
      lastKey = id('sk_test_double');
      secretKey = lastKey;
      return lastKey;
    },
    books: () => booksOf(store),
    close: async () => {
      await webhooks.idle();
      await server.close();
    },
  };
}

function hasMetadata({ metadata }: Intent, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => metadata[name] === value);
}

function signature(secret: string, signedText: string): string {
  return createHmac('sha256', secret).update(signedText).digest('hex');
}

/** As Stripe.js does it. Throws unless the response is a PaymentIntent or a decline. */
async function confirmPublicly(
  url: string,
  key: string,
  clientSecret: string,
  method: string,
): Promise<Intent['status']> {
  const ref = clientSecret.split('_secret_')[0]!;
  const body = new URLSearchParams({ key, client_secret: clientSecret, payment_method: method });
  const response = await fetch(`${url}/v1/payment_intents/${ref}/confirm`, { method: 'POST', body });
  const result = (await response.json()) as {
    status?: Intent['status'];
    error?: { message: string; payment_intent?: Intent };
  };
  const status = result.status ?? (response.status === 402 ? result.error?.payment_intent?.status : undefined);
  if (status === undefined) throw new Error(`Stripe's double refused: ${result.error?.message}`);
  return status;
}
