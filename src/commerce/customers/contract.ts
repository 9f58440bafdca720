import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams } from '../../lib/schemas.ts';
import {
  Customer,
  CustomerAccount,
  CustomerExport,
  CustomerFigures,
  CustomerInput,
  CustomerPatch,
  CustomerQuery,
  MergeInput,
  Password,
  PasswordCheck,
} from './schemas.ts';

export const listCustomers = {
  method: 'GET',
  path: '/customers',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'List customers',
  description: 'Newest first unless `sort` is set. Filters combine.',
  query: CustomerQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Customer),
  status: 200,
} as const satisfies Endpoint;

export const getCustomer = {
  method: 'GET',
  path: '/customers/{id}',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'Read a customer',
  params: IdParams,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const getCustomerFigures = {
  method: 'GET',
  path: '/customers/{id}/figures',
  scope: 'orders:read',
  tag: 'Customers',
  summary: 'Read what a customer has spent',
  description:
    'Orders that were not cancelled, refunds and chargebacks up to now, in the currency of the shop. Not found for customers who were erased or merged into another.',
  params: IdParams,
  data: CustomerFigures,
  status: 200,
} as const satisfies Endpoint;

export const createCustomer = {
  method: 'POST',
  path: '/customers',
  scope: 'customers:write',
  tag: 'Customers',
  summary: 'Create a customer',
  description: 'A password is optional; one of those that everybody tries first is refused.',
  body: CustomerInput,
  data: Customer,
  status: 201,
} as const satisfies Endpoint;

export const updateCustomer = {
  method: 'PATCH',
  path: '/customers/{id}',
  scope: 'customers:write',
  tag: 'Customers',
  summary: 'Change a customer',
  description: 'Sets the fields that are given; `metadata` as a whole, `custom` key by key.',
  params: IdParams,
  body: CustomerPatch,
  conditional: true,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const deleteCustomer = {
  method: 'DELETE',
  path: '/customers/{id}',
  scope: 'customers:write',
  personScope: 'customers:erase',
  confirm: true,
  tag: 'Customers',
  summary: 'Erase a customer',
  description:
    'Takes names, e-mail address, phone, password, addresses, metadata, custom fields and notes away, and erases the contact that the customer is on the marketing side. Orders stay with their amounts, items, state and country; their street, city, postal code, tracking number, metadata and custom fields are emptied: ship or cancel open ones first. Subscriptions are cancelled, points stay. The id stays taken and is not found any more. Customers who are paying for a cart cannot be erased.',
  mayRefuse: true,
  params: IdParams,
  data: Type.Object({ id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

export const mergeCustomer = {
  method: 'POST',
  path: '/customers/{id}/merge',
  scope: 'customers:write',
  personScope: 'customers:erase',
  confirm: true,
  tag: 'Customers',
  summary: 'Merge another customer into a customer',
  description:
    'Orders, points, subscriptions and notes of the customer `from` become those of `id`, and so does what only they have: name, phone, address, metadata. E-mail address and password stay those of `id`. The customer `from` is not found any more. The marketing side follows within seconds; who unsubscribed with either address stays unsubscribed. A customer with more than 5,000 orders cannot be `from`.',
  params: IdParams,
  body: MergeInput,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const exportCustomer = {
  method: 'GET',
  path: '/customers/{id}/export',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'Everything that is stored about a customer',
  description:
    'On both sides. Each section needs its own scope (`omitted`). Streamed. Two exports of a company run at a time; a further one is refused with 429 and Retry-After.',
  streams: true,
  params: IdParams,
  data: CustomerExport,
  status: 200,
} as const satisfies Endpoint;

export const setPassword = {
  method: 'POST',
  path: '/customers/{id}/password',
  scope: 'customers:write',
  confirm: true,
  tag: 'Customers',
  summary: "Set a customer's password",
  params: IdParams,
  body: Type.Object({ password: Password }),
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const verifyPassword = {
  method: 'POST',
  path: '/customers/{id}/verify-password',
  unaudited: 'changes nothing',
  scope: 'customers:write',
  tag: 'Customers',
  summary: "Check a customer's password",
  description:
    'For the sign-in of a shop. `valid` is false for a customer without a password and for a closed account too. Ten wrong ones in 15 minutes are permitted; further attempts get 429 until these are over.',
  params: IdParams,
  body: Type.Object({ password: Type.String({ maxLength: 200 }) }),
  data: PasswordCheck,
  status: 200,
} as const satisfies Endpoint;

export const getCustomerAccount = {
  method: 'GET',
  path: '/customers/{id}/account',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'Read how a customer can sign in',
  params: IdParams,
  data: CustomerAccount,
  status: 200,
} as const satisfies Endpoint;

export const inviteCustomer = {
  method: 'POST',
  path: '/customers/{id}/invite',
  scope: 'customers:write',
  tag: 'Customers',
  summary: 'Invite a customer to open an account',
  description:
    'Mails an invitation, in the language of the shop, with the address of the storefront if it is set. Also opens a closed account again. A customer with an account is refused with `not_allowed`.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const closeAccount = {
  method: 'POST',
  path: '/customers/{id}/close-account',
  scope: 'customers:write',
  tag: 'Customers',
  summary: "Close a customer's account",
  description:
    'Signs the customer out, who cannot sign in any more, and whose password is not valid. Passkeys are removed. Nothing else changes.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const endCustomerSessions = {
  method: 'POST',
  path: '/customers/{id}/end-sessions',
  scope: 'customers:write',
  tag: 'Customers',
  summary: 'Sign a customer out everywhere',
  description: 'Passwords and passkeys stay valid.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const customerEndpoints: readonly Endpoint[] = [
  listCustomers,
  getCustomer,
  getCustomerFigures,
  createCustomer,
  updateCustomer,
  deleteCustomer,
  mergeCustomer,
  exportCustomer,
  setPassword,
  verifyPassword,
  getCustomerAccount,
  inviteCustomer,
  closeAccount,
  endCustomerSessions,
];
