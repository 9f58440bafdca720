import { exponentOf } from '../../../../lib/currency.ts';
import type { Minor } from '../../../money.ts';
import {
  captureJson,
  chargebackJson,
  customerJson,
  isCancelable,
  type Json,
  listJson,
  mandateJson,
  paymentJson,
  refundJson,
} from './hal.ts';
import {
  capturable,
  capturedOf,
  chargedBackOf,
  type MollieCustomer,
  type MolliePayment,
  type MollieState,
  refundedOf,
} from './state.ts';

export interface ApiResponse {
  status: number;
  /** Null: without a body. */
  body: Json | null;
}

export interface ApiRequest {
  method: string;
  /** Below `/v2/`, with the query. */
  url: URL;
  body: Json;
}

/** A request that the API refuses. */
class Refused extends Error {
  readonly status: number;
  readonly field: string | undefined;
  constructor(status: number, detail: string, field?: string) {
    super(detail);
    this.status = status;
    this.field = field;
  }
}

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export function errorResponse(status: number, detail: string, field?: string): ApiResponse {
  const body: Json = { status, title: TITLES[status] ?? 'Error', detail };
  if (field !== undefined) body.field = field;
  body._links = { documentation: { href: 'https://docs.mollie.com/overview/handling-errors', type: 'text/html' } };
  return { status, body };
}

/** Those that Mollie takes; those of `EURO_METHODS` in EUR alone. */
const CURRENCIES = new Set(
  'AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB TWD USD ZAR'.split(
    ' ',
  ),
);
const EURO_METHODS = new Set(['ideal', 'bancontact', 'banktransfer', 'directdebit']);
const METHODS = ['ideal', 'creditcard', 'bancontact', 'banktransfer', 'directdebit', 'paypal'];
const DELAYED_CAPTURE = new Set(['creditcard', 'klarna']);
const FIRST = new Set(['creditcard', 'ideal', 'bancontact', 'paypal']);

/** In major units. */
const MAXIMUM = 50_000;
const PAGE = { usual: 50, most: 250 };

export interface ApiContext {
  state: MollieState;
  /** The address of the double. */
  root: string;
  /** The longest page of a list. */
  maxPage: number;
  /** How the next charge of a card ends: `paid`, or a reason. */
  nextCharge(): string;
}

/** Processes a request as Mollie's API does. */
export function handle(context: ApiContext, request: ApiRequest): ApiResponse {
  try {
    return route(context, request);
  } catch (error) {
    if (error instanceof Refused) return errorResponse(error.status, error.message, error.field);
    throw error;
  }
}

function route(context: ApiContext, { method, url, body }: ApiRequest): ApiResponse {
  const { state, root } = context;
  const [resource, id, part, partId] = url.pathname.replace(/^\/v2\//, '').split('/');
  const call = [method, resource, id && ':id', part, partId && ':id'].filter(Boolean).join(' ');
  const embed = url.searchParams.get('embed')?.split(',') ?? [];
  const payment = () => found(state.payments.get(id ?? ''), `No payment exists with token ${id}.`);
  const customer = () => found(state.customers.get(id ?? ''), `No customer exists with token ${id}.`);

  switch (call) {
    case 'GET methods':
      return ok(
        listJson(
          'methods',
          METHODS.map((name) => methodJson(name, root)),
          url,
          null,
        ),
      );
    case 'POST payments':
      return created(paymentJson(createPayment(context, body), root, []));
    case 'GET payments':
      return ok(listOf(context, 'payments', state.newestFirst(), url, (each) => paymentJson(each, root, [])));
    case 'GET payments :id':
      return ok(paymentJson(payment(), root, embed));
    case 'DELETE payments :id':
      return ok(paymentJson(cancelPayment(payment(), state), root, []));
    case 'POST payments :id release-authorization':
      release(payment(), state);
      return { status: 202, body: null };
    case 'POST payments :id captures': {
      const of = payment();
      return created(captureJson(of, capturePayment(of, body, state), root));
    }
    case 'GET payments :id captures': {
      const of = payment();
      return ok(listOf(context, 'captures', of.captures, url, (each) => captureJson(of, each, root)));
    }
    case 'POST payments :id refunds': {
      const of = payment();
      return created(refundJson(of, refundPayment(of, body, state), root));
    }
    case 'GET payments :id refunds': {
      const of = payment();
      return ok(listOf(context, 'refunds', [...of.refunds].reverse(), url, (each) => refundJson(of, each, root)));
    }
    case 'GET payments :id chargebacks': {
      const of = payment();
      return ok(listOf(context, 'chargebacks', of.chargebacks, url, (each) => chargebackJson(of, each, root)));
    }
    case 'POST customers':
      return created(customerJson(state.createCustomer(body.metadata ?? null), root));
    case 'GET customers :id':
      return ok(customerJson(customer(), root));
    case 'DELETE customers :id':
      state.customers.delete(customer().id);
      return { status: 204, body: null };
    case 'GET customers :id mandates': {
      const of = customer();
      return ok(listOf(context, 'mandates', of.mandates, url, (each) => mandateJson(of, each, root)));
    }
    case 'GET customers :id mandates :id': {
      const of = customer();
      return ok(mandateJson(of, mandateOf(of, partId), root));
    }
    case 'DELETE customers :id mandates :id':
      mandateOf(customer(), partId).status = 'invalid';
      return { status: 204, body: null };
    default:
      throw new Refused(404, 'The resource does not exist.');
  }
}

const ok = (body: Json): ApiResponse => ({ status: 200, body });
const created = (body: Json): ApiResponse => ({ status: 201, body });

function found<T>(value: T | undefined, detail: string): T {
  if (value === undefined) throw new Refused(404, detail);
  return value;
}

function mandateOf({ mandates }: MollieCustomer, id: string | undefined) {
  return found(
    mandates.find((mandate) => mandate.id === id),
    `No mandate exists with token ${id}.`,
  );
}

function methodJson(id: string, root: string): Json {
  return {
    resource: 'method',
    id,
    description: id,
    minimumAmount: { currency: 'EUR', value: '0.01' },
    maximumAmount: { currency: 'EUR', value: `${MAXIMUM}.00` },
    image: { size1x: '', size2x: '', svg: '' },
    status: 'activated',
    _links: { self: { href: `${root}/v2/methods/${id}`, type: 'application/hal+json' } },
  };
}

function listOf<T extends { id: string }>(
  { maxPage }: ApiContext,
  name: string,
  values: readonly T[],
  url: URL,
  toJson: (value: T) => Json,
): Json {
  const limit = Number(url.searchParams.get('limit') ?? PAGE.usual);
  if (!(limit >= 1 && limit <= PAGE.most)) throw new Refused(400, 'The limit is between 1 and 250.', 'limit');
  const from = url.searchParams.get('from');
  const start = from === null ? 0 : values.findIndex(({ id }) => id === from);
  if (start < 0) throw new Refused(404, `Nothing exists with token ${from}.`, 'from');
  const end = start + Math.min(limit, maxPage);
  const page = values.slice(start, end);
  return listJson(name, page.map(toJson), url, values[end]?.id ?? null);
}

function createPayment({ state, nextCharge }: ApiContext, body: Json): MolliePayment {
  const { currency, amount } = readAmount(body.amount);
  const sequenceType = readSequence(body.sequenceType);
  const method = readMethod(body.method, currency);
  const manualCapture = body.captureMode === 'manual';
  const description = text(body.description);
  if (description === null || description.length > 255)
    throw new Refused(422, 'The description is invalid.', 'description');
  if (manualCapture && method !== null && !DELAYED_CAPTURE.has(method)) {
    throw new Refused(422, `Manual capture is not available for ${method}.`, 'captureMode');
  }
  const customerId = text(body.customerId);
  const customer =
    customerId === null ? null : found(state.customers.get(customerId), `No customer exists with token ${customerId}.`);
  if (sequenceType === 'first' && method !== null && !FIRST.has(method)) {
    throw new Refused(422, `${method} cannot be used for a first payment.`, 'method');
  }
  if (sequenceType !== 'oneoff' && customer === null) throw new Refused(422, 'A customer is required.', 'customerId');
  const redirectUrl = text(body.redirectUrl);
  if (sequenceType !== 'recurring' && redirectUrl === null)
    throw new Refused(422, 'The redirect URL is missing.', 'redirectUrl');
  const values = {
    currency,
    amount,
    description,
    redirectUrl,
    webhookUrl: text(body.webhookUrl),
    metadata: body.metadata ?? null,
    method,
    manualCapture,
    sequenceType,
    customerId,
    mandateId: null,
  };
  if (sequenceType !== 'recurring') return state.create(values);

  const wanted = text(body.mandateId);
  const mandate = customer?.mandates.find(({ id, status }) => status === 'valid' && (wanted === null || id === wanted));
  if (mandate === undefined) throw new Refused(422, 'The customer has no suitable mandates.', 'mandateId');
  const payment = state.create({ ...values, method: mandate.method, mandateId: mandate.id });
  payment.expiresAt = null;
  // A direct debit takes days.
  if (mandate.method === 'directdebit') state.move(payment, 'pending');
  else endCharge(payment, nextCharge(), state);
  return payment;
}

function endCharge(payment: MolliePayment, ends: string, state: MollieState): void {
  if (ends !== 'paid') payment.failureReason = ends;
  state.move(payment, ends === 'paid' ? 'paid' : 'failed');
}

function readSequence(value: unknown): MolliePayment['sequenceType'] {
  if (value === undefined || value === 'oneoff') return 'oneoff';
  if (value === 'first' || value === 'recurring') return value;
  throw new Refused(422, 'The sequence type is invalid.', 'sequenceType');
}

function readMethod(value: unknown, currency: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !METHODS.includes(value)) {
    throw new Refused(422, 'The payment method is not activated on your account.', 'method');
  }
  if (EURO_METHODS.has(value) && currency !== 'EUR') {
    throw new Refused(422, `The payment method ${value} does not support ${currency}.`, 'method');
  }
  return value;
}

/** Returns the amount in minor units by ISO 4217. Mollie takes exactly the decimals of the currency. */
function readAmount(value: unknown): { currency: string; amount: Minor } {
  const { currency, value: decimal } = (value ?? {}) as { currency?: unknown; value?: unknown };
  if (typeof currency !== 'string' || typeof decimal !== 'string')
    throw new Refused(422, 'The amount is missing.', 'amount');
  if (!CURRENCIES.has(currency))
    throw new Refused(422, `The currency ${currency} is not supported.`, 'amount.currency');
  const decimals = exponentOf(currency);
  const form = decimals === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${decimals}}$`);
  if (!form.test(decimal)) throw new Refused(422, `The amount has ${decimals} decimals.`, 'amount');
  const amount = Number(decimal.replace('.', ''));
  if (amount === 0) throw new Refused(422, 'The amount is lower than the minimum.', 'amount');
  if (amount > MAXIMUM * 10 ** decimals) throw new Refused(422, 'The amount is higher than the maximum.', 'amount');
  return { currency, amount };
}

/** The amount of a part of a payment; without one, all that is left. */
function readPart(value: unknown, payment: MolliePayment, left: Minor): Minor {
  if (value === undefined) return left;
  const { currency, amount } = readAmount(value);
  if (currency !== payment.currency)
    throw new Refused(422, 'The currency is not that of the payment.', 'amount.currency');
  if (amount > left) throw new Refused(422, 'The amount is higher than the remaining amount.', 'amount');
  return amount;
}

function cancelPayment(payment: MolliePayment, state: MollieState): MolliePayment {
  if (state.lateSuccesses.delete(payment)) state.move(payment, payment.manualCapture ? 'authorized' : 'paid');
  if (!isCancelable(payment)) throw new Refused(422, 'The payment cannot be canceled.');
  state.move(payment, 'canceled');
  return payment;
}

function release(payment: MolliePayment, state: MollieState): void {
  if (payment.status !== 'authorized') throw new Refused(422, 'The payment has no authorization.');
  state.release(payment);
}

function capturePayment(payment: MolliePayment, body: Json, state: MollieState) {
  if (payment.status !== 'authorized' || payment.releasedAt !== null) {
    throw new Refused(422, 'The payment has a status that does not allow captures.');
  }
  const amount = readPart(body.amount, payment, capturable(payment));
  return state.capture(payment, amount, body.metadata ?? null);
}

function refundPayment(payment: MolliePayment, body: Json, state: MollieState) {
  const left = capturedOf(payment) - refundedOf(payment) - chargedBackOf(payment);
  if (left <= 0) throw new Refused(422, 'The payment has nothing to refund.');
  const amount = readPart(body.amount, payment, left);
  return state.refund(payment, amount, text(body.description) ?? '', body.metadata ?? null);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
