import Type, { type Static } from 'typebox';
import {
  AccountEmail,
  AddressInput,
  AddressPatch,
  Code,
  CustomerAddress,
  LoginInput,
  PasswordInput,
  RegisterInput,
  VerifyInput,
} from '../../commerce/customers/accounts/schemas.ts';
import { Customer, CustomerExport, CustomerPatch } from '../../commerce/customers/schemas.ts';
import { LoyaltyBalance } from '../../commerce/loyalty/contract.ts';
import { SavedPaymentMethod } from '../../commerce/payments/saved/contract.ts';
import {
  cancelSubscription as commerceCancel,
  pauseSubscription as commercePause,
  OwnSubscriptionPatch,
  Subscription,
} from '../../commerce/subscriptions/contract.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, OneOf, pageQuery } from '../../lib/schemas.ts';
import { StoreOrder } from '../orders/contract.ts';

const { properties: customer } = Customer;

/** The fields of the commerce API that the customer sees. */
export const StoreCustomer = Type.Object({
  id: customer.id,
  email: customer.email,
  email_verified: customer.email_verified,
  first_name: customer.first_name,
  last_name: customer.last_name,
  phone: customer.phone,
  accepts_marketing: customer.accepts_marketing,
  shipping_address: customer.shipping_address,
  shipping_city: customer.shipping_city,
  shipping_state: customer.shipping_state,
  shipping_zip: customer.shipping_zip,
  shipping_country: customer.shipping_country,
  created_at: customer.created_at,
});
export type StoreCustomer = Static<typeof StoreCustomer>;

const { customer_id, cancel_reason, ...ownSubscription } = Subscription.properties;

/** The same of a subscription. Staff may have written the reason of its cancellation. */
export const StoreSubscription = Type.Object(ownSubscription);
export type StoreSubscription = Static<typeof StoreSubscription>;

const { properties: patch } = CustomerPatch;

const OwnPatch = Type.Object({
  email: Type.Optional(AccountEmail),
  code: Type.Optional(Code),
  first_name: patch.first_name,
  last_name: patch.last_name,
  phone: patch.phone,
  shipping_address: patch.shipping_address,
  shipping_city: patch.shipping_city,
  shipping_state: patch.shipping_state,
  shipping_zip: patch.shipping_zip,
  shipping_country: patch.shipping_country,
});
export type OwnPatch = Static<typeof OwnPatch>;

const Sent = Type.Object({ sent: Type.Boolean() });
export const NewSession = Type.Object({
  token: Type.String({
    description: 'For `Authorization: Bearer`. Valid for 30 days without use, and 180 days at most',
  }),
  customer: StoreCustomer,
});
const Session = Type.Object({
  id: Id,
  created_at: Type.String({ format: 'date-time' }),
  used_at: Type.String({ format: 'date-time', description: 'Exact to an hour' }),
  current: Type.Boolean({ description: 'Whether the request was made with it' }),
});
export type Session = Static<typeof Session>;
const Consent = Type.Object({ accepts_marketing: Type.Boolean() });
export const Deleted = Type.Object({ id: Id, deleted: Type.Boolean() });

const guest = { method: 'POST', scope: 'store', tag: 'Accounts', status: 200, limitedBy: 'store_sign_ins' } as const;
const own = { scope: 'store', tokens: ['customer'], status: 200 } as const;
const account = { ...own, tag: 'Accounts' } as const;
const subscriptions = { ...own, tag: 'Subscriptions' } as const;

export const register = {
  ...guest,
  path: '/customers/register',
  summary: 'Register',
  description:
    'Mails a code, with which `POST /customers/verify` opens the account. The response is the same for every address, known or not.',
  body: RegisterInput,
  data: Sent,
} as const satisfies Endpoint;

export const sendCode = {
  ...guest,
  path: '/customers/code',
  summary: 'Ask for a code',
  description:
    'Mails six digits, valid for 10 minutes and 5 attempts, in place of the last ones. At most 6 an hour for an address from one network, and 20 from all. The response is the same for every address, known or not.',
  body: Type.Object({ email: AccountEmail }),
  data: Sent,
} as const satisfies Endpoint;

export const verify = {
  ...guest,
  tokens: ['cart'],
  tokensOptional: true,
  path: '/customers/verify',
  summary: 'Open an account, or sign in, by a code',
  description:
    'Opens the account of the address if there is none, a guest’s included, and signs in. A `password` is optional; it replaces the present one and signs the customer out everywhere else. The first code at an address ends an earlier password and its sessions, since whoever set them had not shown that the address is theirs. The open cart of the `X-Cart-Token` becomes the customer’s.',
  body: VerifyInput,
  data: NewSession,
  returnsSecret: true,
} as const satisfies Endpoint;

export const login = {
  ...guest,
  tokens: ['cart'],
  tokensOptional: true,
  path: '/customers/login',
  summary: 'Sign in by password or code',
  description:
    'With either. A code signs in once: without a cart token, a request with it is not repeatable. 401 `wrong_credentials` does not tell what is wrong, or whether the address is known. The open cart of the `X-Cart-Token` becomes the customer’s, or part of the one that they have.',
  body: LoginInput,
  data: NewSession,
  returnsSecret: true,
} as const satisfies Endpoint;

export const logout = {
  ...account,
  method: 'POST',
  path: '/customers/logout',
  summary: 'Sign out',
  body: Type.Object({}),
  bodyOptional: true,
  data: Deleted,
} as const satisfies Endpoint;

export const getMe = {
  ...account,
  method: 'GET',
  path: '/me',
  summary: 'Read one’s own data',
  data: StoreCustomer,
} as const satisfies Endpoint;

export const updateMe = {
  ...account,
  method: 'PATCH',
  path: '/me',
  summary: 'Change one’s own data',
  description:
    'Sets the fields that are given. Another `email` needs the `code` that `POST /me/code` with `change_email` has sent to it.',
  body: OwnPatch,
  data: StoreCustomer,
} as const satisfies Endpoint;

export const deleteMe = {
  ...account,
  method: 'DELETE',
  path: '/me',
  summary: 'Delete one’s account and data',
  description:
    'Needs the code that `POST /me/code` with `erase` has sent. Orders stay with their amounts, without the person. Cannot be undone.',
  body: Type.Object({ code: Code }),
  data: Deleted,
} as const satisfies Endpoint;

export const sendOwnCode = {
  ...account,
  method: 'POST',
  path: '/me/code',
  summary: 'Ask for a code for a change that needs one',
  description: '`change_email` mails it to the new address in `email`, `erase` to the present one.',
  body: Type.Object({ purpose: OneOf(['change_email', 'erase']), email: Type.Optional(AccountEmail) }),
  data: Sent,
  limitedBy: 'store_sign_ins',
  repeatable: true,
} as const satisfies Endpoint;

export const changePassword = {
  ...account,
  method: 'PUT',
  path: '/me/password',
  summary: 'Set one’s password',
  description: 'Ends the other sessions. Without the present password, set a new one by `POST /customers/verify`.',
  body: PasswordInput,
  data: StoreCustomer,
} as const satisfies Endpoint;

export const listSessions = {
  ...account,
  method: 'GET',
  path: '/me/sessions',
  summary: 'List where one is signed in',
  description: 'Newest first, at most 100.',
  data: Type.Array(Session),
} as const satisfies Endpoint;

export const endSession = {
  ...account,
  method: 'DELETE',
  path: '/me/sessions/{id}',
  summary: 'End a session',
  params: IdParams,
  data: Deleted,
} as const satisfies Endpoint;

export const listAddresses = {
  ...account,
  method: 'GET',
  path: '/me/addresses',
  summary: 'List one’s addresses',
  description: 'Oldest first.',
  data: Type.Array(CustomerAddress),
} as const satisfies Endpoint;

export const addAddress = {
  ...account,
  method: 'POST',
  path: '/me/addresses',
  summary: 'Add an address',
  description: 'At most 20.',
  body: AddressInput,
  data: CustomerAddress,
  status: 201,
} as const satisfies Endpoint;

export const updateAddress = {
  ...account,
  method: 'PATCH',
  path: '/me/addresses/{id}',
  summary: 'Change an address',
  params: IdParams,
  body: AddressPatch,
  data: CustomerAddress,
} as const satisfies Endpoint;

export const removeAddress = {
  ...account,
  method: 'DELETE',
  path: '/me/addresses/{id}',
  summary: 'Remove an address',
  params: IdParams,
  data: Deleted,
} as const satisfies Endpoint;

export const getConsent = {
  ...account,
  method: 'GET',
  path: '/me/consent',
  summary: 'Read one’s consent to marketing e-mail',
  data: Consent,
} as const satisfies Endpoint;

export const updateConsent = {
  ...account,
  method: 'PATCH',
  path: '/me/consent',
  summary: 'Change one’s consent to marketing e-mail',
  body: Consent,
  data: Consent,
} as const satisfies Endpoint;

export const exportMe = {
  ...account,
  method: 'GET',
  path: '/me/export',
  summary: 'Everything that is stored about oneself',
  description:
    'As `GET /customers/{id}/export` of the commerce API. Orders and the data of the marketing side are left out until `email_verified` is true. Streamed.',
  streams: true,
  data: CustomerExport,
} as const satisfies Endpoint;

export const listOrders = {
  ...own,
  tag: 'Orders',
  method: 'GET',
  path: '/me/orders',
  summary: 'List one’s orders',
  description: 'Newest first. Orders placed as a guest only once `email_verified` is true.',
  query: Type.Object(pageQuery(25)),
  data: Type.Array(StoreOrder),
} as const satisfies Endpoint;

export const getOrder = {
  ...own,
  tag: 'Orders',
  method: 'GET',
  path: '/me/orders/{id}',
  summary: 'Read one of one’s orders',
  params: IdParams,
  data: StoreOrder,
} as const satisfies Endpoint;

export const getLoyalty = {
  ...own,
  tag: 'Loyalty',
  method: 'GET',
  path: '/me/loyalty',
  summary: 'Read one’s points',
  data: LoyaltyBalance,
} as const satisfies Endpoint;

export const listSavedMethods = {
  ...account,
  method: 'GET',
  path: '/me/saved-payment-methods',
  summary: 'List one’s saved payment methods',
  description: 'Newest first.',
  data: Type.Array(SavedPaymentMethod),
} as const satisfies Endpoint;

export const removeSavedMethod = {
  ...account,
  method: 'DELETE',
  path: '/me/saved-payment-methods/{id}',
  summary: 'Remove a saved payment method',
  description: 'The payment service is told to forget it.',
  params: IdParams,
  data: Deleted,
} as const satisfies Endpoint;

export const listSubscriptions = {
  ...subscriptions,
  method: 'GET',
  path: '/me/subscriptions',
  summary: 'List one’s subscriptions',
  description: 'Newest first.',
  query: Type.Object(pageQuery(25)),
  data: Type.Array(StoreSubscription),
} as const satisfies Endpoint;

export const getSubscription = {
  ...subscriptions,
  method: 'GET',
  path: '/me/subscriptions/{id}',
  summary: 'Read one of one’s subscriptions',
  params: IdParams,
  data: StoreSubscription,
} as const satisfies Endpoint;

export const updateSubscription = {
  ...subscriptions,
  method: 'PATCH',
  path: '/me/subscriptions/{id}',
  summary: 'Change quantity, frequency, next date, address or saved payment method',
  description:
    'With `saved_method_id` of `GET /me/saved-payment-methods`, orders are charged to it before they are placed; with null, they are placed without a payment. Fields that are left out stay as they are. Refused while the next order is being paid.',
  params: IdParams,
  body: OwnSubscriptionPatch,
  data: StoreSubscription,
} as const satisfies Endpoint;

export const pauseSubscription = {
  ...subscriptions,
  method: 'POST',
  path: '/me/subscriptions/{id}/pause',
  summary: 'Pause a subscription, until a date or until it is resumed',
  params: IdParams,
  body: commercePause.body,
  bodyOptional: true,
  data: StoreSubscription,
} as const satisfies Endpoint;

export const resumeSubscription = {
  ...subscriptions,
  method: 'POST',
  path: '/me/subscriptions/{id}/resume',
  summary: 'Resume a paused subscription',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: StoreSubscription,
} as const satisfies Endpoint;

export const skipSubscription = {
  ...subscriptions,
  method: 'POST',
  path: '/me/subscriptions/{id}/skip',
  summary: 'Skip the next date',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: StoreSubscription,
} as const satisfies Endpoint;

export const cancelSubscription = {
  ...subscriptions,
  method: 'POST',
  path: '/me/subscriptions/{id}/cancel',
  summary: 'Cancel a subscription at once',
  params: IdParams,
  body: commerceCancel.body,
  bodyOptional: true,
  data: StoreSubscription,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const storeAccountEndpoints: readonly Endpoint[] = [
  register,
  sendCode,
  verify,
  login,
  logout,
  getMe,
  updateMe,
  deleteMe,
  sendOwnCode,
  changePassword,
  listSessions,
  endSession,
  listAddresses,
  addAddress,
  updateAddress,
  removeAddress,
  getConsent,
  updateConsent,
  exportMe,
  listOrders,
  getOrder,
  getLoyalty,
  listSavedMethods,
  removeSavedMethod,
  listSubscriptions,
  getSubscription,
  updateSubscription,
  pauseSubscription,
  resumeSubscription,
  skipSubscription,
  cancelSubscription,
];
