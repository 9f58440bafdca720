import type { Caller } from '../../caller.ts';
import type { CheckoutPayment, Payment } from './contract.ts';
import type { PayKind } from './pay-links.ts';

/** Why something cannot be paid as it is; also the keys of texts. */
export const PAY_PROBLEMS = [
  'out_of_stock',
  'not_sold',
  'shipping',
  'promo',
  'points',
  'incomplete',
  'method',
  'total_changed',
  'declined',
  'in_progress',
  'other',
] as const;
export type PayProblem = (typeof PAY_PROBLEMS)[number];

/** What is paid. Amounts are in major units. */
export interface PayBill {
  currency: string;
  lines: {
    name: string;
    title: string | null;
    qty: number;
    amount: number;
    problem: 'out_of_stock' | 'not_sold' | null;
  }[];
  /** Between the lines and the total; those that are 0 are not shown. */
  sums: { kind: 'subtotal' | 'discount' | 'shipping' | 'tax' | 'tax_included' | 'paid'; amount: number }[];
  total: number;
}

/** What the page of a pay link shows. */
export type PayView =
  /** With `problems`, it cannot be paid as it is. `declined`: the payment before was. */
  | { state: 'open'; bill: PayBill; problems: readonly PayProblem[]; declined: boolean }
  /** A payment is under way. */
  | { state: 'waiting'; bill: PayBill; payment: Payment }
  /** There is an order, and nothing is left to pay here. */
  | { state: 'placed'; orderId: number; payment: Payment | null }
  | { state: 'closed' };

/** What buyers do on the page of a pay link, for one kind of target. */
export interface Payable {
  /** Throws not_found. */
  view(caller: Caller, id: number): Promise<PayView>;
  /** Begins to pay the total that the buyer was shown, and returns the payment by then. Throws what prevents it. */
  pay(
    caller: Caller,
    id: number,
    choice: { methodId: number | null; expectedTotal: number },
  ): Promise<CheckoutPayment | null>;
  /** Asks the services of payments that are under way how they are. Throws not_found. */
  refresh(caller: Caller, id: number): Promise<void>;
  /** Ends a payment whose money has not arrived, so that another method can be chosen; the service may not let it. */
  reopen(caller: Caller, id: number): Promise<void>;
}

export type Payables = Readonly<Partial<Record<PayKind, Payable>>>;

const PROBLEM_OF: Record<string, PayProblem> = {
  insufficient_stock: 'out_of_stock',
  out_of_stock: 'out_of_stock',
  variant_required: 'not_sold',
  not_sold: 'not_sold',
  shipping_unavailable: 'shipping',
  cart_not_ready: 'incomplete',
  payment_method_unavailable: 'method',
  total_changed: 'total_changed',
  revision_mismatch: 'total_changed',
  payment_declined: 'declined',
  payment_in_progress: 'in_progress',
  loyalty_disabled: 'points',
  below_min_redeem: 'points',
  insufficient_points: 'points',
};

/** Returns the problem that a reason of the API means to a buyer. */
export function payProblem(reason: string): PayProblem {
  return PROBLEM_OF[reason] ?? (reason.startsWith('promo_') ? 'promo' : 'other');
}
