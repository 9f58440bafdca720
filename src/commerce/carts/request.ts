import type { Caller } from '../../caller.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { originOf } from '../orders/origin.ts';
import type { OrderRequest } from '../orders/placing/request.ts';
import type { CartRow, CartValues } from './row.ts';

/** The order that a cart would be; a guest has no customer yet, and custom values are left out. */
export function requestOf(cart: CartValues & { origin?: CartRow['origin'] }, caller: Caller): OrderRequest {
  return {
    customerId: cart.customer_id ?? 0,
    items: cart.lines.map(({ product_id, qty, price_override }) => {
      return price_override === null ? { product_id, qty } : { product_id, qty, price: price_override };
    }),
    address: {
      address: cart.shipping_address,
      city: cart.shipping_city,
      state: cart.shipping_state,
      zip: cart.shipping_zip,
      country: cart.shipping_country,
    },
    promoCode: cart.promo_code,
    redeemPoints: cart.redeem_points,
    shippingMethodId: cart.shipping_method_id,
    locationId: cart.location_id,
    externalId: null,
    metadata: cart.metadata,
    custom: null,
    subscriptionId: null,
    cart: null,
    origin: cart.origin ?? originOf(caller),
    actor: caller.actor,
    correlation: correlationOf(caller),
    now: caller.now,
  };
}
