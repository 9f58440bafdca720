import type { Minor } from '../money.ts';
import type { PaymentMethod } from './methods/method.ts';
import { awaitedPayment, type PaymentRow } from './payment.ts';
import type { OrderPaymentStatus } from './status.ts';

/** Charges: what the buyer owes. Payments: what the shop received, less what it gave back. */
export const ENTRY_KINDS = ['order', 'credit', 'cancel', 'manual', 'refund'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
const CHARGES: readonly EntryKind[] = ['order', 'credit', 'cancel'];

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

/** Money by a manual method. */
export interface ReceivedMoney {
  method: PaymentMethod;
  amount: Minor;
  reference: string | null;
  /** `YYYY-MM-DD`. */
  receivedOn: string | null;
}

/** What is given back of one payment. */
export interface PaidBack {
  payment: PaymentRow;
  amount: Minor;
}

interface Writer {
  timeZone: string;
  actor: string;
  now: Date;
}

/**
 * The ledger and the payments of one order, while they change in a transaction: the caller has locked the order and its payments, and
 * writes `entries`, `changed` and `balance` afterwards. Pure.
 */
export class OrderBooks {
  readonly orderId: number;
  /** Oldest first. */
  readonly payments: PaymentRow[];
  readonly changed = new Set<PaymentRow>();
  readonly entries: LedgerEntry[] = [];
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
    this.writer = writer;
    this.payments = kept === null ? [] : [...kept.payments];
    const balance = kept?.balance ?? null;
    const { charged, paid, refunded } = balance ?? { charged: 0, paid: 0, refunded: 0 };
    this.charged = charged;
    this.paid = paid;
    this.refunded = refunded;
    if (balance === null) this.enter({ kind: 'order', amount: order.total, cause: 'order' });
  }

  get balance(): Balance {
    const { charged, paid, refunded } = this;
    return { charged, paid, refunded, payment_status: this.status() };
  }

  /** What the buyer owes; below 0, what the shop does. */
  get owed(): Minor {
    return this.charged - this.paid + this.refunded;
  }

  /** Adds a payment that began with the order or its cart. */
  expect(payment: PaymentRow): void {
    payment.order_id = this.orderId;
    this.payments.push(payment);
    this.touch(payment);
  }

  /** Awaits what is owed by a manual method, in place of other methods. `newId` becomes the id of the payment if there is none. */
  await(method: PaymentMethod, newId: number): PaymentRow {
    const same = this.awaited().find(({ method_id }) => method_id === method.id);
    if (same !== undefined) return same;
    this.stopAwaiting();
    const payable = { cartId: null, orderId: this.orderId, amount: this.owed, reservedUntil: null };
    const payment = awaitedPayment(method, newId, payable, this.writer);
    this.expect(payment);
    return payment;
  }

  /** Adds money to the payment that awaits it, or to a new one with the id `newId`. Once nothing is owed, nothing is awaited any more. */
  receive({ method, amount, reference, receivedOn }: ReceivedMoney, newId: number): PaymentRow {
    let payment = this.awaited().find(({ method_id }) => method_id === method.id);
    if (payment === undefined) {
      const payable = { cartId: null, orderId: this.orderId, amount, reservedUntil: null };
      payment = awaitedPayment(method, newId, payable, this.writer);
      payment.reference = reference;
      this.expect(payment);
    }
    payment.captured += amount;
    if (payment.captured >= payment.amount) payment.status = 'paid';
    this.touch(payment);
    const cause = `payment ${payment.id} received ${payment.captured}`;
    this.enter({ kind: 'manual', amount, cause, payment, reference, receivedOn });
    if (this.owed <= 0) this.stopAwaiting();
    else this.askForNoMore();
    return payment;
  }

  /** Ends a payment that awaits money. */
  stop(payment: PaymentRow): void {
    // What has arrived was all of it.
    if (payment.captured > 0) payment.amount = payment.captured;
    payment.status = payment.captured > 0 ? 'paid' : 'cancelled';
    this.touch(payment);
  }

  /** Gives back money. The buyer is credited with what was not paid too much. */
  refund(refundId: number, parts: readonly PaidBack[]): void {
    const amount = parts.reduce((sum, part) => sum + part.amount, 0);
    const credit = Math.max(0, amount - Math.max(0, -this.owed));
    if (credit > 0) this.enter({ kind: 'credit', amount: -credit, cause: `refund ${refundId}`, refundId });
    for (const { payment, amount: part } of parts) {
      if (payment.status === 'action_required') this.stop(payment);
      payment.refunded += part;
      payment.status = payment.refunded === payment.captured ? 'refunded' : 'partially_refunded';
      this.touch(payment);
      const cause = `refund ${refundId} payment ${payment.id}`;
      this.enter({ kind: 'refund', amount: -part, cause, payment, refundId });
    }
  }

  /** Takes back what is still charged, because the order is cancelled. */
  cancel(): void {
    this.stopAwaiting();
    if (this.charged > 0) this.enter({ kind: 'cancel', amount: -this.charged, cause: 'cancellation' });
  }

  private awaited(): PaymentRow[] {
    return this.payments.filter(({ status }) => status === 'action_required');
  }

  /** Ends all payments that await money. */
  stopAwaiting(): void {
    for (const payment of this.awaited()) this.stop(payment);
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
    refundId?: number;
    reference?: string | null;
    receivedOn?: string | null;
  }): void {
    const { kind, amount, cause, payment, refundId = null, reference = null, receivedOn = null } = entry;
    if (kind === 'refund') this.refunded -= amount;
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
    });
  }

  private status(): OrderPaymentStatus {
    if (this.paid > 0 && this.refunded === this.paid) return 'refunded';
    if (this.refunded > 0) return 'partially_refunded';
    if (this.paid > 0) return this.owed <= 0 ? 'paid' : 'partially_paid';
    return this.awaited().length > 0 ? 'pending' : 'failed';
  }
}
