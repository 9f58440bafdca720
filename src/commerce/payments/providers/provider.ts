import type { Minor } from '../../money.ts';

/** The services that take payments through an account of the shop. */
export const PAYMENT_SERVICES = ['stripe', 'mollie'] as const;
export type PaymentService = (typeof PAYMENT_SERVICES)[number];

/** An account at a payment service, with its secrets opened. */
export interface ProviderAccount {
  id: number;
  mode: 'test' | 'live';
  publishableKey: string | null;
  secretKey: string;
  /** That sign webhooks, the newest first; none where the service does not sign. */
  webhookSecrets: readonly string[];
}

/** A currency, and the decimals that amounts in it have here. Amounts are in minor units by them: a provider converts to its own. */
export interface ProviderCurrency {
  /** ISO 4217. */
  code: string;
  exponent: number;
}

export const DECLINE_CODES = [
  'card_declined',
  'insufficient_funds',
  'expired_card',
  'authentication_required',
  'fraud_suspected',
  'method_unavailable',
  'limit_exceeded',
  'other',
] as const;
export type DeclineCode = (typeof DECLINE_CODES)[number];

export interface ProviderRefund {
  /** The provider's id of it. */
  ref: string;
  amount: Minor;
  /** `pending`: accepted, the money has not been sent. A refund that succeeded may fail later. */
  status: 'pending' | 'succeeded' | 'failed';
  /** The operation that asked for it, from its metadata; null: it was made at the provider. */
  operationId: number | null;
}

export interface ProviderDispute {
  ref: string;
  /** What was withdrawn, or will be. */
  amount: Minor;
  /** `won`: the money was returned. */
  status: 'open' | 'won' | 'lost';
  /** Until when the shop can reply; null: not any more. */
  respondBy: Date | null;
}

/** A means of payment that a buyer let the provider keep. */
export interface ProviderSavedMethod {
  /** What the provider needs to charge it again. */
  token: string;
  /** Such as `Visa •••• 4242`. */
  label: string;
  brand: string | null;
  last4: string | null;
  /** The last day on which it is valid, `YYYY-MM-DD`. */
  expiresOn: string | null;
}

/** All that a provider says of a payment at one time. Amounts are cumulative. */
export interface Facts {
  /** The provider's id of the payment. */
  ref: string;
  /**
   * `action_required`: the buyer must act, perhaps again after a decline; `processing`: accepted, with the outcome to come; `authorized`: not
   * yet captured in full; `captured`; `failed`, `cancelled`: no more money will be taken.
   */
  status: 'action_required' | 'processing' | 'authorized' | 'captured' | 'failed' | 'cancelled';
  /** ISO 4217, in upper case. */
  currency: string;
  /** What the buyer was asked for. */
  amount: Minor;
  /** What the buyer has authorized, with what was captured of it, less what was released since. */
  authorized: Minor;
  captured: Minor;
  refunds: readonly ProviderRefund[];
  disputes: readonly ProviderDispute[];
  /** Whether a cancellation would be accepted now. */
  cancelable: boolean;
  /** When an authorization ends; null without one. */
  authorizedUntil: Date | null;
  /** Why the last attempt of the buyer failed. */
  failure: { code: DeclineCode; message: string } | null;
  /** How many cards were declined, as far as this reply says: what is known of it only grows. */
  declines: number;
  /** Null unless it was to be saved, and was. */
  savedMethod: ProviderSavedMethod | null;
}

/** What the buyer does next. */
export type NextAction = { type: 'client_secret'; clientSecret: string } | { type: 'redirect'; url: string };

export interface Started {
  facts: Facts;
  /** Null if the buyer has nothing to do. */
  next: NextAction | null;
}

/**
 * `done`: it happened; `declined`: it did not and will not; `uncertain`: unknown, as after a time-out, a lost connection, 409, 429 and 5xx, so
 * it is looked up. A provider that cannot be reached, and a key that was revoked, are `uncertain` too: the operation can be tried again.
 */
export type Outcome<T> =
  | { kind: 'done'; value: T }
  | { kind: 'declined'; code: DeclineCode; message: string; retry: boolean }
  /** `isSpent`: the service repeats this outcome for the key, so that another attempt needs the next one. */
  | { kind: 'uncertain'; cause: string; isSpent?: true };

/** A call for one operation, which is known at the provider by its id. */
export interface ProviderCall {
  account: ProviderAccount;
  /** Is written into the provider's metadata, and found there. */
  operationId: number;
  /** Idempotency key. Amount and parameters never change under one key. */
  key: string;
  currency: ProviderCurrency;
  /** Aborted when the time for the call is over. */
  signal: AbortSignal;
}

export interface StartCall extends ProviderCall {
  companyId: number;
  paymentId: number;
  amount: Minor;
  /** The provider's name of a method, or `any`. */
  kind: string;
  /** `later`: authorized now, captured by a call of its own. */
  capture: 'at_once' | 'later';
  /** What the buyer reads at the provider. */
  description: string;
  /** Where the buyer returns to after a page of the provider. */
  returnUrl: string;
  webhookUrl: string;
  /** Whether the means of payment is kept for later charges. */
  save: boolean;
  /** A saved method with which the buyer pays, and may have to be authenticated; null: the buyer enters one. */
  token: string | null;
}

/** A charge of a saved method while the buyer is absent. */
export interface ChargeCall extends Omit<StartCall, 'kind' | 'capture' | 'returnUrl' | 'save' | 'token'> {
  token: string;
}

/** A call about a payment that the provider knows. */
export interface PaymentCall extends ProviderCall {
  ref: string;
}

export interface AmountCall extends PaymentCall {
  amount: Minor;
}

/** An operation whose outcome is unknown. */
export interface SoughtOperation {
  id: number;
  kind: 'start' | 'charge' | 'capture' | 'cancel' | 'refund';
  amount: Minor;
  /** Of the payment; null until a `start` or `charge` is known. */
  ref: string | null;
  /** When the operation was first called. */
  since: Date;
}

export interface Asked {
  account: ProviderAccount;
  currency: ProviderCurrency;
  signal: AbortSignal;
}

/**
 * A payment service. Its methods never throw for what the service or the network does: they return an outcome. `fetch` and `find` throw
 * ProviderUnavailable instead. Nothing but them is believed about the state of a payment. See docs/design/payments.md.
 */
export interface PaymentProvider {
  name: PaymentService;
  /** How long the service remembers an idempotency key. */
  keyLifetimeMs: number;
  /** Tries the account, and returns the names of the methods it offers. Throws ProviderUnavailable, AccountRefused. */
  methods(asked: Asked): Promise<string[]>;
  /** Begins a payment in which the buyer takes part. */
  start(call: StartCall): Promise<Outcome<Started>>;
  /** Charges a saved method. `authentication_required` is a decline. */
  charge(call: ChargeCall): Promise<Outcome<Facts>>;
  capture(call: AmountCall): Promise<Outcome<Facts>>;
  cancel(call: PaymentCall): Promise<Outcome<Facts>>;
  refund(call: AmountCall): Promise<Outcome<Facts>>;
  /** Returns the state of a payment. Throws ProviderUnavailable, also for a payment that the account does not have. */
  fetch(asked: Asked, ref: string): Promise<Facts>;
  /** Returns the payment of an operation if the operation has happened; never from an index that lags. Throws ProviderUnavailable. */
  find(asked: Asked, operation: SoughtOperation): Promise<Started | 'not_found'>;
  /** Deletes a saved method at the service. Throws ProviderUnavailable. */
  forget(asked: Asked, token: string): Promise<void>;
  /** Verifies a webhook where the service signs; returns what it is about. Null: not genuine. `ref` is null if it is about no payment. */
  readWebhook(
    raw: Buffer,
    headers: Readonly<Record<string, string | undefined>>,
    asked: { secrets: readonly string[]; now: Date },
  ): { dedupeKey: string; ref: string | null } | null;
}

/** The service cannot be reached, or does not say. */
export class ProviderUnavailable extends Error {
  constructor(cause: string) {
    super(cause);
    this.name = 'ProviderUnavailable';
  }
}

/** The service refuses the keys of the account. */
export class AccountRefused extends Error {
  constructor(cause: string) {
    super(cause);
    this.name = 'AccountRefused';
  }
}
