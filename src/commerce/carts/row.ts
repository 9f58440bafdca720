import type { CustomValues } from '../custom-fields/definition.ts';
import type { Minor } from '../money.ts';
import type { Billing } from '../orders/contract.ts';
import type { OrderOrigin } from '../orders/origin.ts';
import type { OptionValue } from '../products/contract.ts';
import type { TaxLine } from '../taxes/calculate.ts';

export const CART_STATUSES = ['open', 'paying', 'placed', 'expired', 'merged', 'cancelled'] as const;
export type CartStatus = (typeof CART_STATUSES)[number];

/** A product in a cart; it occurs once. Prices are in minor units. */
export interface CartLine {
  id: number;
  product_id: number;
  qty: number;
  /** The product's price when it was added. */
  added_price: Minor;
  price_override: Minor | null;
  override_reason: string | null;
}

/** The fields of a cart that requests change. */
export interface CartValues {
  customer_id: number | null;
  email: string | null;
  first_name: string;
  last_name: string;
  phone: string | null;
  lines: CartLine[];
  last_line_id: number;
  promo_code: string | null;
  redeem_points: number;
  shipping_address: string;
  shipping_city: string;
  shipping_state: string;
  shipping_zip: string;
  /** ISO 3166 alpha-2; null: not given. */
  shipping_country: string | null;
  shipping_method_id: number | null;
  location_id: number | null;
  billing: Billing | null;
  /** The buyer's choice at the checkout; null: not asked. */
  accepts_marketing: boolean | null;
  custom: CustomValues;
  metadata: Record<string, unknown>;
  note: string | null;
}

export interface CartRow extends CartValues {
  id: number;
  status: CartStatus;
  origin: OrderOrigin;
  revision: number;
  /** The subscription and the date whose order the cart becomes; null for other carts. */
  subscription_id: number | null;
  cycle_date: string | null;
  frozen: FrozenOrder | null;
  checkout_started_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface LockedCart {
  id: number;
  status: CartStatus;
  revision: number;
}

interface FrozenLine {
  product_id: number;
  parent_id: number | null;
  name: string;
  title: string | null;
  sku: string | null;
  options: readonly OptionValue[];
  tax_class: string | null;
  categories: readonly string[];
  /** Whether its stock is taken. */
  tracked: boolean;
  qty: number;
  price: Minor;
  subtotal: Minor;
  discount: Minor;
  tax: Minor;
}

/** The order that a cart was reserved or placed as; amounts are in minor units. Buyer and address are those of the cart. */
export interface FrozenOrder {
  lines: FrozenLine[];
  subtotal: Minor;
  discount: Minor;
  promo_discount: Minor;
  points_discount: Minor;
  points_redeemed: number;
  promo: { id: number; code: string } | null;
  shipping: Minor;
  shipping_method: { id: number; name: string } | null;
  tax: Minor;
  tax_lines: TaxLine[];
  total: Minor;
  /** ISO 3166 alpha-2. */
  country: string;
  /** By its ISO 3166-2 code where it is known. */
  state: string;
}
