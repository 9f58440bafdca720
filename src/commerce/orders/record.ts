import type { CustomValues } from '../custom-fields/definition.ts';
import { fromMicros, fromMinor } from '../money.ts';
import type { Balance } from '../payments/books.ts';
import { moneyRecord } from '../payments/record.ts';
import type { OptionValue } from '../products/contract.ts';
import type { Shop } from '../shop.ts';
import type { Billing, Order } from './contract.ts';
import type { OrderOrigin } from './origin.ts';
import type { OrderStatus } from './status.ts';

/** An order as stored: amounts in minor units, rates in millionths. */
export interface OrderRow {
  id: number;
  customer_id: number;
  status: OrderStatus;
  subtotal: number;
  discount: number;
  tax: number;
  shipping: number;
  total: number;
  promo_code_id: number | null;
  promo_code: string | null;
  points_redeemed: number;
  shipping_address: string;
  shipping_city: string;
  shipping_state: string;
  shipping_zip: string;
  shipping_country: string;
  shipping_method: string | null;
  tax_lines: { name: string; rate: number; amount: number }[];
  tracking_number: string | null;
  external_id: string | null;
  metadata: Record<string, unknown>;
  custom: CustomValues;
  subscription_id: number | null;
  /** Where the client asked for the stock to be taken. */
  location_id: number | null;
  cart_id: number | null;
  origin: OrderOrigin | null;
  guest: boolean;
  billing: Billing | null;
  /** Null without a payment. */
  money: Balance | null;
  created_at: Date;
  updated_at: Date;
}

/** A line of an order, with what its product was when it was ordered. */
export interface ItemRow extends PricedItem {
  id: number;
  sku: string | null;
  tax_class: string | null;
  /** Null for imported lines. */
  categories: readonly string[] | null;
  /** Of a variant. */
  parent_id: number | null;
  title: string | null;
  options: readonly OptionValue[] | null;
}

interface PricedItem {
  product_id: number;
  product_name: string;
  qty: number;
  price: number;
  subtotal: number;
  discount: number;
  tax: number;
}

/** An order as the API returns it: amounts in major units. */
export function orderRecord(row: OrderRow, items: readonly ItemRow[], shop: Shop): Order {
  const money = (minor: number): number => fromMinor(minor, shop.exponent);
  return {
    id: row.id,
    customer_id: row.customer_id,
    status: row.status,
    subtotal: money(row.subtotal),
    discount: money(row.discount),
    tax: money(row.tax),
    shipping: money(row.shipping),
    total: money(row.total),
    currency: shop.currency,
    tracking_number: row.tracking_number,
    items: items.map((item) => lineRecord(item, shop)),
    shipping_address: row.shipping_address,
    shipping_city: row.shipping_city,
    shipping_state: row.shipping_state,
    shipping_zip: row.shipping_zip,
    shipping_country: row.shipping_country,
    shipping_method: row.shipping_method,
    tax_lines: row.tax_lines.map((line) => taxLineRecord(line, shop)),
    promo_code: row.promo_code,
    points_redeemed: row.points_redeemed,
    external_id: row.external_id,
    metadata: row.metadata,
    custom: row.custom,
    subscription_id: row.subscription_id,
    location_id: row.location_id,
    cart_id: row.cart_id,
    origin: row.origin,
    guest: row.guest,
    billing: row.billing,
    ...moneyRecord(row.money, shop),
    is_subscription: row.subscription_id !== null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function lineRecord(item: ItemRow, shop: Shop): Order['items'][number] {
  const { id, parent_id, title, options, sku, tax_class, categories } = item;
  const variant = { parent_id, title, options: options && [...options] };
  return { id, ...itemRecord(item, shop), ...variant, sku, tax_class, categories: categories && [...categories] };
}

export function itemRecord(item: PricedItem, { exponent }: Shop) {
  const money = (minor: number): number => fromMinor(minor, exponent);
  return {
    product_id: item.product_id,
    product_name: item.product_name,
    qty: item.qty,
    price: money(item.price),
    subtotal: money(item.subtotal),
    discount: money(item.discount),
    tax: money(item.tax),
  };
}

export function taxLineRecord(line: OrderRow['tax_lines'][number], { exponent }: Shop): Order['tax_lines'][number] {
  return { name: line.name, rate: fromMicros(line.rate), amount: fromMinor(line.amount, exponent) };
}
