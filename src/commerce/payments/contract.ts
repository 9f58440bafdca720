import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { ENTRY_KINDS } from './books.ts';
import { PROVIDERS } from './methods/method.ts';
import { ORDER_PAYMENT_STATUSES, PAYMENT_STATUSES } from './status.ts';

export const Payment = Type.Object({
  id: Id,
  cart_id: Nullable(Type.Integer()),
  order_id: Nullable(Type.Integer({ description: 'null until the order is placed' })),
  method_id: Id,
  provider: OneOf(PROVIDERS),
  label: Type.String({ description: 'The name of the method at that time' }),
  amount: Type.Number(),
  captured: Type.Number({ description: 'What was received' }),
  refunded: Type.Number({ description: 'What was given back of it' }),
  currency: Type.String({ description: 'ISO 4217' }),
  status: OneOf(PAYMENT_STATUSES, {
    description:
      'action_required: the money is awaited; paid: received in full; cancelled: no money was or will be taken',
  }),
  instructions: Nullable(Type.String({ description: 'What the method tells the buyer' })),
  reference: Nullable(Type.String({ description: 'What the buyer states with a transfer, or staff noted' })),
  due_on: Nullable(Type.String({ format: 'date', description: 'The goods are reserved until then' })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Payment = Static<typeof Payment>;

/** What an order shows of its ledger. */
export const orderMoney = {
  payment_status: OneOf(ORDER_PAYMENT_STATUSES, {
    description: 'none: nobody has begun to pay; pending: money is awaited; failed: no money is awaited any more',
  }),
  paid: Type.Number({ description: 'What was received' }),
  refunded: Type.Number({ description: 'What was given back' }),
  balance: Nullable(
    Type.Number({ description: 'What the buyer owes; below 0: what the shop owes; null without a payment' }),
  ),
};

const Amount = Type.Number({ exclusiveMinimum: 0, maximum: 9_999_999_999.99 });

/** Money by a manual method, as staff record it. */
export const MoneyInput = Type.Object({
  method_id: Id,
  amount: Amount,
  reference: Type.Optional(
    Nullable(Trimmed({ maxLength: 100, description: 'Such as the number of a receipt or a transfer' })),
  ),
  received_on: Type.Optional(
    Nullable(
      Type.String({ format: 'date', description: 'YYYY-MM-DD; today, in the time zone of the shop, if absent' }),
    ),
  ),
});
export type MoneyInput = Static<typeof MoneyInput>;

export const PaymentsInput = Type.Array(MoneyInput, {
  maxItems: 10,
  description: 'Money already received by manual methods; needs the scope payments:write',
});

const LedgerEntry = Type.Object({
  id: Id,
  side: OneOf(['charge', 'payment'], {
    description: 'charge: what the buyer owes; payment: what the shop received, less what it gave back',
  }),
  kind: OneOf(ENTRY_KINDS, {
    description:
      'order: the total; credit: the part of a refund that was not paid too much; cancel: what was charged when the order was cancelled; manual: money that staff recorded; refund: money given back',
  }),
  amount: Type.Number({ description: 'Below 0 for credit, cancel and refund' }),
  payment_id: Nullable(Type.Integer()),
  refund_id: Nullable(Type.Integer()),
  reference: Nullable(Type.String()),
  received_on: Nullable(CalendarDate),
  actor: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});
export type LedgerEntry = Static<typeof LedgerEntry>;

const Ledger = Type.Object({
  charged: Type.Number(),
  paid: Type.Number(),
  refunded: Type.Number(),
  balance: orderMoney.balance,
  payment_status: orderMoney.payment_status,
  entries: Type.Array(LedgerEntry, { description: 'Oldest first; none for an order without a payment' }),
});
export type Ledger = Static<typeof Ledger>;

const tag = 'Payments';
const PaymentQuery = Type.Object({
  status: Type.Optional(OneOf(PAYMENT_STATUSES)),
  order_id: Type.Optional(Id),
  due_before: Type.Optional(
    Type.String({ format: 'date', description: 'Those with `due_on` before this day: YYYY-MM-DD' }),
  ),
  ...pageQuery(25),
});
export type PaymentQuery = Static<typeof PaymentQuery>;

export const listPayments = {
  method: 'GET',
  path: '/payments',
  scope: 'payments:read',
  tag,
  summary: 'List payments',
  description: 'Of orders and of carts, newest first.',
  query: PaymentQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Payment),
  status: 200,
} as const satisfies Endpoint;

export const getPayment = {
  method: 'GET',
  path: '/payments/{id}',
  scope: 'payments:read',
  tag,
  summary: 'Read a payment',
  params: IdParams,
  data: Payment,
  status: 200,
} as const satisfies Endpoint;

export const cancelPayment = {
  method: 'POST',
  path: '/payments/{id}/cancel',
  scope: 'payments:write',
  tag,
  summary: 'Stop awaiting a payment',
  description:
    'The payment of a cart ends its reservation, as `POST /carts/{id}/reopen` does. Of a payment that was received in part, only that part remains.',
  params: IdParams,
  mayRefuse: true,
  data: Payment,
  status: 200,
} as const satisfies Endpoint;

export const listOrderPayments = {
  method: 'GET',
  path: '/orders/{id}/payments',
  scope: 'payments:read',
  tag,
  summary: 'List the payments of an order',
  description: 'Newest first.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Payment),
  status: 200,
} as const satisfies Endpoint;

export const recordPayment = {
  method: 'POST',
  path: '/orders/{id}/payments',
  scope: 'payments:write',
  tag,
  summary: 'Record money received for an order',
  description:
    'By a manual method. It is added to the payment of this method that is awaited; without one, it is a payment of its own. Once nothing is owed, other payments are no longer awaited.',
  params: IdParams,
  body: MoneyInput,
  data: Payment,
  status: 201,
} as const satisfies Endpoint;

export const getLedger = {
  method: 'GET',
  path: '/orders/{id}/ledger',
  scope: 'payments:read',
  tag,
  summary: 'Read the ledger of an order',
  description: 'What the buyer owes and what was paid. It begins with the first payment, and lines are never changed.',
  params: IdParams,
  data: Ledger,
  status: 200,
} as const satisfies Endpoint;

export const PayLink = Type.Object({
  url: Type.String({ format: 'uri', description: 'Whoever has it can pay, and sees products and prices' }),
  expires_at: Type.String({ format: 'date-time', description: '30 days from now' }),
});
export type PayLink = Static<typeof PayLink>;

export const PayLinkInput = Type.Object({
  send: Type.Optional(Type.Boolean({ description: 'Whether to mail it to the buyer' })),
});

export const createOrderPayLink = {
  method: 'POST',
  path: '/orders/{id}/pay-link',
  scope: 'payments:write',
  tag,
  summary: 'Make a link to pay an order',
  description:
    'Leads to a page of this server where the buyer sees what is owed, chooses a payment method and pays. Several links of one order are all valid.',
  params: IdParams,
  body: PayLinkInput,
  bodyOptional: true,
  returnsSecret: true,
  data: PayLink,
  status: 200,
} as const satisfies Endpoint;

export const paymentEndpoints: readonly Endpoint[] = [
  listPayments,
  getPayment,
  cancelPayment,
  listOrderPayments,
  recordPayment,
  getLedger,
  createOrderPayLink,
];
