import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { ACCOUNT_MODES } from './accounts/account.ts';
import { ENTRY_KINDS } from './books.ts';
import { PROVIDERS } from './methods/method.ts';
import { OPERATION_STATES } from './operations/operation.ts';
import { ATTENTIONS } from './payment.ts';
import { DECLINE_CODES } from './providers/provider.ts';
import { ORDER_PAYMENT_STATUSES, PAYMENT_STATUSES } from './status.ts';

export const Payment = Type.Object({
  id: Id,
  cart_id: Nullable(Type.Integer()),
  order_id: Nullable(Type.Integer({ description: 'null until the order is placed' })),
  method_id: Id,
  provider: OneOf(PROVIDERS),
  account_id: Nullable(Type.Integer({ description: 'The account at the payment service; null for manual methods' })),
  mode: Nullable(OneOf(ACCOUNT_MODES, { description: 'Of the account: test takes no real money' })),
  provider_ref: Nullable(Type.String({ description: "The payment service's id of it" })),
  label: Type.String({ description: 'The name of the method at that time' }),
  amount: Type.Number(),
  authorized: Type.Number({ description: 'What the buyer has authorized at a service, with what was captured of it' }),
  authorized_until: Nullable(Type.String({ format: 'date-time', description: 'An authorization ends then' })),
  captured: Type.Number({ description: 'What was received' }),
  refunded: Type.Number({ description: 'What was given back of it' }),
  refund_pending: Type.Number({ description: 'What the service was asked to give back, and has not sent' }),
  disputed: Type.Number({ description: 'What was charged back, less what the shop won' }),
  dispute_due_by: Nullable(
    Type.String({ format: 'date-time', description: 'Until when the shop can respond to a dispute, at the service' }),
  ),
  currency: Type.String({ description: 'ISO 4217' }),
  status: OneOf(PAYMENT_STATUSES, {
    description:
      'created: the service has not replied; action_required: the buyer must act, or the money is awaited; processing: accepted, with the outcome to come; authorized: not captured in full; paid: received in full; partially_refunded, refunded: given back or charged back; failed, cancelled: no money was or will be taken',
  }),
  failure: Nullable(
    Type.Object({ code: OneOf(DECLINE_CODES), message: Type.String() }, { description: 'Why the last attempt failed' }),
  ),
  attention: Nullable(
    OneOf(ATTENTIONS, {
      description:
        'Why somebody should look at it. wrong_amount: another amount or currency was paid; dispute: the buyer has it charged back; capture_declined: the service has refused to capture what was authorized; uncertain: the service has not said for a day what became of an operation',
    }),
  ),
  wrong: Type.Boolean({
    description:
      'Its money is of another amount or currency than was asked for: it pays no cart or order, and no ledger has it',
  }),
  instructions: Nullable(Type.String({ description: 'What the method tells the buyer' })),
  reference: Nullable(Type.String({ description: 'What the buyer states with a transfer, or staff noted' })),
  due_on: Nullable(Type.String({ format: 'date', description: 'The goods are reserved until then' })),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Payment = Static<typeof Payment>;

const PaymentOperation = Type.Object({
  id: Id,
  kind: OneOf(['start', 'charge', 'capture', 'cancel', 'refund', 'forget'] as const),
  amount: Type.Number(),
  state: OneOf(OPERATION_STATES, {
    description:
      'ready: to be called; calling; uncertain: called, the outcome is looked up; done: it happened; declined: it did not and will not',
  }),
  refund_id: Nullable(Type.Integer()),
  attempts: Type.Integer(),
  error: Nullable(Type.String()),
  created_at: Type.String({ format: 'date-time' }),
});
export type PaymentOperation = Static<typeof PaymentOperation>;

export const PaymentDetail = Type.Object({
  ...Payment.properties,
  operations: Type.Array(PaymentOperation, { description: 'Calls to the payment service, oldest first' }),
});
export type PaymentDetail = Static<typeof PaymentDetail>;

export const CheckoutPayment = Type.Object({
  ...Payment.properties,
  client_secret: Nullable(Type.String({ description: "With it, the service's script in the buyer's browser pays" })),
  publishable_key: Nullable(Type.String({ description: 'For that script' })),
  redirect_url: Nullable(Type.String({ description: 'Where the buyer pays, and returns from to `return_url`' })),
});
export type CheckoutPayment = Static<typeof CheckoutPayment>;

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
  provider: Type.Optional(OneOf(PROVIDERS)),
  attention: Type.Optional(
    OneOf([...ATTENTIONS, 'any'], { description: 'Those that somebody should look at, for this reason or for any' }),
  ),
  ends_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Those whose authorization ends before this moment' }),
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
  data: PaymentDetail,
  status: 200,
} as const satisfies Endpoint;

export const cancelPayment = {
  method: 'POST',
  path: '/payments/{id}/cancel',
  scope: 'payments:write',
  tag,
  summary: 'Cancel a payment',
  description:
    'One that is awaited, or whose money a service has not captured. The payment of a cart ends its reservation, as `POST /carts/{id}/reopen` does. Of a payment that was received in part, only that part remains. One with `wrong` money is given back. A payment service is waited for, 10 seconds at most; `operations` shows what it has done.',
  params: IdParams,
  mayRefuse: true,
  data: PaymentDetail,
  status: 200,
} as const satisfies Endpoint;

export const CaptureInput = Type.Object({
  amount: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 9_999_999_999.99, description: 'All that is authorized if absent' }),
  ),
});
export type CaptureInput = Static<typeof CaptureInput>;

export const capturePayment = {
  method: 'POST',
  path: '/payments/{id}/capture',
  scope: 'payments:write',
  tag,
  summary: 'Capture an authorized payment',
  description:
    'In whole or in part. The payment service is waited for, 10 seconds at most; `operations` shows what it has done.',
  params: IdParams,
  body: CaptureInput,
  bodyOptional: true,
  data: PaymentDetail,
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
  capturePayment,
  listOrderPayments,
  recordPayment,
  getLedger,
  createOrderPayLink,
];
