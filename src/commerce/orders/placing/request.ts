import type { Caller } from '../../../caller.ts';
import { type Correlation, correlationOf } from '../../../lib/tracing/correlation.ts';
import type { FrozenOrder } from '../../carts/row.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import type { Minor } from '../../money.ts';
import type { MoneyInput } from '../../payments/contract.ts';
import type { PaidCart } from '../../payments/settling/paid-cart.ts';
import type { Billing, OrderInput } from '../contract.ts';
import { type OrderOrigin, originOf } from '../origin.ts';

/** A product that is ordered. `price`, in minor units, replaces the product's: agreed for a subscription, or set by staff. */
export interface RequestedItem {
  product_id: number;
  qty: number;
  price?: number;
}

/** A buyer who is not signed in: the order goes to the customer with this e-mail address. */
export interface Guest {
  /** Normalised. */
  email: string;
  firstName: string;
  lastName: string;
  phone: string | null;
}

/** A saved method that pays. In its own time, the program charges renewals; staff charge it while the buyer is absent. */
export interface SavedUse {
  id: number;
  by: 'buyer' | 'staff' | 'renewal';
}

/** How a cart is paid. */
export interface CartPayment {
  /** Null where nothing is to be paid. */
  methodId: number | null;
  /** By the payment method by which it was saved; null: the buyer enters a means of payment. */
  saved: SavedUse | null;
  /** What the buyer was shown; null: not compared. */
  expectedTotal: Minor | null;
  /** Whether methods for staff only are allowed. */
  isStaff: boolean;
  /** Where the buyer returns to from a page of the payment service. */
  returnUrl: string;
  /** Whether the service keeps the means of payment for later. */
  saves: boolean;
}

/** A cart whose stock, promo code use and points were set aside at a fixed price. */
export interface ReservedCart {
  frozen: FrozenOrder;
  custom: CustomValues;
}

/** A note of the order; the name of its author if it is a person. */
export interface OrderNote {
  text: string;
  actorName: string | null;
}

/** What an order takes from the cart that it is placed from. */
export interface OrderedCart {
  id: number;
  /** The request is of the cart as it was then. */
  revision: number;
  /** Null for a buyer who is signed in. */
  guest: Guest | null;
  billing: Billing | null;
  /** Becomes a note of the order. */
  note: OrderNote | null;
  /** Null: it is placed as it is, whatever was paid. */
  pays: CartPayment | null;
  /** What a payment service says of the cart's payment, which is why the order is placed. */
  paid: PaidCart | null;
  /** Null for an open cart. Otherwise the request has no items, promo code and points of its own. */
  reserved: ReservedCart | null;
  /** The buyer's choice at the checkout; null: not asked. */
  acceptsMarketing: boolean | null;
  /** The date of a subscription whose order it becomes, `YYYY-MM-DD`. */
  cycleDate: string | null;
  /** Whether an order is expected, not a reservation: it creates the customer of a guest, and changes the consent of a customer. */
  expectsOrder: boolean;
}

/** An order to be placed. Its amounts are calculated, never given. */
export interface OrderRequest {
  /** 0 for a guest, until placing has found or created the customer. */
  customerId: number;
  items: readonly RequestedItem[];
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
  /** For a renewal. */
  subscriptionId: number | null;
  cart: OrderedCart | null;
  /** Money that was received already. */
  payments: readonly MoneyInput[];
  origin: OrderOrigin;
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
    subscriptionId: null,
    cart: null,
    payments: input.payments ?? [],
    origin: originOf(caller),
    actor: caller.actor,
    correlation: correlationOf(caller),
    now: caller.now,
  };
}

/** Returns the dates that are placed from the carts of renewals, by subscription. */
export function cyclesOf(requests: readonly OrderRequest[]): Map<number, string> {
  return new Map(
    requests.flatMap(({ subscriptionId, cart }) => {
      return subscriptionId === null || cart === null || cart.cycleDate === null
        ? []
        : [[subscriptionId, cart.cycleDate]];
    }),
  );
}

/** Returns the customers of carts whose payment has succeeded: with the orders is written what services keep of them. */
export function payersOf(requests: readonly OrderRequest[]): number[] {
  return [...new Set(requests.flatMap(({ cart, customerId }) => (cart?.paid == null ? [] : [customerId])))];
}

/** Whether custom values are given with the order. */
export function hasValues({ custom }: OrderRequest): boolean {
  return custom !== null && Object.keys(custom).length > 0;
}
