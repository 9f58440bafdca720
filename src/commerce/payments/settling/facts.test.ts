import { expect, test } from 'vitest';
import { newPayment } from '../payment.ts';
import type { Facts } from '../providers/provider.ts';
import { applyFacts, NO_OPERATIONS } from './facts.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const METHOD = {
  id: 1,
  provider: 'stripe',
  kind: 'any',
  name: 'Card',
  description: null,
  instructions: null,
  account_id: 2,
  position: 0,
  active: true,
  staff_only: false,
  places: 'when_paid',
  reserve_minutes: 30,
  capture: 'at_once',
  min_total: null,
  max_total: null,
} as const;
const FACTS: Facts = {
  ref: 'pi_1',
  status: 'captured',
  currency: 'EUR',
  amount: 1_000,
  authorized: 1_000,
  captured: 1_000,
  refunds: [],
  disputes: [],
  cancelable: false,
  authorizedUntil: null,
  failure: null,
  declines: 0,
  savedMethod: null,
};
const paid = () => {
  const payable = { cartId: null, orderId: 7, amount: 1_000, reservedUntil: null };
  return newPayment(METHOD, 20, payable, { timeZone: 'UTC', accounts: [], now: NOW });
};
const told = { open: NO_OPERATIONS, currency: 'EUR', byHand: 0 };

test('an older reply takes nothing back of what is known to be refunded or charged back', () => {
  const payment = paid();
  const refunds = [{ ref: 're_1', amount: 300, status: 'succeeded', operationId: null }] as const;
  const disputes = [{ ref: 'dp_1', amount: 200, status: 'lost', respondBy: null }] as const;
  applyFacts(payment, { ...FACTS, refunds, disputes }, { ...told, isFresh: true });
  expect(payment).toMatchObject({ captured: 1_000, refunded: 300, disputed: 200, status: 'partially_refunded' });
  applyFacts(payment, FACTS, { ...told, isFresh: false });
  expect(payment).toMatchObject({ captured: 1_000, refunded: 300, disputed: 200, status: 'partially_refunded' });
  applyFacts(payment, FACTS, { ...told, isFresh: true });
  expect(payment).toMatchObject({ refunded: 0, disputed: 0, status: 'paid' });
});
