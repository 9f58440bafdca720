import type { Behavior } from './cards.ts';

/** Objects of Stripe with those of their fields that matter here. References are ids, as long as they are not expanded. */
export interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_capturable: number;
  amount_received: number;
  allowed_payment_method_types: string[] | null;
  automatic_payment_methods: { enabled: true } | null;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: 'automatic' | 'manual';
  client_secret: string;
  created: number;
  currency: string;
  customer: string | null;
  description: string | null;
  last_payment_error: object | null;
  latest_charge: string | null;
  livemode: false;
  metadata: Record<string, string>;
  next_action: { type: 'use_stripe_sdk' } | { type: 'redirect_to_url'; redirect_to_url: { return_url: string } } | null;
  payment_method: string | null;
  payment_method_types: string[];
  setup_future_usage: 'off_session' | 'on_session' | null;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'requires_capture' | 'succeeded' | 'canceled';
}

export interface Charge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  created: number;
  currency: string;
  disputed: boolean;
  failure_code: string | null;
  failure_message: string | null;
  metadata: Record<string, string>;
  paid: boolean;
  payment_intent: string;
  payment_method: string;
  payment_method_details: object;
  refunded: boolean;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  /** Null: no money moved, since the amount was authorized only. */
  balance_transaction: string | null;
  charge: string;
  created: number;
  currency: string;
  failure_reason?: string;
  metadata: Record<string, string>;
  payment_intent: string;
  reason: string | null;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  balance_transactions: { id: string; amount: number; currency: string }[];
  charge: string;
  created: number;
  currency: string;
  evidence_details: { due_by: number | null; has_evidence: boolean; past_due: boolean; submission_count: number };
  is_charge_refundable: boolean;
  metadata: Record<string, string>;
  payment_intent: string;
  reason: string;
  status: 'needs_response' | 'warning_needs_response' | 'won' | 'lost';
}

export interface Customer {
  id: string;
  object: 'customer';
  created: number;
  metadata: Record<string, string>;
}

export interface Method {
  id: string;
  object: 'payment_method';
  type: string;
  card?: { brand: string; last4: string; exp_month: number; exp_year: number };
  us_bank_account?: { last4: string };
  created: number;
  customer: string | null;
}

/** All that a double knows. */
export interface Store {
  intents: Map<string, Intent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  customers: Map<string, Customer>;
  methods: Map<string, Method>;
  behaviors: Map<string, Behavior>;
}

export function createStore(): Store {
  return {
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    customers: new Map(),
    methods: new Map(),
    behaviors: new Map(),
  };
}

/** Returns the PaymentIntent as the API shows it, with references expanded that `expand` names. */
export function shownIntent(
  store: Store,
  intent: Intent,
  expand: readonly string[] = [],
): Record<string, unknown> & { id: string } {
  const charge = intent.latest_charge === null ? null : store.charges.get(intent.latest_charge)!;
  const method = intent.payment_method === null ? null : store.methods.get(intent.payment_method)!;
  const shown: Record<string, unknown> & { id: string } = { ...intent };
  if (expand.includes('latest_charge')) shown.latest_charge = charge;
  if (expand.includes('payment_method')) shown.payment_method = method;
  return shown;
}

/** Returns what a buyer's browser sees of it. */
export function publicIntent({ metadata: _metadata, customer: _customer, ...intent }: Intent): object {
  return intent;
}

/** What a PaymentIntent came to, in Stripe's minor units. */
export interface BooksLine {
  amount: number;
  currency: string;
  captured: number;
  /** Refunds that succeeded; `pending`: those that may. */
  refunded: number;
  pending: number;
  /** By disputes that are open or lost. */
  disputed: number;
  status: Intent['status'];
  metadata: Readonly<Record<string, string>>;
}

export function booksOf(store: Store): Map<string, BooksLine> {
  const refunds = [...store.refunds.values()].filter((refund) => refund.balance_transaction !== null);
  const disputes = [...store.disputes.values()].filter(
    ({ status }) => status === 'needs_response' || status === 'lost',
  );
  const sum = (of: readonly { payment_intent: string; amount: number }[], id: string): number =>
    of.reduce((total, one) => total + (one.payment_intent === id ? one.amount : 0), 0);
  const lines = [...store.intents.values()].map((intent) => {
    const line: BooksLine = {
      amount: intent.amount,
      currency: intent.currency,
      captured: intent.amount_received,
      refunded: sum(
        refunds.filter(({ status }) => status === 'succeeded'),
        intent.id,
      ),
      pending: sum(
        refunds.filter(({ status }) => status === 'pending'),
        intent.id,
      ),
      disputed: sum(disputes, intent.id),
      status: intent.status,
      metadata: intent.metadata,
    };
    return [intent.id, line] as const;
  });
  return new Map(lines);
}
