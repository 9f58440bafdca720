import type { Minor } from '../../money.ts';
import { isOpen, type PaymentRow } from '../payment.ts';
import type { SoughtOperation } from '../providers/provider.ts';

/** What a payment is started with, besides its amount. */
export interface StartInput {
  kind: string;
  capture: 'at_once' | 'later';
  return_url: string;
  save: boolean;
  /** With which the buyer pays; absent: the buyer enters a means of payment. */
  saved_method_id?: number;
}

/** A saved method that is charged while the buyer is absent, or that its service forgets. */
export interface SavedInput {
  saved_method_id: number;
  /** Who charges it; absent: a renewal. */
  by?: 'staff';
}

/** A call to a payment service, before it is written. */
export interface NewOperation {
  payment_id: number;
  /** The refund that it is part of. */
  refund_id: number | null;
  kind: SoughtOperation['kind'] | 'forget';
  amount: Minor;
  input: StartInput | SavedInput | null;
  /** Whether a request calls it; a worker does if that has not happened soon. Absent: by its kind. */
  isAwaited?: boolean;
}

/**
 * `ready`: to be called; `calling`: by the newest claim; `uncertain`: called, with an unknown outcome; `done`: it happened; `declined`: it did not
 * and will not.
 */
export const OPERATION_STATES = ['ready', 'calling', 'uncertain', 'done', 'declined'] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

export interface OperationRow extends NewOperation {
  id: number;
  state: OperationState;
  /** Rises each time that somebody takes it: only the newest may write the outcome. */
  claim: number;
  /** The number of its idempotency key, and when that was first used. */
  key: number;
  keyed_at: Date | null;
  attempts: number;
  error: string | null;
  created_at: Date;
}

/** Returns the saved method with which a payment began; null: with none. */
export function savedMethodIn(operations: readonly OperationRow[]): number | null {
  const begun = operations.find(({ kind }) => isBeginning(kind));
  return begun?.input?.saved_method_id ?? null;
}

/** Whether the operation begins a payment. */
export function isBeginning(kind: NewOperation['kind']): boolean {
  return kind === 'start' || kind === 'charge';
}

/** Whether the operation charges a renewal's cart by itself. Staff charge such carts as well. */
export function isRenewing({ kind, input }: Pick<NewOperation, 'kind' | 'input'>): boolean {
  return kind === 'charge' && (input as SavedInput).by !== 'staff';
}

/** Asks a service to take no more money for a payment. */
export function cancellation({ id: payment_id }: Pick<PaymentRow, 'id'>): NewOperation {
  return { payment_id, refund_id: null, kind: 'cancel', amount: 0, input: null };
}

/** How long a call may take until somebody else takes the operation. */
export const LEASE_MS = 60_000;
/** How long a request waits for a service. */
export const CALL_MS = 10_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** After the first attempts; then hourly. */
const LOOK_UPS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE];
const FETCHES = [10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR];

/** When an operation with an unknown outcome is looked up next. */
export function lookUpAt({ attempts }: Pick<OperationRow, 'attempts'>, now: Date): Date {
  return new Date(now.getTime() + (LOOK_UPS[attempts - 1] ?? HOUR));
}

/** As far as they are counted. */
const MOST_FETCHES = 30_000;

/** Days after which a payment that has ended is fetched, in case that a webhook about a refund or a dispute was lost, or is never sent. */
const CHECKED_DAYS = [1, 7, 30, 90, 180];
/** The same if no money came. */
const CHECKED_DAYS_UNPAID = [1, 7];

/** When a payment is fetched next without a webhook; null: not any more. */
function fetchAt(payment: PaymentRow, now: Date): Date | null {
  if (payment.provider_ref === null) return null;
  if (isOpen(payment) || payment.refund_pending > 0) {
    return new Date(now.getTime() + (FETCHES[payment.fetches] ?? HOUR));
  }
  const begun = payment.created_at.getTime();
  const days = payment.captured > 0 ? CHECKED_DAYS : CHECKED_DAYS_UNPAID;
  const next = days.find((day) => begun + day * DAY > now.getTime());
  return next === undefined ? null : new Date(begun + next * DAY);
}

/** Sets when a payment that was settled is fetched next. */
export function schedule(payment: PaymentRow, now: Date): void {
  payment.fetch_at = fetchAt(payment, now);
  payment.fetches = Math.min(payment.fetches + 1, MOST_FETCHES);
}

/** How long an outcome may be unknown before somebody should look at it. */
const UNCERTAIN_MS = 24 * HOUR;

/** Whether somebody should look at an operation whose outcome is unknown. */
export function isOld({ created_at }: Pick<OperationRow, 'created_at'>, now: Date): boolean {
  return now.getTime() - created_at.getTime() >= UNCERTAIN_MS;
}

/** The idempotency key of an operation. Amount and parameters never change under one key. */
export function keyOf(companyId: number, { id, key }: Pick<OperationRow, 'id' | 'key'>): string {
  return `tl_${companyId}_${id}${key === 1 ? '' : `_${key}`}`;
}
