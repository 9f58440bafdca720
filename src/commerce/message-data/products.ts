import type { Queryable } from '../../db/pool.ts';
import { fromMinor } from '../money.ts';
import * as queries from './product-queries.ts';

/** A product as messages show it. */
export type MessageProduct = {
  id: string;
  name: string;
  /** In the company's currency. */
  price: number;
  /** Formatted as 12.50 EUR. */
  formatted_price: string;
  image: string | null;
  /** Its product page; null if the brand kit does not define it. */
  url: string | null;
};

/** Products per recommendation. */
const MOST_SHOWN = 12;

/** Returns what messages show of products, including archived ones. One statement. */
export async function loadProducts(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<Map<number, MessageProduct & { archived: boolean }>> {
  const rows = await queries.findProducts(db, companyId, ids);
  return new Map(rows.map((row) => [row.id, { ...shownOf(row), archived: row.archived }]));
}

/** Returns the best sellers of categories by slug; categories without any are absent. '' is the whole shop. One statement. */
export async function loadBestSellers(
  db: Queryable,
  companyId: number,
  categories: string[],
): Promise<Map<string, MessageProduct[]>> {
  const rows = await queries.findBestSellers(db, companyId, categories, MOST_SHOWN);
  return grouped(rows, ({ category }) => category);
}

/** Returns what is bought together with customers' latest orders; customers without any are absent. One statement. */
export async function loadBoughtTogether(
  db: Queryable,
  companyId: number,
  customerIds: number[],
): Promise<Map<number, MessageProduct[]>> {
  const rows = await queries.findBoughtTogether(db, companyId, customerIds, MOST_SHOWN);
  return grouped(rows, ({ customer_id }) => customer_id);
}

function grouped<Row extends queries.ProductRow, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Map<Key, MessageProduct[]> {
  const groups = new Map<Key, MessageProduct[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [shownOf(row)]);
    else group.push(shownOf(row));
  }
  return groups;
}

function shownOf({
  id,
  name,
  slug,
  price,
  exponent,
  currency,
  image,
  product_url,
}: queries.ProductRow): MessageProduct {
  const amount = fromMinor(price, exponent);
  return {
    id: String(id),
    name,
    price: amount,
    formatted_price: `${amount.toFixed(exponent)} ${currency}`,
    image,
    url: product_url === null ? null : product_url.replaceAll('{slug}', encodeURIComponent(slug)),
  };
}
