import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';

/* The only statements that write `product_stock`, `stock_levels` and `stock_movements`. Each works on a set of products in the caller's transaction. */

/** See the table in docs/design/inventory.md. */
export const MOVEMENT_KINDS = [
  'initial',
  'adjust',
  'order',
  'cancel',
  'restock',
  'reserve',
  'release',
  'transfer',
  'receipt',
  'import',
] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** The stock that products show whose stock is not tracked. */
export const UNTRACKED_STOCK = 999_999;

/**
 * The stock that can be sold now, over aliases p (products) and s (product_stock): of a parent, the sum over its active variants, at most
 * `UNTRACKED_STOCK`.
 */
export const SELLABLE_STOCK = rawSql(`case
  when p.variant_count > 0 then (
    select least(coalesce(sum(case when v.track_stock then vs.stock_qty else ${UNTRACKED_STOCK} end), 0), ${UNTRACKED_STOCK})::int
    from products v join product_stock vs on vs.company_id = v.company_id and vs.product_id = v.id
    where v.company_id = p.company_id and v.variant_of = p.id and v.archived_at is null)
  when p.track_stock then s.stock_qty else ${UNTRACKED_STOCK} end`);

export interface StockRow {
  product_id: number;
  stock_qty: number;
  in_stock: boolean;
}

/** Who writes, and when. */
export interface Stamp {
  actor: string;
  now: Date;
}

/** An import that writes. */
export interface ImportStamp extends Stamp {
  importId: number;
}

/** Finds the stock by the product's id (a number) or slug. */
export async function findStock(db: Queryable, companyId: number, ref: number | string): Promise<StockRow | undefined> {
  const by = typeof ref === 'number' ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
  const rows = await db.query<StockRow>(sql`
    select s.product_id, ${SELLABLE_STOCK} as stock_qty, p.in_stock
    from products p join product_stock s on s.company_id = p.company_id and s.product_id = p.id
    where p.company_id = ${companyId} and ${by}`);
  return rows[0];
}

/** Creates the stock of new products, with the first movement of each; `qty` is null for a parent, which has neither. */
export async function createStock(
  tx: Tx,
  companyId: number,
  products: { productId: number; qty: number | null }[],
  { actor, now }: Stamp,
): Promise<void> {
  await tx.query(sql`
    with given as (
      select * from unnest(${products.map(({ productId }) => productId)}::bigint[], ${products.map(({ qty }) => qty)}::int[])
        as g (product_id, qty)
    ),
    stocked as (
      insert into product_stock (company_id, product_id, stock_qty) select ${companyId}, product_id, coalesce(qty, 0) from given
    )
    insert into stock_movements (company_id, product_id, kind, delta, actor, created_at)
    select ${companyId}, product_id, 'initial', qty, ${actor}, ${now} from given where qty is not null`);
}

/** What a product has at other online locations than the main one, over the alias s (product_stock). */
export const STOCK_ELSEWHERE = rawSql(`coalesce((
  select sum(v.available) from stock_levels v join locations l on l.company_id = v.company_id and l.id = v.location_id and l.online
  where v.company_id = s.company_id and v.product_id = s.product_id), 0)`);

/**
 * Adds each `delta` at the main location. The caller has locked the products' stock. Returns the products of which the main location has
 * too little: then nothing may be committed.
 */
export async function adjustStock(
  tx: Tx,
  companyId: number,
  changes: { productId: number; delta: number }[],
  { actor, now, reason, importId = null }: Stamp & { reason: string | null; importId?: number | null },
): Promise<number[]> {
  const rows = await tx.query<{ product_id: number }>(sql`
    with given as (
      select * from unnest(${changes.map(({ productId }) => productId)}::bigint[], ${changes.map(({ delta }) => delta)}::int[])
        as g (product_id, delta)
    ),
    changed as (
      update product_stock s set stock_qty = s.stock_qty + g.delta from given g
      where s.company_id = ${companyId} and s.product_id = g.product_id
        and (g.delta >= 0 or s.stock_qty + g.delta >= ${STOCK_ELSEWHERE})
      returning s.product_id
    ),
    moved as (
      insert into stock_movements (company_id, product_id, kind, reference_id, delta, reason, actor, created_at)
      select ${companyId}, product_id, ${importId === null ? 'adjust' : 'import'}, ${importId}, delta, ${reason}, ${actor}, ${now} from given
      where product_id in (select product_id from changed)
    )
    select product_id from given where product_id not in (select product_id from changed)`);
  return rows.map(({ product_id }) => product_id);
}

/** A line of a new order. */
export interface SoldLine {
  lineId: number;
  productId: number;
  qty: number;
  actor: string;
  at: Date;
}

/** Takes the stock of new order lines whose product is tracked. The caller has locked the products' stock and checked the quantities. */
export async function takeStock(tx: Tx, companyId: number, lines: readonly SoldLine[]): Promise<void> {
  if (lines.length === 0) return;
  await tx.query(sql`
    with lines as (
      select * from unnest(${lines.map(({ productId }) => productId)}::bigint[], ${lines.map(({ lineId }) => lineId)}::bigint[],
        ${lines.map(({ qty }) => qty)}::int[], ${lines.map(({ actor }) => actor)}::text[], ${lines.map(({ at }) => at)}::timestamptz[])
        as l (product_id, line_id, qty, actor, created_at)
    ),
    taken as (
      update product_stock s set stock_qty = s.stock_qty - t.qty
      from (select product_id, sum(qty)::int as qty from lines group by product_id) t
      where s.company_id = ${companyId} and s.product_id = t.product_id
    )
    insert into stock_movements (company_id, product_id, kind, reference_id, delta, actor, created_at)
    select ${companyId}, product_id, 'order', line_id, -qty, actor, created_at from lines`);
}

/** A change of the stock of a product at a location. */
export interface StockMove {
  productId: number;
  locationId: number;
  kind: 'adjust' | 'order' | 'reserve' | 'release' | 'transfer' | 'receipt';
  /** See the table of kinds in docs/design/inventory.md. */
  referenceId: number | null;
  delta: number;
  actor: string;
  at: Date;
  reason?: string | null;
}

/**
 * Changes stock at any locations, with a movement for each change. The caller has locked the products' stock, checked the quantities, and
 * prevents the locations from being closed.
 */
export async function moveStock(tx: Tx, companyId: number, moves: readonly StockMove[]): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map((move, n) => ({
    n,
    product_id: move.productId,
    location_id: move.locationId,
    kind: move.kind,
    reference_id: move.referenceId,
    delta: move.delta,
    actor: move.actor,
    created_at: move.at,
    reason: move.reason ?? null,
  }));
  const given = sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as m (
    n int, product_id bigint, location_id bigint, kind text, reference_id bigint, delta int, actor text,
    created_at timestamptz, reason text)`;
  await writeMoved(tx, companyId, { given, count: moves.length });
}

/**
 * `moveStock` in one statement. `given` selects the columns of `count` movements and their order `n`; `also` are further parts of its WITH,
 * over `moves`. Stock whose changes add up to 0 is not written. Throws if a location is unknown.
 */
export async function writeMoved(
  tx: Tx,
  companyId: number,
  { given, count, also = emptySql }: { given: Statement; count: number; also?: Statement },
): Promise<void> {
  const written = await tx.query(sql`
    with given as materialized (${given}),
    moves as materialized (
      select g.*, l.main, l.online from given g join locations l on l.company_id = ${companyId} and l.id = g.location_id
    ),
    stocked as (
      update product_stock s set stock_qty = s.stock_qty + t.delta
      from (select product_id, sum(delta)::int as delta from moves where online group by product_id having sum(delta) <> 0) t
      where s.company_id = ${companyId} and s.product_id = t.product_id
    ),
    levels as (
      select product_id, location_id, sum(delta)::int as delta from moves
      where not main group by product_id, location_id having sum(delta) <> 0
    ),
    changed as (
      update stock_levels v set available = v.available + t.delta from levels t
      where v.company_id = ${companyId} and v.product_id = t.product_id and v.location_id = t.location_id
    ),
    added as (
      insert into stock_levels (company_id, product_id, location_id, available)
      select ${companyId}, product_id, location_id, delta from levels t
      where not exists (
        select from stock_levels v
        where v.company_id = ${companyId} and v.product_id = t.product_id and v.location_id = t.location_id)
    ) ${also}
    insert into stock_movements (company_id, product_id, location_id, kind, reference_id, delta, reason, actor, created_at)
    select ${companyId}, product_id, case when not main then location_id end, kind, reference_id, delta, reason, actor, created_at
    from moves order by n
    returning product_id`);
  if (written.length !== count) throw new Error(`${written.length} of ${count} moves have a location`);
}

/** Units of a new order line that are taken at a location. */
export interface AllocatedLine extends SoldLine {
  orderId: number;
  locationId: number;
}

/** Like `takeStock`, in companies with several locations: also keeps where each line was taken. */
export function takeAllocated(tx: Tx, companyId: number, lines: readonly AllocatedLine[]): Promise<unknown>[] {
  if (lines.length === 0) return [];
  const moves = lines.map(
    ({ productId, locationId, lineId, qty, actor, at }): StockMove => ({
      productId,
      locationId,
      kind: 'order',
      referenceId: lineId,
      delta: -qty,
      actor,
      at,
    }),
  );
  return [moveStock(tx, companyId, moves), insertAllocations(tx, companyId, lines)];
}

export async function insertAllocations(
  tx: Tx,
  companyId: number,
  lines: readonly Pick<AllocatedLine, 'orderId' | 'lineId' | 'locationId' | 'qty'>[],
): Promise<void> {
  await tx.query(sql`
    insert into order_allocations (company_id, order_id, line_id, location_id, qty)
    select ${companyId}, * from unnest(${lines.map(({ orderId }) => orderId)}::bigint[],
      ${lines.map(({ lineId }) => lineId)}::bigint[], ${lines.map(({ locationId }) => locationId)}::bigint[],
      ${lines.map(({ qty }) => qty)}::int[])`);
}

/** Units of an order line that return to the stock. */
export interface ReturnedLine {
  lineId: number;
  qty: number;
}

/**
 * Returns units of an order's lines to where they were taken, of several locations to the first by position, with a movement for each line
 * and location. Lines without tracked stock are left out. What was taken at a location that is closed by now returns to the main location.
 * Locks stock rows by ascending id, after the locations. The caller has locked the order, and returns no unit twice.
 */
export async function returnStock(
  tx: Tx,
  companyId: number,
  { orderId, lines, kind }: { orderId: number; lines: readonly ReturnedLine[]; kind: 'cancel' | 'restock' },
  { actor, now }: Stamp,
): Promise<void> {
  await tx.query(sql`
    with asked as materialized (
      select * from unnest(${lines.map(({ lineId }) => lineId)}::bigint[], ${lines.map(({ qty }) => qty)}::int[]) as a (line_id, qty)
    ),
    places as materialized (
      select id, online from locations
      where company_id = ${companyId} and active and not main and id in (
        select location_id from order_allocations where company_id = ${companyId} and order_id = ${orderId})
      order by id for share
    ),
    -- \`before\`: the units that return to the locations before this one.
    taken as materialized (
      select a.line_id, a.location_id, a.qty - a.returned as qty,
        sum(a.qty - a.returned) over (partition by a.line_id order by l.position, l.id) - (a.qty - a.returned) as before
      from order_allocations a join locations l on l.company_id = a.company_id and l.id = a.location_id
      where a.company_id = ${companyId} and a.order_id = ${orderId}
    ),
    lines as materialized (
      select i.id, i.product_id, t.location_id as taken_at, p.id as location_id, coalesce(p.online, true) as online,
        least(t.qty, asked.qty - coalesce(t.before, 0))::int as qty
      from asked
      join order_items i on i.company_id = ${companyId} and i.order_id = ${orderId} and i.id = asked.line_id and i.tracked
      left join taken t on t.line_id = i.id
      left join places p on p.id = t.location_id
      where least(t.qty, asked.qty - coalesce(t.before, 0)) > 0
    ),
    marked as (
      update order_allocations a set returned = a.returned + l.qty from lines l
      where a.company_id = ${companyId} and a.order_id = ${orderId} and a.line_id = l.id and a.location_id = l.taken_at
    ),
    locked as materialized (
      select product_id from product_stock
      where company_id = ${companyId} and product_id in (select product_id from lines) order by product_id for update
    ),
    moved as (
      update product_stock s set stock_qty = s.stock_qty + returned.qty
      from (
        select product_id, sum(qty)::int as qty from locked join lines using (product_id) where online group by product_id
      ) returned
      where s.company_id = ${companyId} and s.product_id = returned.product_id
    ),
    levelled as (
      insert into stock_levels (company_id, product_id, location_id, available)
      select ${companyId}, product_id, location_id, sum(qty)::int from locked join lines using (product_id)
      where location_id is not null group by product_id, location_id order by product_id, location_id
      on conflict (company_id, product_id, location_id) do update set available = stock_levels.available + excluded.available
    )
    insert into stock_movements (company_id, product_id, location_id, kind, reference_id, delta, actor, created_at)
    select ${companyId}, product_id, location_id, ${kind}, id, sum(qty)::int, ${actor}, ${now} from lines
    group by product_id, location_id, id`);
}

/** Deletes the stock and movements of products that are deleted in the same transaction. */
export async function deleteStock(tx: Tx, companyId: number, productIds: number[]): Promise<void> {
  await tx.query(sql`
    with moved as (
      delete from stock_movements where company_id = ${companyId} and product_id = any(${productIds}::bigint[])
    ),
    levelled as (
      delete from stock_levels where company_id = ${companyId} and product_id = any(${productIds}::bigint[])
    )
    delete from product_stock where company_id = ${companyId} and product_id = any(${productIds}::bigint[])`);
}
