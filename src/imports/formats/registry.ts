import type { Format, Kind } from './format.ts';
import { klaviyo } from './klaviyo.ts';
import { mailchimp } from './mailchimp.ts';
import { medusaProducts } from './medusa-products.ts';
import { csvContacts, csvCustomers, csvOrders, csvProducts } from './plain.ts';
import { shopifyCustomers } from './shopify-customers.ts';
import { shopifyOrders } from './shopify-orders.ts';
import { shopifyProducts } from './shopify-products.ts';
import { vendureProducts } from './vendure-products.ts';
import { woocommerceCustomers } from './woocommerce-customers.ts';
import { woocommerceOrders } from './woocommerce-orders.ts';
import { woocommerceProducts } from './woocommerce-products.ts';

export const FORMATS: readonly Format[] = [
  shopifyProducts,
  shopifyCustomers,
  shopifyOrders,
  woocommerceProducts,
  woocommerceCustomers,
  woocommerceOrders,
  medusaProducts,
  vendureProducts,
  mailchimp,
  klaviyo,
  csvContacts,
  csvCustomers,
  csvProducts,
  csvOrders,
];

const BY_NAME = new Map(FORMATS.map((format) => [format.name, format]));

export function formatNamed(name: string): Format | undefined {
  return BY_NAME.get(name);
}

/** All fields of each kind. A service's format may derive some of them from other columns, so that no column is mapped to them. */
const FIELDS_OF: Record<Kind, readonly string[]> = {
  contacts: csvContacts.columns.map(({ field }) => field),
  customers: csvCustomers.columns.map(({ field }) => field),
  products: csvProducts.columns.map(({ field }) => field),
  orders: csvOrders.columns.map(({ field }) => field),
};

/** Returns the fields to which a column of the format can be mapped; contacts also accept `property:NAME`. */
export function fieldsOf(format: Format): string[] {
  return [...new Set([...format.columns.map(({ field }) => field), ...FIELDS_OF[format.kind]])];
}
