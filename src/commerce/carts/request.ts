import type { Caller } from '../../caller.ts';
import { type OrderRequest, orderRequestOf, type RequestedItem } from '../orders/placing/request.ts';
import type { CartRow, CartValues } from './row.ts';

/** The order that a cart would be; a guest has no customer yet, and custom values are left out. */
export function requestOf(
  cart: CartValues & Partial<Pick<CartRow, 'origin' | 'subscription_id'>>,
  caller: Caller,
): OrderRequest {
  const items = cart.lines.map(({ product_id, qty, price_override }): RequestedItem => {
    return price_override === null ? { product_id, qty } : { product_id, qty, price: price_override };
  });
  const { custom, accepts_marketing, ...fields } = cart;
  const input = {
    ...fields,
    customer_id: cart.customer_id ?? 0,
    shipping_country: cart.shipping_country ?? undefined,
    items: [],
  };
  const request = orderRequestOf(caller, input);
  return { ...request, items, origin: cart.origin ?? request.origin, subscriptionId: cart.subscription_id ?? null };
}
