import { countRows, findIds, type IdPage } from '../../../db/lists.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import { areShort, codesOf, conditionsOf, findShort, wordsOf } from '../../search.ts';
import { SELLABLE_STOCK } from '../stock.ts';

export interface InventoryFilters {
  productId?: number;
  search?: string;
  low?: boolean;
  /** Ids of products that are sold out soon: only these and those that are low, or only the others. */
  runningOut?: { is: boolean; soon: readonly number[] };
  location?: { id: number; main: boolean };
}

export interface InventoryRow {
  product_id: number;
  name: string;
  sku: string | null;
  barcode: string | null;
  /** As it is counted, also while it is not tracked. */
  counted: number;
  stock_qty: number;
  in_stock: boolean;
  low_stock_at: number | null;
}

export interface ReservedRow {
  product_id: number;
  /** Null is the main location. */
  location_id: number | null;
  qty: number;
}

export interface ReservationRow {
  id: number;
  cart_id: number;
  location_id: number;
  qty: number;
  reserved_until: Date;
}

/** Of sellable products that are not archived, over alias p. */
function conditions(companyId: number, { productId, low, runningOut, location }: InventoryFilters): Statement {
  const all = [sql`p.company_id = ${companyId}`, rawSql('p.variant_count = 0 and (p.archived_at is null or p.draft)')];
  if (productId !== undefined) all.push(sql`p.id = ${productId}`);
  const isLow = sql`(p.low_stock_at is not null and p.track_stock and p.low_stock_at >= (
    select stock_qty from product_stock where company_id = ${companyId} and product_id = p.id))`;
  if (low !== undefined) all.push(low ? isLow : sql`not ${isLow}`);
  if (runningOut !== undefined) {
    const isRunningOut = sql`(p.id = any(${[...runningOut.soon]}::bigint[]) or ${isLow})`;
    all.push(runningOut.is ? isRunningOut : sql`not ${isRunningOut}`);
  }
  if (location !== undefined) all.push(isAt(companyId, location));
  return joinSql(all, ' and ');
}

function isAt(companyId: number, { id, main }: { id: number; main: boolean }): Statement {
  if (!main) {
    return sql`p.id = any(array(
      select product_id from stock_levels where company_id = ${companyId} and location_id = ${id} and available > 0
      union select product_id from reservation_items where company_id = ${companyId} and location_id = ${id}))`;
  }
  return sql`(p.company_id, p.id) in (
    select s.company_id, s.product_id
    from product_stock s left join (
      select v.product_id, sum(v.available) as available
      from stock_levels v join locations l on l.company_id = v.company_id and l.id = v.location_id and l.online
      where v.company_id = ${companyId} group by v.product_id
    ) elsewhere on elsewhere.product_id = s.product_id
    where s.company_id = ${companyId} and (s.stock_qty > coalesce(elsewhere.available, 0) or s.product_id = any(array(
      select product_id from reservation_items where company_id = ${companyId} and location_id is null))))`;
}

/** Returns the products of a page, the latest first, and the exact total. */
export async function findInventory(
  db: Db,
  companyId: number,
  filters: InventoryFilters,
  bounds: PageBounds,
): Promise<IdPage> {
  const [words, codes] = [wordsOf(filters.search), codesOf(filters.search)];
  const condition = conditions(companyId, filters);
  const hasCode = sql`(p.sku = any(${codes}::text[]) or p.barcode = any(${codes}::text[]))`;
  if (areShort(words)) {
    const also = sql`(p.company_id = ${companyId} and ${hasCode})`;
    const search = { table: rawSql('products'), alias: rawSql('p'), condition, also };
    return findShort(db, companyId, search, words, bounds);
  }
  const found =
    words.length === 0
      ? condition
      : sql`${condition} and (${joinSql(conditionsOf(rawSql('p.search'), words), ' and ')} or ${hasCode})`;
  const from = sql`from products p where ${found}`;
  return findIds(
    db.lists(companyId),
    { total: countRows(from), ids: sql`select p.id ${from} order by p.id desc` },
    bounds,
  );
}

export async function readInventory(db: Queryable, companyId: number, ids: readonly number[]): Promise<InventoryRow[]> {
  return db.query<InventoryRow>(sql`
    select p.id as product_id, p.name, p.sku, p.barcode, s.stock_qty as counted, ${SELLABLE_STOCK} as stock_qty, p.in_stock,
      p.low_stock_at
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and p.id = any(${[...ids]}::bigint[]) order by p.id desc`);
}

export async function sumReserved(db: Queryable, companyId: number, ids: readonly number[]): Promise<ReservedRow[]> {
  return db.query<ReservedRow>(sql`
    select product_id, location_id, sum(qty)::int as qty from reservation_items
    where company_id = ${companyId} and product_id = any(${[...ids]}::bigint[]) group by product_id, location_id`);
}

export async function countReservations(db: Queryable, companyId: number, productId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from reservation_items where company_id = ${companyId} and product_id = ${productId}`);
  return rows[0]!.n;
}

export async function listReservations(
  db: Queryable,
  companyId: number,
  productId: number,
  { skip, take }: PageBounds,
): Promise<ReservationRow[]> {
  return db.query<ReservationRow>(sql`
    select i.id, i.cart_id, coalesce(i.location_id, m.id) as location_id, i.qty, r.reserved_until
    from reservation_items i
    join reservations r on r.company_id = i.company_id and r.cart_id = i.cart_id
    join locations m on m.company_id = i.company_id and m.main
    where i.company_id = ${companyId} and i.product_id = ${productId}
    order by i.id desc offset ${skip} limit ${take}`);
}
