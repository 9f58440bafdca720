import type { Clock } from '../../../../clock.ts';
import type { Minor } from '../../../money.ts';
import { capturable, capturedOf, type MollieRefund, type MollieState, sum } from './state.ts';

export interface MollieBuyer {
  /** Pays; by a method that takes days, see `hold`. */
  pay(id: string): void;
  authorize(id: string): void;
  /** Fails for a reason of cards, or of SEPA for a direct debit; the payment is over. */
  fail(id: string, reason?: string): void;
  cancel(id: string): void;
  /** Ordered a transfer: the payment is `pending` until `pay` or `fail`. */
  hold(id: string): void;
}

export function createBuyer(state: MollieState): MollieBuyer {
  return {
    pay: (id) => state.move(state.get(id), 'paid'),
    authorize: (id) => state.move(state.get(id), 'authorized'),
    fail: (id, reason = 'insufficient_funds') => {
      const payment = state.get(id);
      payment.failureReason = reason;
      state.move(payment, 'failed');
    },
    cancel: (id) => state.move(state.get(id), 'canceled'),
    hold: (id) => state.move(state.get(id), 'pending'),
  };
}

/** Amounts are in minor units by ISO 4217. */
export interface MollieDashboard {
  /** Refunds without metadata, at most what is left; returns the refund's id. */
  refund(id: string, amount: Minor): string;
  /** Fails a refund that has reached `refunded` or is on its way. */
  failRefund(id: string, refundId: string): void;
  moveRefund(id: string, refundId: string, status: MollieRefund['status']): void;
  /** Returns the chargeback's id. By default, all that was captured. */
  chargeBack(id: string, amount?: Minor): string;
  /** Mollie sends no webhook for it. */
  reverseChargeback(id: string, chargebackId: string): void;
  /** Captures without metadata; by default, all that is left. */
  capture(id: string, amount?: Minor): void;
  /** The capture that was asked for last fails; it must be pending (see `delays`). */
  failCapture(id: string): void;
  expireAuthorization(id: string): void;
  /** The buyer did not pay in time. */
  expire(id: string): void;
  /** The money arrives although the payment was cancelled. */
  succeedAfterCancellation(id: string): void;
  /** The buyer's money comes just before the next cancellation arrives. */
  succeedBeforeCancellation(id: string): void;
  /** The payment is of another amount than was asked for. */
  changeAmount(id: string, amount: Minor): void;
  /** The payment is in another currency than was asked for. */
  changeCurrency(id: string, currency: string): void;
  revokeKey(): void;
  restoreKey(): void;
  /** The next charge of a saved card fails for this reason. */
  failNextCharge(reason: string): void;
  /** The mandate that a payment made is not valid any more. */
  revokeMandate(id: string): void;
}

export function createDashboard(
  state: MollieState,
  clock: Clock,
  account: { revoked: boolean; charges: string[] },
): MollieDashboard {
  function partOf<T extends { id: string }>(parts: readonly T[], id: string): T {
    const part = parts.find((each) => each.id === id);
    if (part === undefined) throw new Error(`There is no ${id}`);
    return part;
  }

  function moveRefund(id: string, refundId: string, status: MollieRefund['status']): void {
    const payment = state.get(id);
    partOf(payment.refunds, refundId).status = status;
    if (status !== 'queued' && status !== 'pending') state.changed(payment);
  }

  return {
    refund: (id, amount) => {
      const payment = state.get(id);
      const given = payment.refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled');
      if (amount > capturedOf(payment) - sum(given)) throw new Error(`${id} has less to refund`);
      const refund = state.refund(payment, amount, 'By hand', null);
      state.tick();
      return refund.id;
    },
    failRefund: (id, refundId) => moveRefund(id, refundId, 'failed'),
    moveRefund,
    chargeBack: (id, amount) => {
      const payment = state.get(id);
      return state.chargeBack(payment, amount ?? capturedOf(payment)).id;
    },
    reverseChargeback: (id, chargebackId) => {
      const payment = state.get(id);
      partOf(payment.chargebacks, chargebackId).reversedAt = clock.now();
    },
    capture: (id, amount) => {
      const payment = state.get(id);
      state.capture(payment, amount ?? capturable(payment), null);
      state.tick();
    },
    failCapture: (id) => {
      const payment = state.get(id);
      const capture = payment.captures.at(-1);
      if (capture?.status !== 'pending') throw new Error(`${id} has no pending capture`);
      capture.status = 'failed';
    },
    expireAuthorization: (id) => state.endAuthorization(state.get(id), 'expired'),
    expire: (id) => state.move(state.get(id), 'expired'),
    succeedAfterCancellation: (id) => {
      const payment = state.get(id);
      if (payment.status !== 'canceled') throw new Error(`${id} is not canceled`);
      payment.releasedAt = null;
      state.enter(payment, payment.manualCapture ? 'authorized' : 'paid');
    },
    succeedBeforeCancellation: (id) => {
      state.lateSuccesses.add(state.get(id));
    },
    changeAmount: (id, amount) => {
      state.get(id).amount = amount;
    },
    changeCurrency: (id, currency) => {
      state.get(id).currency = currency;
    },
    revokeKey: () => {
      account.revoked = true;
    },
    restoreKey: () => {
      account.revoked = false;
    },
    failNextCharge: (reason) => {
      account.charges.push(reason);
    },
    revokeMandate: (id) => {
      const payment = state.get(id);
      const mandates = state.customers.get(payment.customerId ?? '')?.mandates ?? [];
      partOf(mandates, payment.mandateId ?? '').status = 'invalid';
    },
  };
}
