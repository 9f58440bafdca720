import type { Caller } from '../../../caller.ts';
import { type Correlation, correlationOf } from '../../../lib/tracing/correlation.ts';
import type { OrderInput } from '../contract.ts';

/** An order to be placed. Its amounts are calculated, never given. */
export interface OrderRequest {
  customerId: number;
  items: readonly { product_id: number; qty: number }[];
  address: { address: string; city: string; state: string; zip: string; country: string | null };
  promoCode: string | null;
  redeemPoints: number;
  shippingMethodId: number | null;
  /** Where all stock is taken; null: at the online locations. */
  locationId: number | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  /** For a renewal: the price agreed at sign-up, which replaces the product's. */
  subscription: { id: number; price: number } | null;
  actor: string;
  /** Null for a renewal that is not traced, since no request caused it. */
  correlation: Correlation | null;
  now: Date;
}

/** Returns the request of a POST /orders body, with defaults. */
export function orderRequestOf(
  caller: Caller,
  input: Omit<OrderInput, 'external_id' | 'metadata'> & Partial<OrderInput>,
): OrderRequest {
  return {
    customerId: input.customer_id,
    items: input.items,
    address: {
      address: input.shipping_address,
      city: input.shipping_city,
      state: input.shipping_state ?? '',
      zip: input.shipping_zip,
      country: input.shipping_country ?? null,
    },
    promoCode: input.promo_code || null,
    redeemPoints: input.redeem_points ?? 0,
    shippingMethodId: input.shipping_method_id ?? null,
    locationId: input.location_id ?? null,
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
    subscription: null,
    actor: caller.actor,
    correlation: correlationOf(caller),
    now: caller.now,
  };
}
