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
  /** Null where no custom values are given and none required: previews and renewals. */
  custom: Readonly<Record<string, unknown>> | null;
  /** For a renewal: the price agreed at sign-up, which replaces the product's. */
  subscription: { id: number; price: number } | null;
  actor: string;
  /** Null for a renewal that is not traced, since no request caused it. */
  correlation: Correlation | null;
  now: Date;
}

/** Returns the request of a POST /orders body or of a preview, with defaults, without custom values. */
export function orderRequestOf(
  caller: Caller,
  input: Omit<OrderInput, 'external_id' | 'metadata' | 'custom'> & Partial<OrderInput>,
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
    custom: null,
    subscription: null,
    actor: caller.actor,
    correlation: correlationOf(caller),
    now: caller.now,
  };
}

/** Whether custom values are given with the order. */
export function hasValues({ custom }: OrderRequest): boolean {
  return custom !== null && Object.keys(custom).length > 0;
}
