import Type, { type Static } from 'typebox';
import { FreeForm, Id, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { sortNames } from '../../lib/sorting.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { CustomInput, CustomValues } from '../custom-fields/contract.ts';

export const ACCOUNTS = ['none', 'invited', 'active', 'closed'] as const;

/** Unknown fields are empty strings, never null. */
export const Customer = Type.Object({
  id: Id,
  revision: Revision,
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
  account: OneOf(ACCOUNTS, {
    description: '`none`: a guest; `invited`: asked to open an account; `closed`: by the shop',
  }),
  email_verified: Type.Boolean({ description: 'Whether the customer has entered a code that was sent to the address' }),
  metadata: FreeForm,
  custom: CustomValues,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Customer = Static<typeof Customer>;

/** An empty string or null clears the field. */
function Clearable(maxLength: number, description?: string) {
  return Type.Optional(Nullable(Trimmed({ maxLength, description })));
}

const Email = Trimmed({ minLength: 1, maxLength: 254, description: 'Unique without regard to case' });
const fields = {
  first_name: Clearable(200),
  last_name: Clearable(200),
  phone: Clearable(64, "Without a country code, the country is the customer's, else the shop's"),
  accepts_marketing: Type.Optional(Type.Boolean()),
  shipping_address: Clearable(500),
  shipping_city: Clearable(200),
  shipping_state: Clearable(100, 'A code by ISO 3166-2 or an English name; kept as the code'),
  shipping_zip: Clearable(20),
  shipping_country: Clearable(100, 'ISO 3166 code or English name'),
  metadata: Type.Optional(FreeForm),
  custom: Type.Optional(CustomInput),
};
export const Password = Type.String({ minLength: 8, maxLength: 200, description: 'Never returned' });

export const CustomerInput = Type.Object({ email: Email, password: Type.Optional(Nullable(Password)), ...fields });
export type CustomerInput = Static<typeof CustomerInput>;

export const CustomerPatch = Type.Object({ email: Type.Optional(Email), ...fields });
export type CustomerPatch = Static<typeof CustomerPatch>;

export const CustomerQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Parts of names, e-mail address or phone number' })),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'The whole address, in any case' })),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'A tag of the contact that the customer is' }),
  ),
  sort: Type.Optional(
    OneOf(sortNames('spent', 'last_order'), {
      description:
        'The order; newest first where absent. `spent` is the sum of orders that were not cancelled; orders of the last seconds may be missing in both',
    }),
  ),
  ...pageQuery(25),
});
export type CustomerQuery = Static<typeof CustomerQuery>;

export const PasswordCheck = Type.Object({ customer_id: Id, valid: Type.Boolean() });
export type PasswordCheck = Static<typeof PasswordCheck>;

export const MergeInput = Type.Object({ from: Type.Integer({ ...Id, description: 'The customer who goes' }) });
export type MergeInput = Static<typeof MergeInput>;

/** Data of both sides: the customer in the shop, and their contact on the marketing side. */
export const CustomerExport = Type.Object({
  customer: Customer,
  orders: Type.Array(FreeForm, { description: 'As by GET /orders/{id}, with their history' }),
  order_ledger: Type.Array(FreeForm, {
    description: 'What was charged, paid and refunded for the orders, in the smallest unit of the currency',
  }),
  refunds: Type.Array(FreeForm, { description: 'Amounts in the smallest unit of the currency' }),
  saved_payment_methods: Type.Array(FreeForm, { description: 'As by GET /customers/{id}/saved-payment-methods' }),
  subscriptions: Type.Array(FreeForm, { description: 'As by GET /subscriptions/{id}, with their history' }),
  carts: Type.Array(FreeForm, { description: 'Prices in the smallest unit of the currency' }),
  loyalty_ledger: Type.Array(FreeForm),
  addresses: Type.Array(FreeForm, { description: 'The address book of the account' }),
  sessions: Type.Array(FreeForm, { description: 'Where the customer is signed in' }),
  passkeys: Type.Array(FreeForm, { description: 'Without their keys' }),
  notes: Type.Array(FreeForm, { description: 'Those about the customer, and about their orders' }),
  contact: Nullable(FreeForm),
  consents: Type.Array(FreeForm, { description: 'This and the following fields as in GET /contacts/{id}/export' }),
  memberships: Type.Array(FreeForm),
  events: Type.Array(FreeForm),
  messages: Type.Array(FreeForm),
  activity: Type.Array(FreeForm),
  flow_runs: Type.Array(FreeForm),
  notifications: Type.Array(FreeForm),
  mails: Type.Array(FreeForm),
  form_submissions: Type.Array(FreeForm),
  omitted: Type.Array(Type.String(), {
    description:
      'Missing scopes of the key, whose sections are empty: orders:read, subscriptions:read, carts:read, loyalty:read, and marketing:read for the contact and the fields after it',
  }),
});
export type CustomerExport = Static<typeof CustomerExport>;

/** How a customer can sign in to the store interface. */
export const CustomerFigures = Type.Object({
  customer_id: Id,
  currency: Type.String(),
  spent: Type.Number({ description: 'Orders that were not cancelled' }),
  refunded: Type.Number({ description: 'Refunds and chargebacks of these orders, without what was paid too much' }),
  net: Type.Number({ description: '`spent` − `refunded`' }),
  last_order_at: Nullable(Type.String({ format: 'date-time', description: 'Also of a cancelled order' })),
});
export type CustomerFigures = Static<typeof CustomerFigures>;

export const CustomerAccount = Type.Object({
  account: Customer.properties.account,
  email_verified: Customer.properties.email_verified,
  has_password: Type.Boolean(),
  passkeys: Type.Integer(),
  sessions: Type.Integer({ description: 'Where the customer is signed in' }),
  last_seen_at: Nullable(
    Type.String({ format: 'date-time', description: 'The last use of these sessions, exact to an hour' }),
  ),
});
export type CustomerAccount = Static<typeof CustomerAccount>;
