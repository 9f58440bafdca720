import type { Minor } from '../money.ts';
import type { OrderStatus } from '../orders/status.ts';
import type { PaymentAccount } from './accounts/account.ts';
import type { PaymentMethod } from './methods/method.ts';
import { cancellation, type NewOperation, type StartInput } from './operations/operation.ts';
import { isAwaited, isOpen, isRefusedLater, newPayment, type PaymentRow } from './payment.ts';
import type { Facts } from './providers/provider.ts';
import { type PaidBack, refundableOf, refundableOfOrder } from './refunds/shares.ts';
import { applyFacts, type OpenOperations } from './settling/facts.ts';
import type { OrderPaymentStatus } from './status.ts';

/** Charges: what the buyer owes. Payments: what the shop received, less what it gave back. */
export const ENTRY_KINDS = [
  'order',
  'credit',
  'cancel',
  'manual',
  'capture',
  'refund',
  'refund_reversed',
  'chargeback',
  'chargeback_reversed',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
const CHARGES: readonly EntryKind[] = ['order', 'credit', 'cancel'];
const GIVEN_BACK: readonly EntryKind[] = ['refund', 'refund_reversed', 'chargeback', 'chargeback_reversed'];

export const sideOf = (kind: EntryKind): 'charge' | 'payment' => (CHARGES.includes(kind) ? 'charge' : 'payment');

/** A line of an order's ledger. Lines are never changed. */
export interface LedgerEntry {
  order_id: number;
  kind: EntryKind;
  amount: Minor;
  payment_id: number | null;
  refund_id: number | null;
  /** What it was written for; a cause has at most one entry of a kind. */
  cause: string;
  reference: string | null;
  /** `YYYY-MM-DD`. */
  received_on: string | null;
  actor: string;
  created_at: Date;
}

/** An entry that is not written yet. */
export interface NewEntry extends LedgerEntry {
  /** By how much what was given back of the order's total changes: money that was paid too much is not part of it. */
  net: Minor;
}

/** The sums of an order's ledger. The buyer owes charged − paid + refunded; below 0, the shop does. */
export interface Balance {
  charged: Minor;
  paid: Minor;
  refunded: Minor;
  payment_status: OrderPaymentStatus;
}

export function owed({ charged, paid, refunded }: Balance): Minor {
  return charged - paid + refunded;
}

/** What is owed for an order, which has no ledger before its first payment; 0 for one that is cancelled without. */
export function owedFor(order: { money: Balance | null; status: OrderStatus; total: Minor }): Minor {
  if (order.money !== null) return owed(order.money);
  return order.status === 'cancelled' ? 0 : order.total;
}

/** Money by a manual method. */
export interface ReceivedMoney {
  method: PaymentMethod;
  amount: Minor;
  reference: string | null;
  /** `YYYY-MM-DD`. */
  receivedOn: string | null;
}

interface Writer {
  timeZone: string;
  currency: string;
  accounts: readonly PaymentAccount[];
  actor: string;
  now: Date;
}

/** What a service said, with what is known of the payment besides. */
export interface News {
  facts: Facts;
  open: OpenOperations;
  isFresh: boolean;
  /** Of the payment's entries, `{kind} {cause}`. */
  entered: ReadonlySet<string>;
  /** What staff gave back of it without the service. */
  byHand: Minor;
  /** The refund that an operation is part of, by operation. */
  refundOf: ReadonlyMap<number, number | null>;
}

/** The beginning of the causes of refunds that an import entered. */
export const ELSEWHERE = 'imported refund ';
const BY_HAND = 'refund ';
/** Whether a refund with this cause was given back by hand. */
export const isByHand = (cause: string): boolean => cause.startsWith(BY_HAND);

export const entryKey = (kind: EntryKind, cause: string): string => `${kind} ${cause}`;

/**
 * The ledger and the payments of one order, while they change in a transaction: the caller has locked the order and its payments, and
 * writes `entries`, `changed` and `balance` afterwards. Pure.
 */
export class OrderBooks {
  readonly orderId: number;
  /** Oldest first. */
  readonly payments: PaymentRow[];
  readonly changed = new Set<PaymentRow>();
  readonly entries: NewEntry[] = [];
  /** What services are asked for next. */
  readonly operations: NewOperation[] = [];
  private readonly total: Minor;
  private charged: Minor;
  private paid: Minor;
  private refunded: Minor;
  private readonly writer: Writer;

  /** `kept`: what was written before; null for a new order. A ledger begins with the charge of the order's total. */
  constructor(
    order: { id: number; total: Minor },
    kept: { payments: readonly PaymentRow[]; balance: Balance | null } | null,
    writer: Writer,
  ) {
    this.orderId = order.id;
    this.total = order.total;
    this.writer = writer;
    this.payments = kept === null ? [] : [...kept.payments];
    const balance = kept?.balance ?? null;
    const { charged, paid, refunded } = balance ?? { charged: 0, paid: 0, refunded: 0 };
    this.charged = charged;
    this.paid = paid;
    this.refunded = refunded;
    if (balance === null) this.enter({ kind: 'order', amount: order.total, cause: 'order' });
  }

  get now(): Date {
    return this.writer.now;
  }

  get balance(): Balance {
    const { charged, paid, refunded } = this;
    return { charged, paid, refunded, payment_status: this.status() };
  }

  /** What the buyer owes; below 0, what the shop does. */
  get owed(): Minor {
    return this.charged - this.paid + this.refunded;
  }

  /** Whether money has come, rather than come back. */
  get hasReceived(): boolean {
    return this.entries.some(({ kind }) => kind === 'capture' || kind === 'manual');
  }

  /** What buyers owe of which no capture is under way. */
  get capturable(): Minor {
    return this.payments.reduce((owed, { capture_pending, wrong }) => owed - (wrong ? 0 : capture_pending), this.owed);
  }

  /** Adds a payment that began with the order or its cart. */
  expect(payment: PaymentRow): void {
    payment.order_id = this.orderId;
    this.payments.push(payment);
    this.touch(payment);
  }

  /**
   * Begins to pay what is owed: by a manual method it is awaited, in place of other methods. `newId` becomes the id of the payment if none is
   * under way; `start` starts one by a service.
   */
  await(method: PaymentMethod, newId: number, start: StartInput): PaymentRow {
    const same = this.payments.find((one) => isOpen(one) && one.method_id === method.id);
    if (same !== undefined) return same;
    this.stopAwaiting();
    const payable = { cartId: null, orderId: this.orderId, amount: this.owed, reservedUntil: null };
    const payment = newPayment(method, newId, payable, this.writer);
    this.expect(payment);
    if (payment.provider !== 'manual') {
      const { id: payment_id, amount } = payment;
      this.operations.push({ payment_id, refund_id: null, kind: 'start', amount, input: start });
    }
    return payment;
  }

  /** Adds money to the payment that awaits it, or to a new one with the id `newId`. Once nothing is owed, nothing is awaited any more. */
  receive({ method, amount, reference, receivedOn }: ReceivedMoney, newId: number): PaymentRow {
    let payment = this.awaited().find(({ method_id }) => method_id === method.id);
    if (payment === undefined) {
      const payable = { cartId: null, orderId: this.orderId, amount, reservedUntil: null };
      payment = newPayment(method, newId, payable, this.writer);
      payment.reference = reference;
      this.expect(payment);
    }
    payment.captured += amount;
    if (payment.captured >= payment.amount) payment.status = 'paid';
    this.touch(payment);
    const cause = `payment ${payment.id} received ${payment.captured}`;
    this.enter({ kind: 'manual', amount, cause, payment, reference, receivedOn });
    if (this.owed <= 0) this.stopAwaiting();
    else {
      this.askForNoMore();
      this.stopLarger();
    }
    return payment;
  }

  /** Enters what a service says of a payment of this order. Entries that are known are not made again. */
  settle(payment: PaymentRow, { facts, open, isFresh, entered, byHand, refundOf }: News): void {
    const [due, { captured, status: before }] = [this.owed, { ...payment }];
    const once = (kind: EntryKind, cause: string, entry: { amount: Minor; refundId?: number | null }): void => {
      if (entry.amount !== 0 && !entered.has(entryKey(kind, cause))) this.enter({ kind, cause, payment, ...entry });
    };
    applyFacts(payment, facts, { open, isFresh, byHand, currency: this.writer.currency });
    this.touch(payment);
    if (payment.wrong) return;
    if (payment.captured > captured) {
      const cause = `payment ${payment.id} captured ${payment.captured}`;
      once('capture', cause, { amount: payment.captured - captured });
    }
    for (const { ref, amount, status, operationId } of facts.refunds) {
      const cause = `payment ${payment.id} refund ${ref}`;
      const refundId = operationId === null ? null : (refundOf.get(operationId) ?? null);
      const wasEntered = entered.has(entryKey('refund', cause));
      if (status === 'succeeded') once('refund', cause, { amount: -amount, refundId });
      if (status === 'failed' && wasEntered && isFresh) once('refund_reversed', cause, { amount, refundId });
    }
    for (const { ref, amount, status } of facts.disputes) {
      const cause = `payment ${payment.id} dispute ${ref}`;
      if (status !== 'won') once('chargeback', cause, { amount: -amount });
      else if (entered.has(entryKey('chargeback', cause)) && isFresh) once('chargeback_reversed', cause, { amount });
    }
    const mayStop = isOpen(payment) && payment.status !== before && facts.cancelable;
    if (this.owed > 0) {
      this.askForNoMore();
      // The buyer is not there to try again, and pays by a new payment.
      if (mayStop && isRefusedLater(before, payment)) this.stop(payment);
    } else if (due > 0) this.stopAwaiting();
    // It could not be ended before. For each status once, because a service may refuse again.
    else if (mayStop) this.stop(payment);
  }

  /** Asks the service to capture what was authorized. */
  capture(payment: PaymentRow, amount: Minor): void {
    payment.capture_pending += amount;
    this.operations.push({ payment_id: payment.id, refund_id: null, kind: 'capture', amount, input: null });
    this.touch(payment);
  }

  /** Ends a payment that awaits money. That of a service ends once the service has cancelled it. */
  stop(payment: PaymentRow): void {
    if (payment.provider !== 'manual') {
      const isAsked = this.operations.some(({ kind, payment_id }) => kind === 'cancel' && payment_id === payment.id);
      if (!isAsked) this.operations.push(cancellation(payment));
      this.touch(payment);
      return;
    }
    // What has arrived was all of it.
    if (payment.captured > 0) payment.amount = payment.captured;
    payment.status = payment.captured > 0 ? 'paid' : 'cancelled';
    this.touch(payment);
  }

  /** Gives back money: by hand, or through the services that took it. The buyer is credited with what was not paid too much. */
  refund(refundId: number, parts: readonly PaidBack[], to: 'original' | 'manual' = 'original'): void {
    const amount = parts.reduce((sum, part) => sum + part.amount, 0);
    const credit = Math.max(0, amount - Math.max(0, -this.owedAfterPending()));
    if (credit > 0) this.enter({ kind: 'credit', amount: -credit, cause: `refund ${refundId}`, refundId });
    for (const { payment, amount: part } of parts) {
      if (payment.provider !== 'manual' && to === 'original') {
        this.giveBack(payment, part, refundId);
        continue;
      }
      if (payment.status === 'action_required') this.stop(payment);
      this.enterRefund(payment, part, { cause: `${BY_HAND}${refundId} payment ${payment.id}`, refundId });
    }
  }

  /**
   * Enters money that another system gave back, as an import says: `total` is all of it, with what was entered before. `credit` is what the
   * buyer owes no longer, at most what is charged.
   */
  refundElsewhere(parts: readonly PaidBack[], { total, credit }: { total: Minor; credit: Minor }): void {
    const cause = `${ELSEWHERE}${total}`;
    const amount = Math.min(credit, this.charged);
    if (amount > 0) this.enter({ kind: 'credit', amount: -amount, cause });
    for (const { payment, amount: part } of parts) {
      this.enterRefund(payment, part, { cause: `${cause} payment ${payment.id}`, refundId: null });
    }
  }

  private enterRefund(payment: PaymentRow, amount: Minor, by: { cause: string; refundId: number | null }): void {
    payment.refunded += amount;
    payment.status = payment.refunded === payment.captured ? 'refunded' : 'partially_refunded';
    this.touch(payment);
    this.enter({ kind: 'refund', amount: -amount, payment, ...by });
  }

  /** Gives back all of a payment of wrong money, which the ledger does not have. */
  returnWrong(payment: PaymentRow): void {
    this.giveBack(payment, refundableOf(payment), null);
    if (isOpen(payment)) this.stop(payment);
  }

  /** Asks the service to send money back. The ledger has it once the service says that it succeeded. */
  private giveBack(payment: PaymentRow, amount: Minor, refundId: number | null): void {
    payment.refund_pending += amount;
    this.operations.push({ payment_id: payment.id, refund_id: refundId, kind: 'refund', amount, input: null });
    this.touch(payment);
  }

  /** Takes back what is still charged, because the order is cancelled. */
  chargeNothing(): void {
    if (this.charged > 0) this.enter({ kind: 'cancel', amount: -this.charged, cause: 'cancellation' });
  }

  /** Charges nothing any more, because the order is cancelled, and ends what is under way. `refunds`: services give back what they have captured. */
  cancel({ refunds }: { refunds: boolean }): void {
    this.stopAwaiting();
    this.chargeNothing();
    if (!refunds) return;
    for (const payment of this.payments) {
      const amount = Math.min(refundableOfOrder(payment), -this.owedAfterPending());
      if (payment.provider !== 'manual' && amount > 0) this.giveBack(payment, amount, null);
    }
  }

  /** What the buyer owes once services have sent what they were asked to send. */
  private owedAfterPending(): Minor {
    return this.payments.reduce((owed, { refund_pending, wrong }) => owed + (wrong ? 0 : refund_pending), this.owed);
  }

  private awaited(): PaymentRow[] {
    return this.payments.filter(isAwaited);
  }

  /** Ends all payments that are under way. */
  stopAwaiting(): void {
    for (const payment of this.payments) if (isOpen(payment)) this.stop(payment);
  }

  /** The same for a buyer, who does not take back what was authorized for goods that may have been shipped. */
  stopUnauthorized(): void {
    for (const payment of this.payments) if (isOpen(payment) && payment.status !== 'authorized') this.stop(payment);
  }

  /** A service cannot take less than its payment began with: one that would take more than what is owed ends before the buyer has paid. */
  private stopLarger(): void {
    for (const payment of this.payments) {
      const isAwaited = payment.status === 'created' || payment.status === 'action_required';
      if (payment.provider !== 'manual' && isAwaited && payment.amount > this.owed) this.stop(payment);
    }
  }

  /** Payments that await money ask for no more than what is owed. */
  private askForNoMore(): void {
    for (const payment of this.awaited()) {
      const most = payment.captured + this.owed;
      if (payment.amount <= most) continue;
      payment.amount = most;
      this.touch(payment);
    }
  }

  private touch(payment: PaymentRow): void {
    payment.updated_at = this.writer.now;
    this.changed.add(payment);
  }

  private enter(entry: {
    kind: EntryKind;
    amount: Minor;
    cause: string;
    payment?: PaymentRow;
    refundId?: number | null;
    reference?: string | null;
    receivedOn?: string | null;
  }): void {
    const { kind, amount, cause, payment, refundId = null, reference = null, receivedOn = null } = entry;
    const before = this.givenBack();
    if (GIVEN_BACK.includes(kind)) this.refunded -= amount;
    else if (sideOf(kind) === 'charge') this.charged += amount;
    else this.paid += amount;
    this.entries.push({
      order_id: this.orderId,
      kind,
      amount,
      payment_id: payment?.id ?? null,
      refund_id: refundId,
      cause,
      reference,
      received_on: receivedOn,
      actor: this.writer.actor,
      created_at: this.writer.now,
      net: this.givenBack() - before,
    });
  }

  /** As the function given_back_of of the database. */
  private givenBack(): Minor {
    return Math.min(this.total, Math.max(0, this.refunded - Math.max(0, this.paid - this.total)));
  }

  private status(): OrderPaymentStatus {
    if (this.paid > 0 && this.refunded >= this.paid) return 'refunded';
    if (this.refunded > 0) return 'partially_refunded';
    if (this.paid > 0) return this.owed <= 0 ? 'paid' : 'partially_paid';
    const payments = this.payments.filter(({ wrong }) => !wrong);
    if (payments.some(({ status }) => status === 'authorized')) return 'authorized';
    return payments.some(isOpen) ? 'pending' : 'failed';
  }
}
