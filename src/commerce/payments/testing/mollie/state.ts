import type { Clock } from '../../../../clock.ts';
import type { Minor } from '../../../money.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export const STATUSES = ['open', 'pending', 'authorized', 'paid', 'failed', 'canceled', 'expired'] as const;
export type MollieStatus = (typeof STATUSES)[number];

/** Where a payment can go by itself; the dashboard's `succeedAfterCancellation` is the exception. */
const MOVES: Record<MollieStatus, readonly MollieStatus[]> = {
  open: ['pending', 'authorized', 'paid', 'failed', 'canceled', 'expired'],
  pending: ['authorized', 'paid', 'failed', 'canceled', 'expired'],
  authorized: ['paid', 'canceled', 'expired'],
  paid: [],
  failed: [],
  canceled: [],
  expired: [],
};

export interface MollieCapture {
  id: string;
  amount: Minor;
  status: 'pending' | 'succeeded' | 'failed';
  metadata: unknown;
  createdAt: Date;
}

export interface MollieRefund {
  id: string;
  amount: Minor;
  status: 'queued' | 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled';
  description: string;
  metadata: unknown;
  createdAt: Date;
}

export interface MollieChargeback {
  id: string;
  amount: Minor;
  createdAt: Date;
  reversedAt: Date | null;
}

export interface MolliePayment {
  id: string;
  createdAt: Date;
  status: MollieStatus;
  currency: string;
  amount: Minor;
  description: string;
  redirectUrl: string | null;
  webhookUrl: string | null;
  metadata: unknown;
  method: string | null;
  manualCapture: boolean;
  sequenceType: 'oneoff' | 'first' | 'recurring';
  customerId: string | null;
  mandateId: string | null;
  failureReason: string | null;
  authorizedAt: Date | null;
  expiresAt: Date | null;
  captureBefore: Date | null;
  /** A release was asked for, and happens after `releaseDelayMs`. */
  releasedAt: Date | null;
  captures: MollieCapture[];
  refunds: MollieRefund[];
  chargebacks: MollieChargeback[];
}

export interface MollieMandate {
  id: string;
  method: 'creditcard' | 'directdebit';
  status: 'valid' | 'invalid';
  createdAt: Date;
}

export interface MollieCustomer {
  id: string;
  metadata: unknown;
  createdAt: Date;
  mandates: MollieMandate[];
}

/** How long what Mollie does in its own time takes on the clock. By default it has happened when Mollie is asked next. */
export interface Delays {
  captureMs: number;
  refundMs: number;
  releaseMs: number;
}

export type NewPayment = Pick<
  MolliePayment,
  | 'currency'
  | 'amount'
  | 'description'
  | 'redirectUrl'
  | 'webhookUrl'
  | 'metadata'
  | 'method'
  | 'manualCapture'
  | 'sequenceType'
  | 'customerId'
  | 'mandateId'
>;

export const sum = (parts: readonly { amount: Minor }[]): Minor =>
  parts.reduce((total, { amount }) => total + amount, 0);

/** What was taken of the buyer. */
export const capturedOf = ({ captures }: MolliePayment): Minor =>
  sum(captures.filter(({ status }) => status === 'succeeded'));

/** What of an authorization can still be captured. */
export const capturable = ({ amount, captures }: MolliePayment): Minor =>
  amount - sum(captures.filter(({ status }) => status !== 'failed'));

/** What was refunded, or will be. */
export const refundedOf = ({ refunds }: MolliePayment): Minor =>
  sum(refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled'));

export const chargedBackOf = ({ chargebacks }: MolliePayment): Minor =>
  sum(chargebacks.filter(({ reversedAt }) => reversedAt === null));

export type MollieState = ReturnType<typeof createMollieState>;

/**
 * The payments of an account at Mollie, and how they change. `changed` is called for each change that Mollie sends a webhook for, as it documents
 * them: another status, a refund that is under way, sent or failed, a chargeback. So not for a capture of a part, and not for a reversal.
 */
export function createMollieState(clock: Clock, changed: (payment: MolliePayment) => void) {
  const payments = new Map<string, MolliePayment>();
  const customers = new Map<string, MollieCustomer>();
  const lateSuccesses = new Set<MolliePayment>();
  const delays: Delays = { captureMs: 0, refundMs: 0, releaseMs: 0 };
  let count = 0;

  function newId(prefix: string): string {
    count += 1;
    return `${prefix}_${count.toString(36).padStart(10, '0')}`;
  }

  const after = (ms: number): Date => new Date(clock.now().getTime() + ms);

  function get(id: string): MolliePayment {
    const payment = payments.get(id);
    if (payment === undefined) throw new Error(`There is no payment ${id}`);
    return payment;
  }

  function move(payment: MolliePayment, status: MollieStatus): void {
    if (!MOVES[payment.status].includes(status)) {
      throw new Error(`${payment.id} is ${payment.status}: it cannot become ${status}`);
    }
    enter(payment, status);
  }

  function enter(payment: MolliePayment, status: MollieStatus): void {
    payment.status = status;
    if (status === 'authorized') {
      payment.authorizedAt = clock.now();
      payment.captureBefore = after(7 * DAY);
    }
    if (status === 'paid' && payment.captures.length === 0) {
      payment.captures.push(newCapture(payment.amount, null, 'succeeded'));
    }
    if ((status === 'paid' || status === 'authorized') && payment.sequenceType === 'first') addMandate(payment);
    changed(payment);
  }

  function newCapture(amount: Minor, metadata: unknown, status: MollieCapture['status']): MollieCapture {
    return { id: newId('cpt'), amount, status, metadata, createdAt: clock.now() };
  }

  function addMandate(payment: MolliePayment): void {
    const customer = customers.get(payment.customerId ?? '');
    if (customer === undefined || payment.mandateId !== null) return;
    const method = payment.method === null || payment.method === 'creditcard' ? 'creditcard' : 'directdebit';
    const mandate: MollieMandate = { id: newId('mdt'), method, status: 'valid', createdAt: clock.now() };
    customer.mandates.push(mandate);
    payment.mandateId = mandate.id;
  }

  /** Ends an authorization; what was captured of it stays. */
  function endAuthorization(payment: MolliePayment, without: 'canceled' | 'expired'): void {
    move(payment, capturedOf(payment) > 0 ? 'paid' : without);
  }

  /** What happens by itself as time passes. */
  function tick(): void {
    const now = clock.now().getTime();
    const due = (from: Date, ms: number): boolean => from.getTime() + ms <= now;
    for (const payment of payments.values()) {
      for (const capture of payment.captures) {
        if (capture.status !== 'pending' || !due(capture.createdAt, delays.captureMs)) continue;
        capture.status = 'succeeded';
        if (payment.status === 'authorized' && capturedOf(payment) >= payment.amount) move(payment, 'paid');
      }
      for (const refund of payment.refunds) {
        if (refund.status !== 'pending' || !due(refund.createdAt, delays.refundMs)) continue;
        refund.status = 'refunded';
        changed(payment);
      }
      if (payment.status === 'open' && payment.expiresAt !== null && due(payment.expiresAt, 0))
        move(payment, 'expired');
      if (payment.status !== 'authorized') continue;
      if (payment.releasedAt !== null && due(payment.releasedAt, delays.releaseMs))
        endAuthorization(payment, 'canceled');
      else if (payment.captureBefore !== null && due(payment.captureBefore, 0)) endAuthorization(payment, 'expired');
    }
  }

  return {
    payments,
    customers,
    delays,
    lateSuccesses,
    changed,
    get,
    move,
    enter,
    endAuthorization,
    tick,
    newestFirst: (): MolliePayment[] => [...payments.values()].reverse(),

    create: (values: NewPayment): MolliePayment => {
      const payment: MolliePayment = {
        ...values,
        id: newId('tr'),
        createdAt: clock.now(),
        status: 'open',
        failureReason: null,
        authorizedAt: null,
        expiresAt: after(values.method === 'banktransfer' ? 14 * DAY : 30 * MINUTE),
        captureBefore: null,
        releasedAt: null,
        captures: [],
        refunds: [],
        chargebacks: [],
      };
      payments.set(payment.id, payment);
      return payment;
    },
    createCustomer: (metadata: unknown): MollieCustomer => {
      const customer: MollieCustomer = { id: newId('cst'), metadata, createdAt: clock.now(), mandates: [] };
      customers.set(customer.id, customer);
      return customer;
    },
    capture: (payment: MolliePayment, amount: Minor, metadata: unknown): MollieCapture => {
      const capture = newCapture(amount, metadata, 'pending');
      payment.captures.push(capture);
      return capture;
    },
    refund: (payment: MolliePayment, amount: Minor, description: string, metadata: unknown): MollieRefund => {
      const refund: MollieRefund = {
        id: newId('re'),
        amount,
        status: 'pending',
        description,
        metadata,
        createdAt: clock.now(),
      };
      payment.refunds.push(refund);
      return refund;
    },
    release: (payment: MolliePayment): void => {
      payment.releasedAt ??= clock.now();
    },
    chargeBack: (payment: MolliePayment, amount: Minor): MollieChargeback => {
      const chargeback: MollieChargeback = { id: newId('chb'), amount, createdAt: clock.now(), reversedAt: null };
      payment.chargebacks.push(chargeback);
      changed(payment);
      return chargeback;
    },
  };
}
