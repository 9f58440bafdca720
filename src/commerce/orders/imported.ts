import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { Minor } from '../money.ts';
import { findOtherMoney, removeLedgers } from '../payments/imported.ts';
import { findExternalIds, lockExternalIds } from './placing/queries.ts';
import type { OrderStatus } from './status.ts';

/**
 * Stores past orders that were placed elsewhere. They take no stock, use no promo code and earn no points, and the marketing side is not
 * notified. Returns their ids by external id.
 */
export async function writeImportedOrders(
  tx: Tx,
  companyId: number,
  orders: ImportedOrder[],
  by: { actor: string; now: Date },
): Promise<Map<string, number>> {
  if (orders.length === 0) return new Map();
  const counts = new Map<number, number>();
  for (const { customer_id } of orders) counts.set(customer_id, (counts.get(customer_id) ?? 0) + 1);
  await countOrders(tx, companyId, counts);
  return insertOrders(tx, companyId, orders, by);
}

/** Returns which of the external ids orders have, and locks all of them until COMMIT. */
export async function lockKnownOrders(tx: Tx, companyId: number, externalIds: string[]): Promise<Set<string>> {
  await lockExternalIds(tx, companyId, [...externalIds].sort());
  return findExternalIds(tx, companyId, externalIds);
}

/**
 * Removes orders that an import created at `stamp` and that are unchanged, with the money that it entered for them. Returns the ids that are
 * left.
 */
export async function removeImportedOrders(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  await lockOrders(tx, companyId, ids);
  const others = await findOtherMoney(tx, companyId, ids, stamp);
  const removed = await deleteUntouched(
    tx,
    companyId,
    ids.filter((id) => !others.has(id)),
    stamp,
  );
  await removeLedgers(tx, companyId, removed);
  const gone = new Set(removed);
  return ids.filter((id) => !gone.has(id));
}

export interface ImportedLine {
  product_id: number;
  product_name: string;
  qty: number;
  price: Minor;
  subtotal: Minor;
  discount: Minor;
  tax: Minor;
}

/** An order that was placed elsewhere. */
export interface ImportedOrder {
  customer_id: number;
  status: OrderStatus;
  subtotal: Minor;
  discount: Minor;
  tax: Minor;
  shipping: Minor;
  total: Minor;
  promo_code: string | null;
  shipping_address: string;
  shipping_city: string;
  shipping_state: string;
  shipping_zip: string;
  shipping_country: string;
  shipping_method: string | null;
  tax_lines: { name: string; rate: number; amount: Minor }[];
  external_id: string;
  metadata: Record<string, unknown>;
  created_at: Date;
  lines: ImportedLine[];
}

/** Counts the customers' orders and locks their accounts, so that an order sees all that were committed before it (see sales_totals). */
async function countOrders(tx: Tx, companyId: number, orders: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(sql`
    insert into customer_accounts as a (company_id, customer_id, order_count)
    select ${companyId}, id, n from unnest(${[...orders.keys()]}::bigint[], ${[...orders.values()]}::bigint[]) as t (id, n)
    order by id
    on conflict (company_id, customer_id) do update set order_count = a.order_count + excluded.order_count`);
}

/** Inserts orders with their lines and the first entry of their history. They take no stock and use no promo code. */
async function insertOrders(
  tx: Tx,
  companyId: number,
  orders: ImportedOrder[],
  { actor, now }: { actor: string; now: Date },
): Promise<Map<string, number>> {
  const rows = orders.map(({ lines: _, ...row }, place) => ({ ...row, place }));
  const lines = orders.flatMap((order) =>
    order.lines.map((line, i) => ({ ...line, line: i, external_id: order.external_id })),
  );
  const made = await tx.query<{ id: number; external_id: string }>(sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as o (place int, customer_id bigint, status text,
        subtotal bigint, discount bigint, tax bigint, shipping bigint, total bigint, promo_code text, shipping_address text,
        shipping_city text, shipping_state text, shipping_zip text, shipping_country text, shipping_method text,
        tax_lines jsonb, external_id text, metadata jsonb, created_at timestamptz)
    ),
    made as (
      insert into orders (company_id, customer_id, status, subtotal, discount, tax, shipping, total, promo_code,
        shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country, shipping_method, tax_lines,
        external_id, metadata, created_at, updated_at, imported)
      select ${companyId}, customer_id, status, subtotal, discount, tax, shipping, total, promo_code, shipping_address,
        shipping_city, shipping_state, shipping_zip, shipping_country, shipping_method, tax_lines, external_id, metadata,
        created_at, ${now}, true
      from given order by created_at, place
      returning id, external_id, status, created_at
    ),
    written as (
      insert into order_items (company_id, order_id, line, product_id, product_name, qty, price, subtotal, discount, tax,
        tracked)
      select ${companyId}, m.id, l.line, l.product_id, l.product_name, l.qty, l.price, l.subtotal, l.discount, l.tax, false
      from json_to_recordset(${JSON.stringify(lines)}::json) as l (external_id text, line smallint, product_id bigint,
        product_name text, qty int, price bigint, subtotal bigint, discount bigint, tax bigint)
      join made m using (external_id)
    ),
    noted as (
      insert into order_history (company_id, order_id, type, to_status, actor, created_at)
      select ${companyId}, id, 'created', status, ${actor}, created_at from made
    )
    select id, external_id from made`);
  return new Map(made.map(({ id, external_id }) => [external_id, id]));
}

/** Locks the orders: until COMMIT nobody changes them or writes a note about them. */
async function lockOrders(tx: Tx, companyId: number, ids: number[]): Promise<void> {
  await tx.query(sql`
    select 1 from orders where company_id = ${companyId} and id = any(${ids}::bigint[]) order by id for update`);
}

/**
 * Deletes orders that are unchanged since they were imported at `stamp` and have no notes, and updates order counts. Returns their ids. The
 * caller must have locked them and removes their ledgers.
 */
async function deleteUntouched(tx: Tx, companyId: number, ids: number[], stamp: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    with untouched as materialized (
      select o.id, o.customer_id from orders o
      where o.company_id = ${companyId} and o.id = any(${ids}::bigint[]) and o.updated_at = ${stamp} and o.imported
        and not exists (select from loyalty_ledger l where l.company_id = ${companyId} and l.order_id = o.id)
        and not exists (select from notes n where n.company_id = ${companyId} and n.order_id = o.id)
        and (select count(*) from order_history h where h.company_id = ${companyId} and h.order_id = o.id) = 1
    ),
    lines as (delete from order_items i using untouched u where i.company_id = ${companyId} and i.order_id = u.id),
    history as (delete from order_history h using untouched u where h.company_id = ${companyId} and h.order_id = u.id),
    counted as (
      update customer_accounts a set order_count = a.order_count - n.n
      from (select customer_id, count(*) as n from untouched group by customer_id) n
      where a.company_id = ${companyId} and a.customer_id = n.customer_id
    )
    delete from orders o using untouched u where o.company_id = ${companyId} and o.id = u.id returning o.id`);
  return rows.map((row) => row.id);
}
