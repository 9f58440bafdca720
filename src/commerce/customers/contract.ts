import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';

/** What is not known is an empty text, never null. */
export const Customer = Type.Object({
  id: Id,
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  phone: Type.String({ description: 'E.164 where the number could be read, otherwise as it was given' }),
  accepts_marketing: Type.Boolean(),
  shipping_address: Type.String({ description: 'The default address, from which subscriptions are shipped' }),
  shipping_city: Type.String(),
  shipping_state: Type.String(),
  shipping_zip: Type.String(),
  shipping_country: Type.String({ description: 'ISO 3166 alpha-2' }),
  metadata: FreeForm,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Customer = Static<typeof Customer>;

/** An empty text or null takes the value away. */
function Clearable(maxLength: number, description?: string) {
  return Type.Optional(Nullable(Trimmed({ maxLength, description })));
}

const Email = Trimmed({ minLength: 1, maxLength: 254, description: 'Unique without regard to case' });
const fields = {
  first_name: Clearable(200),
  last_name: Clearable(200),
  phone: Clearable(64, "Read with the customer's, else the shop's country where it has no country code"),
  accepts_marketing: Type.Optional(Type.Boolean()),
  shipping_address: Clearable(500),
  shipping_city: Clearable(200),
  shipping_state: Clearable(100),
  shipping_zip: Clearable(20),
  shipping_country: Clearable(100, 'ISO 3166 code or English name'),
  metadata: Type.Optional(FreeForm),
};
const Password = Type.String({ minLength: 8, maxLength: 200, description: 'Never returned' });

export const CustomerInput = Type.Object({ email: Email, password: Type.Optional(Nullable(Password)), ...fields });
export type CustomerInput = Static<typeof CustomerInput>;

export const CustomerPatch = Type.Object({ email: Type.Optional(Email), ...fields });
export type CustomerPatch = Static<typeof CustomerPatch>;

export const CustomerQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Parts of names, e-mail address or phone number' })),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'The whole address, in any case' })),
  ...pageQuery(25),
});
export type CustomerQuery = Static<typeof CustomerQuery>;

export const PasswordCheck = Type.Object({ customer_id: Id, valid: Type.Boolean() });
export type PasswordCheck = Static<typeof PasswordCheck>;

export const listCustomers = {
  method: 'GET',
  path: '/customers',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'List customers',
  description: 'Newest first. Filters combine.',
  query: CustomerQuery,
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
  description: 'Sets the fields that are given; `metadata` as a whole.',
  params: IdParams,
  body: CustomerPatch,
  data: Customer,
  status: 200,
} as const satisfies Endpoint;

export const deleteCustomer = {
  method: 'DELETE',
  path: '/customers/{id}',
  scope: 'customers:write',
  confirm: true,
  tag: 'Customers',
  summary: 'Erase a customer',
  description:
    'Takes names, e-mail address, phone, password, addresses, metadata and notes away, and erases the contact that the customer is on the marketing side. Orders stay with their amounts, items, state and country; their street, city, postal code and tracking number are emptied: ship or cancel open ones first. Subscriptions are cancelled, points stay. The id stays taken and is not found any more.',
  params: IdParams,
  data: Type.Object({ id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

/** Both sides: the customer as the shop has them, and the contact that they are on the marketing side. */
export const CustomerExport = Type.Object({
  customer: Customer,
  orders: Type.Array(FreeForm, { description: 'As by GET /orders/{id}, with their history' }),
  subscriptions: Type.Array(FreeForm, { description: 'As by GET /subscriptions/{id}, with their history' }),
  loyalty_ledger: Type.Array(FreeForm),
  contact: Nullable(FreeForm),
  consents: Type.Array(FreeForm, { description: 'This and what follows as by GET /contacts/{id}/export' }),
  memberships: Type.Array(FreeForm),
  events: Type.Array(FreeForm),
  messages: Type.Array(FreeForm),
  activity: Type.Array(FreeForm),
  flow_runs: Type.Array(FreeForm),
  notifications: Type.Array(FreeForm),
  mails: Type.Array(FreeForm),
  form_submissions: Type.Array(FreeForm),
});
export type CustomerExport = Static<typeof CustomerExport>;

export const exportCustomer = {
  method: 'GET',
  path: '/customers/{id}/export',
  scope: 'customers:read',
  tag: 'Customers',
  summary: 'Everything that is stored about a customer',
  description:
    'On both sides. Streamed. Two exports of a company run at a time; a further one is refused with 429 and Retry-After.',
  streams: true,
  params: IdParams,
  data: CustomerExport,
  status: 200,
} as const satisfies Endpoint;

export const setPassword = {
  method: 'POST',
  path: '/customers/{id}/password',
  scope: 'customers:write',
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
  scope: 'customers:read',
  tag: 'Customers',
  summary: "Check a customer's password",
  description:
    'For the sign-in of a shop. `valid` is false for a customer without a password too. Ten wrong ones in 15 minutes are answered; further attempts get 429 until these are over.',
  params: IdParams,
  body: Type.Object({ password: Type.String({ maxLength: 200 }) }),
  data: PasswordCheck,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const customerEndpoints: readonly Endpoint[] = [
  listCustomers,
  getCustomer,
  createCustomer,
  updateCustomer,
  deleteCustomer,
  exportCustomer,
  setPassword,
  verifyPassword,
];
