import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../../lib/schemas.ts';
import { PAYMENT_SERVICES } from '../providers/provider.ts';
import { ACCOUNT_MODES } from './account.ts';

const Moment = Type.String({ format: 'date-time' });

export const PaymentAccount = Type.Object({
  id: Id,
  provider: OneOf(PAYMENT_SERVICES),
  mode: OneOf(ACCOUNT_MODES, { description: 'test: no real money is taken' }),
  name: Type.String(),
  active: Type.Boolean({ description: 'Whether buyers can pay through it' }),
  publishable_key: Nullable(Type.String({ description: 'What browsers send to Stripe; null for Mollie' })),
  secret_end: Nullable(Type.String({ description: 'The last four characters of the secret key; null without one' })),
  webhook_url: Type.String({ description: 'Where the service sends its webhooks; not to be published' }),
  created_at: Moment,
  updated_at: Moment,
});
export type PaymentAccount = Static<typeof PaymentAccount>;

const Name = Trimmed({ minLength: 1, maxLength: 100 });
const Key = (description: string) => Type.String({ minLength: 8, maxLength: 300, pattern: '^[!-~]+$', description });
const SecretKey = Key('sk_… or rk_… of Stripe, test_… or live_… of Mollie. It must be of the mode');
const PublishableKey = Key('pk_… of Stripe, which needs it; not for Mollie');
const WebhookSecret = Key('whsec_… of Stripe; not for Mollie, which does not sign webhooks');

export const PaymentAccountInput = Type.Object({
  provider: OneOf(PAYMENT_SERVICES),
  mode: OneOf(ACCOUNT_MODES),
  name: Name,
  secret_key: SecretKey,
  publishable_key: Type.Optional(Nullable(PublishableKey)),
  webhook_secret: Type.Optional(Nullable(WebhookSecret)),
  active: Type.Optional(Type.Boolean({ description: 'false by default' })),
});
export type PaymentAccountInput = Static<typeof PaymentAccountInput>;

export const PaymentAccountPatch = Type.Object({
  name: Type.Optional(Name),
  secret_key: Type.Optional(SecretKey),
  publishable_key: Type.Optional(Nullable(PublishableKey)),
  webhook_secret: Type.Optional(Nullable(WebhookSecret)),
  active: Type.Optional(Type.Boolean()),
});
export type PaymentAccountPatch = Static<typeof PaymentAccountPatch>;

export const CheckedPaymentAccount = Type.Object({
  id: Id,
  ok: Type.Boolean({ description: 'Whether the service accepts the keys' }),
  methods: Type.Array(Type.String(), { description: 'What the service calls the methods that the account offers' }),
  message: Nullable(Type.String({ description: 'Why the check failed' })),
});
export type CheckedPaymentAccount = Static<typeof CheckedPaymentAccount>;

const common = { scope: 'payments:accounts', tag: 'Payment accounts', status: 200 } as const;
const write = { ...common, confirm: true } as const;

export const listPaymentAccounts = {
  ...common,
  method: 'GET',
  path: '/payment-accounts',
  summary: 'List payment accounts',
  description: 'The oldest first, inactive ones included, without their secrets.',
  data: Type.Object({ payment_accounts: Type.Array(PaymentAccount) }),
} as const satisfies Endpoint;

export const getPaymentAccount = {
  ...common,
  method: 'GET',
  path: '/payment-accounts/{id}',
  summary: 'Read a payment account',
  params: IdParams,
  data: PaymentAccount,
} as const satisfies Endpoint;

export const createPaymentAccount = {
  ...write,
  method: 'POST',
  path: '/payment-accounts',
  summary: 'Add an account at a payment service',
  description:
    'Buyers can pay through it once it is `active` and payment methods name it. Secrets are stored encrypted and never shown again. At most 10 accounts.',
  body: PaymentAccountInput,
  data: PaymentAccount,
  status: 201,
} as const satisfies Endpoint;

export const updatePaymentAccount = {
  ...write,
  method: 'PATCH',
  path: '/payment-accounts/{id}',
  summary: 'Change a payment account',
  description:
    'Absent fields do not change. Provider and mode are fixed. A new `webhook_secret` is accepted next to the one that it replaces; null removes both. Methods of an inactive account are not offered.',
  params: IdParams,
  body: PaymentAccountPatch,
  data: PaymentAccount,
} as const satisfies Endpoint;

export const deletePaymentAccount = {
  ...write,
  method: 'DELETE',
  path: '/payment-accounts/{id}',
  summary: 'Delete a payment account with its secrets',
  description: 'Refused with `in_use` while a payment method or a payment refers to it: deactivate it instead.',
  params: IdParams,
  data: Type.Object({ id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

export const checkPaymentAccount = {
  ...common,
  method: 'POST',
  path: '/payment-accounts/{id}/check',
  summary: 'Try a payment account',
  description:
    'Asks the service, even for an inactive account, which methods it offers, and returns the result within 15 seconds. Nothing is charged.',
  params: IdParams,
  data: CheckedPaymentAccount,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const paymentAccountEndpoints: readonly Endpoint[] = [
  listPaymentAccounts,
  getPaymentAccount,
  createPaymentAccount,
  updatePaymentAccount,
  deletePaymentAccount,
  checkPaymentAccount,
];
