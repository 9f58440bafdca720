import { invalid, missing, StripeApiError } from './errors.ts';
import type { Form } from './form.ts';
import type { Machine } from './intents.ts';
import * as intents from './intents.ts';
import { type Intent, publicIntent, shownIntent } from './objects.ts';
import { refund } from './refunds.ts';

export interface ApiContext {
  machine: Machine;
  /** Names of methods that the account takes. */
  types: readonly string[];
  /** Whether the next refunds take days. */
  refundsPend: () => boolean;
  /** Called before a cancellation, for what happens at the last moment. */
  beforeCancel: (intent: Intent) => void;
  /** Items per page at most. */
  maxPage: number;
}

export interface ApiRequest {
  method: string;
  path: string;
  form: Form;
}

/** Amounts that Stripe takes only with these last digits (https://docs.stripe.com/currencies). */
const STEPS: Readonly<Record<string, number>> = { isk: 100, ugx: 100, bhd: 10, jod: 10, kwd: 10, omr: 10, tnd: 10 };
const MAX_AMOUNT = 99_999_999;

/** Processes a request with the secret key. Throws StripeApiError. */
export function processPrivate(context: ApiContext, request: ApiRequest): object {
  const { machine } = context;
  const { form } = request;
  intents.expireAuthorizations(machine);
  const [, resource = '', id, action] = request.path.split('/').map(decodeURIComponent).slice(1);
  switch (`${request.method} ${resource}${id === undefined ? '' : '/id'}${action === undefined ? '' : `/${action}`}`) {
    case 'GET account':
      return account(context);
    case 'POST customers':
      form.allow(['metadata', 'email', 'name', 'description']);
      return createCustomer(machine, form);
    case 'POST payment_intents':
      return createIntent(context, form);
    case 'GET payment_intents':
      return listIntents(context, form);
    case 'GET payment_intents/id':
      form.allow(['expand', 'client_secret']);
      return shownIntent(machine.store, intents.intentOf(machine, id!), form.list('expand'));
    case 'POST payment_intents/id/confirm': {
      form.allow(['payment_method', 'off_session', 'return_url', 'use_stripe_sdk', 'expand']);
      const intent = intents.intentOf(machine, id!);
      intents.confirm(machine, intent, intents.methodOf(machine, form.require('payment_method')), presenceOf(form));
      return shownIntent(machine.store, intent, form.list('expand'));
    }
    case 'POST payment_intents/id/capture': {
      form.allow(['amount_to_capture', 'metadata', 'expand']);
      const intent = intents.intentOf(machine, id!);
      intents.capture(machine, intent, form.integer('amount_to_capture'));
      return shownIntent(machine.store, intent, form.list('expand'));
    }
    case 'POST payment_intents/id/cancel': {
      form.allow(['cancellation_reason', 'expand']);
      const intent = intents.intentOf(machine, id!);
      context.beforeCancel(intent);
      intents.cancel(machine, intent, form.get('cancellation_reason'));
      return shownIntent(machine.store, intent, form.list('expand'));
    }
    case 'POST refunds': {
      form.allow(['payment_intent', 'amount', 'metadata', 'reason', 'expand']);
      const intent = intents.intentOf(machine, form.require('payment_intent'), 'payment_intent');
      const pending = context.refundsPend();
      return refund(machine, intent, { amount: form.integer('amount'), metadata: form.hash('metadata'), pending });
    }
    case 'GET refunds':
      return listOfIntent(context, 'refunds', form);
    case 'GET disputes':
      return listOfIntent(context, 'disputes', form);
    case 'GET charges':
      return listOfIntent(context, 'charges', form);
    case 'POST payment_methods/id/detach':
      return detach(machine, id!);
    default:
      throw new StripeApiError(
        404,
        'invalid_request_error',
        `Unrecognized request URL (${request.method}: ${request.path}).`,
      );
  }
}

function account({ types }: ApiContext): object {
  const capabilities = Object.fromEntries(types.map((type) => [`${type}_payments`, 'active']));
  return {
    id: 'acct_double',
    object: 'account',
    capabilities: { ...capabilities, transfers: 'active', oxxo_payments: 'inactive' },
  };
}

function createCustomer(machine: Machine, form: Form): object {
  const customer = {
    id: machine.id('cus'),
    object: 'customer' as const,
    created: machine.now(),
    metadata: form.hash('metadata'),
  };
  machine.store.customers.set(customer.id, customer);
  return customer;
}

function createIntent(context: ApiContext, form: Form): object {
  const { machine, types } = context;
  form.allow([
    'amount',
    'currency',
    'description',
    'metadata',
    'expand',
    'automatic_payment_methods',
    'allowed_payment_method_types',
    'capture_method',
    'customer',
    'setup_future_usage',
    'payment_method',
    'off_session',
    'confirm',
    'return_url',
    'use_stripe_sdk',
  ]);
  const currency = form.require('currency');
  const amount = amountOf(form, currency);
  const allowed = form.list('allowed_payment_method_types');
  const unknown = allowed.find((type) => !types.includes(type));
  if (unknown !== undefined) {
    throw invalid(`The payment method type "${unknown}" is invalid. Please ensure it is activated in your dashboard.`, {
      code: 'payment_intent_invalid_parameter',
      param: 'allowed_payment_method_types',
    });
  }
  const customer = form.get('customer');
  if (customer !== null && !machine.store.customers.has(customer)) throw missing('customer', customer, 'customer');
  const id = machine.id('pi');
  const intent: Intent = {
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: 0,
    amount_received: 0,
    allowed_payment_method_types: allowed.length > 0 ? allowed : null,
    automatic_payment_methods: form.get('automatic_payment_methods[enabled]') === 'true' ? { enabled: true } : null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: form.get('capture_method') === 'manual' ? 'manual' : 'automatic',
    client_secret: `${id}_secret_${machine.id('s')}`,
    created: machine.now(),
    currency,
    customer,
    description: form.get('description'),
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: form.hash('metadata'),
    next_action: null,
    payment_method: null,
    payment_method_types: allowed.length > 0 ? allowed : [...types],
    setup_future_usage: form.get('setup_future_usage') as Intent['setup_future_usage'],
    status: 'requires_payment_method',
  };
  const confirmed = form.flag('confirm') ? methodToCharge(machine, form, customer) : null;
  machine.store.intents.set(id, intent);
  intents.emitIntent(machine, intent, 'created');
  if (confirmed !== null) intents.confirm(machine, intent, confirmed, presenceOf(form));
  return shownIntent(machine.store, intent, form.list('expand'));
}

/** How a payment is confirmed with the secret key: the buyer is absent, has Stripe.js, or is sent to a page of the bank. */
function presenceOf(form: Form): { offSession: boolean; returnUrl: string | null } {
  const offSession = form.flag('off_session');
  const returnUrl = offSession ? null : form.require('return_url');
  return { offSession, returnUrl: form.flag('use_stripe_sdk') ? null : returnUrl };
}

function methodToCharge(machine: Machine, form: Form, customer: string | null) {
  const id = form.require('payment_method');
  const isUsed = machine.store.methods.get(id)?.customer === null;
  const method = intents.methodOf(machine, id);
  if (method.customer !== null && method.customer !== customer) {
    throw invalid('The provided PaymentMethod is attached to another Customer.', { param: 'payment_method' });
  }
  if (form.flag('off_session') && method.customer === null) {
    throw missing('PaymentMethod', method.id, 'payment_method');
  }
  if (isUsed) {
    const message =
      'The provided PaymentMethod was used without a Customer, or detached from one. It may not be used again.';
    throw invalid(message, { param: 'payment_method' });
  }
  return method;
}

function amountOf(form: Form, currency: string): number {
  form.require('amount');
  const amount = form.integer('amount')!;
  if (amount < 1) {
    throw invalid('This value must be greater than or equal to 1.', {
      code: 'parameter_invalid_integer',
      param: 'amount',
    });
  }
  if (amount > MAX_AMOUNT) {
    throw invalid('Amount must be no more than 999,999.99.', { code: 'amount_too_large', param: 'amount' });
  }
  const step = STEPS[currency] ?? 1;
  if (amount % step !== 0) {
    throw invalid(`Amount must be divisible by ${step} in ${currency}.`, {
      code: 'invalid_charge_amount',
      param: 'amount',
    });
  }
  return amount;
}

function listIntents(context: ApiContext, form: Form): object {
  form.allow(['created', 'customer', 'limit', 'starting_after', 'expand']);
  const { store } = context.machine;
  const from = form.integer('created[gte]') ?? 0;
  const newest = [...store.intents.values()].reverse().filter(({ created }) => created >= from);
  const { data, ...page } = pageOf(context, form, newest, '/v1/payment_intents');
  return { ...page, data: data.map((intent) => shownIntent(store, intent)) };
}

function listOfIntent(context: ApiContext, resource: 'refunds' | 'disputes' | 'charges', form: Form): object {
  form.allow(['payment_intent', 'limit', 'starting_after']);
  const { store } = context.machine;
  const intent = form.require('payment_intent');
  const newest = [...store[resource].values()].reverse().filter((one) => one.payment_intent === intent);
  return pageOf(context, form, newest, `/v1/${resource}`);
}

interface Page<T> {
  object: 'list';
  url: string;
  has_more: boolean;
  data: T[];
}

function pageOf<T extends { id: string }>({ maxPage }: ApiContext, form: Form, all: T[], url: string): Page<T> {
  const limit = Math.min(form.integer('limit') ?? 10, maxPage);
  const after = form.get('starting_after');
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(start, start + limit);
  return { object: 'list', url, has_more: start + limit < all.length, data };
}

function detach(machine: Machine, id: string): object {
  const method = machine.store.methods.get(id);
  if (method === undefined) throw missing('PaymentMethod', id, 'payment_method');
  if (method.customer === null) {
    throw invalid('The payment method you provided is not attached to a customer so detachment is impossible.');
  }
  method.customer = null;
  return method;
}

/** Processes a request of a buyer's browser, with the publishable key and the client secret. */
export function processPublic({ machine }: ApiContext, { method, path, form }: ApiRequest): object {
  intents.expireAuthorizations(machine);
  const [, , id = '', action = ''] = path.split('/').map(decodeURIComponent).slice(1);
  const intent = path.startsWith('/v1/payment_intents/') ? intents.intentOf(machine, id) : null;
  if (intent === null || form.get('client_secret') !== intent.client_secret) {
    throw invalid('The client_secret provided does not match the client_secret of the PaymentIntent.', {
      code: 'payment_intent_invalid_parameter',
      param: 'client_secret',
    });
  }
  if (method === 'POST' && action === 'confirm') {
    const named = form.get('payment_method');
    const number = form.get('payment_method_data[card][number]') ?? '';
    try {
      intents.confirm(machine, intent, intents.methodOf(machine, named ?? number));
    } catch (error) {
      if (error instanceof StripeApiError && error.details.payment_intent)
        error.details.payment_intent = publicIntent(intent);
      throw error;
    }
  } else if (method === 'POST' && action === 'challenge') {
    intents.completeChallenge(machine, intent, form.get('outcome') === 'passed' ? 'passed' : 'failed');
  } else if (method !== 'GET' || action !== '') {
    throw new StripeApiError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`);
  }
  return publicIntent(intent);
}
