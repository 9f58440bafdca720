import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery } from '../../../lib/schemas.ts';
import { PAYMENT_SERVICES } from '../providers/provider.ts';

export const SavedPaymentMethod = Type.Object({
  id: Id,
  provider: OneOf(PAYMENT_SERVICES),
  label: Type.String({ description: 'Such as Visa •••• 4242' }),
  brand: Nullable(Type.String()),
  last4: Nullable(Type.String()),
  expires_on: Nullable(CalendarDate),
  created_at: Type.String({ format: 'date-time' }),
});
export type SavedPaymentMethod = Static<typeof SavedPaymentMethod>;

export const RemovedMethod = Type.Object({ id: Id, deleted: Type.Boolean() });
export type RemovedMethod = Static<typeof RemovedMethod>;

const common = { tag: 'Customers', status: 200 } as const;

export const listSavedMethods = {
  ...common,
  scope: 'customers:read',
  method: 'GET',
  path: '/customers/{id}/saved-payment-methods',
  summary: "List a customer's saved payment methods",
  description: 'Newest first. A customer saves one by `save_method` in `POST /cart/pay` of the store interface.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(SavedPaymentMethod),
} as const satisfies Endpoint;

export const removeSavedMethod = {
  ...common,
  scope: 'customers:write',
  method: 'DELETE',
  path: '/customers/{id}/saved-payment-methods/{method_id}',
  summary: "Remove a customer's saved payment method",
  description:
    'The payment service is told to forget it. Subscriptions that name it are no longer charged: their next payment fails, and the customer gets a link to pay.',
  mayRefuse: true,
  params: Type.Object({ id: Id, method_id: Id }),
  data: RemovedMethod,
} as const satisfies Endpoint;

export const savedMethodEndpoints: readonly Endpoint[] = [listSavedMethods, removeSavedMethod];
