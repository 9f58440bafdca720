import type { Queryable } from '../../db/pool.ts';
import type { CustomValue } from '../custom-fields/definition.ts';
import { pointsValue } from '../loyalty/points.ts';
import { fromMinor } from '../money.ts';
import { DEFAULT_LOYALTY } from '../shop.ts';
import * as queries from './queries.ts';

export { loadBestSellers, loadBoughtTogether, loadProducts } from './products.ts';

/** `loyalty` in messages. */
export type MessageLoyalty = {
  points: number;
  /** In the company's currency. */
  value: number;
};

/** `subscription` in messages. */
export type MessageSubscription = {
  subscription_id: number;
  /** A calendar date, as 2026-03-01. */
  next_order_at: string;
  frequency: string;
  product_name: string;
  quantity: number;
  price: number;
  items: { product_id: number; name: string; qty: number; price: number }[];
};

/** Returns the custom fields of customers. One statement. */
export async function loadCustomers(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<Map<number, { custom: Record<string, CustomValue> }>> {
  const rows = await queries.findCustomFields(db, companyId, customerIds);
  return new Map(rows.map(({ customer_id, custom }) => [customer_id, { custom }]));
}

/** Returns the points of customers; none while the loyalty program is disabled. One statement. */
export async function loadLoyalty(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<Map<number, MessageLoyalty>> {
  const found = new Map<number, MessageLoyalty>();
  for (const { customer_id, points, exponent, loyalty } of await queries.findPoints(db, companyId, customerIds)) {
    const program = { ...DEFAULT_LOYALTY, ...loyalty };
    if (!program.enabled) continue;
    const value = fromMinor(pointsValue(points, program.point_value, exponent), exponent);
    found.set(customer_id, { points, value });
  }
  return found;
}

/** Returns the customers' subscriptions that are renewed next; customers without an active one are absent. One statement. */
export async function loadNextSubscriptions(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<Map<number, MessageSubscription>> {
  const rows = await queries.findNextSubscriptions(db, companyId, customerIds);
  return new Map(
    rows.map((row) => {
      const { product_id, product_name, quantity } = row;
      const price = fromMinor(row.price, row.exponent);
      const items = [{ product_id, name: product_name, qty: quantity, price }];
      const subscription = {
        subscription_id: row.id,
        next_order_at: row.next_date,
        frequency: row.frequency_name,
        product_name,
        quantity,
        price,
        items,
      };
      return [row.customer_id, subscription];
    }),
  );
}
