import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Nullable, OneOf, Trimmed } from '../../../lib/schemas.ts';

const SHOW_STOCK = ['few', 'exact', 'none'] as const;
const WRONG_AMOUNT = ['refund', 'hold'] as const;
const AFTER_RETRIES = ['pause', 'skip', 'cancel'] as const;
const CART_MERGE = ['larger', 'add'] as const;

export const CheckoutSettings = Type.Object({
  store_url: Nullable(Type.String({ description: 'The address of the storefront' })),
  show_stock: OneOf(SHOW_STOCK, {
    description:
      'What buyers see of the stock. few: whether a product is in stock, and from 5 units down that few are left; exact: the quantity as well; none: nothing',
  }),
  cart_merge: OneOf(CART_MERGE, {
    description:
      'What signing in does with a product that is in the cart of the guest and in that of the customer. larger: the larger quantity counts; add: the sum',
  }),
  abandoned_after_minutes: Type.Integer({ description: 'An unchanged cart counts as abandoned after this time' }),
  refund_on_cancel: Type.Boolean({
    description: 'Whether cancelling an order gives back what payment services have received for it',
  }),
  wrong_amount: OneOf(WRONG_AMOUNT, {
    description:
      'What happens to a payment of another amount or currency. refund: it is given back; hold: staff decide',
  }),
  retry_days: Type.Array(Type.Integer(), {
    description: 'How many days after the due date a failed payment of a subscription is tried again',
  }),
  after_retries: OneOf(AFTER_RETRIES, {
    description: 'What happens to a subscription whose last payment failed. skip: its next date is tried',
  }),
});
export type CheckoutSettings = Static<typeof CheckoutSettings>;

export const CheckoutSettingsPatch = Type.Object({
  store_url: Type.Optional(
    Nullable(
      Trimmed({ minLength: 1, maxLength: 500, description: 'Begins with https://, or http:// on localhost. No query' }),
    ),
  ),
  show_stock: Type.Optional(OneOf(SHOW_STOCK)),
  cart_merge: Type.Optional(OneOf(CART_MERGE)),
  abandoned_after_minutes: Type.Optional(Type.Integer({ minimum: 15, maximum: 10_080 })),
  refund_on_cancel: Type.Optional(Type.Boolean()),
  wrong_amount: Type.Optional(OneOf(WRONG_AMOUNT)),
  retry_days: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 60 }), { maxItems: 10, description: 'Ascending' }),
  ),
  after_retries: Type.Optional(OneOf(AFTER_RETRIES)),
});
export type CheckoutSettingsPatch = Static<typeof CheckoutSettingsPatch>;

export const getCheckoutSettings = {
  method: 'GET',
  path: '/checkout-settings',
  scope: 'settings:read',
  tag: 'Settings',
  summary: 'Read the checkout settings',
  data: CheckoutSettings,
  status: 200,
} as const satisfies Endpoint;

export const updateCheckoutSettings = {
  method: 'PATCH',
  path: '/checkout-settings',
  scope: 'settings:write',
  tag: 'Settings',
  summary: 'Change the checkout settings',
  body: CheckoutSettingsPatch,
  data: CheckoutSettings,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const checkoutSettingsEndpoints: readonly Endpoint[] = [getCheckoutSettings, updateCheckoutSettings];
