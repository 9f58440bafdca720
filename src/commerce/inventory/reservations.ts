import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import { enqueueLowStock, lockStock } from './changes.ts';
import { insertAllocations, moveStock, type Stamp, type StockMove, writeMoved } from './stock.ts';

/**
 * Stock that is set aside for one cart while it is paid. A reservation belongs to its cart and has its id as key; an item is a tracked
 * line at a location. The caller has locked the cart, which protects its reservation and items.
 */

export interface NewReservation {
  cartId: number;
  reservedUntil: Date;
  /** At this location only; null: at the online locations. */
  locationId: number | null;
  /** A product occurs once. */
  lines: readonly { productId: number; qty: number }[];
}

/** Units that are set aside at a location. */
export interface ReservedItem {
  cartId: number;
  productId: number;
  locationId: number;
  qty: number;
}

/**
 * Takes the stock of the carts' tracked lines, as orders do: of all or of none, with `stock_low` for products that became low. Returns what
 * was set aside. Throws insufficient_stock with every line of the first cart that lacks stock.
 */
export async function reserve(
  tx: Tx,
  companyId: number,
  reservations: readonly NewReservation[],
  { correlation = null, ...stamp }: Stamp & { correlation?: Correlation | null },
): Promise<ReservedItem[]> {
  const lines = reservations.flatMap((one) => one.lines);
  const stock = await lockStock(
    tx,
    companyId,
    lines.map(({ productId }) => productId),
  );
  const { products, levels } = stock;
  const items = reservations.flatMap(({ cartId, locationId, lines: own }): ReservedItem[] => {
    const tracked = own.flatMap((line, index) => {
      return products.get(line.productId)?.track_stock === false ? [] : [{ ...line, index }];
    });
    const short = tracked
      .map(({ index, productId, qty }) => {
        const available = levels.available(productId, locationId);
        return { index, product_id: productId, requested: qty, available };
      })
      .filter(({ requested, available }) => available < requested);
    if (short.length > 0) throw new AppError('insufficient_stock', 'Not enough stock', { items: short });
    return levels.allocate(tracked, locationId).map(({ productId, locationId: at, qty }) => {
      levels.change(productId, at, -qty);
      return { cartId, productId, locationId: at, qty };
    });
  });
  await Promise.all([
    insertReservations(tx, companyId, reservations, items, stamp),
    enqueueLowStock(tx, companyId, stock, { now: stamp.now, correlation }),
  ]);
  return items;
}

/** Writes reservations whose stock was checked and allocated under its lock, with a movement for each item, in one statement. */
export async function insertReservations(
  tx: Tx,
  companyId: number,
  reservations: readonly Pick<NewReservation, 'cartId' | 'reservedUntil'>[],
  items: readonly ReservedItem[],
  { actor, now }: Stamp,
): Promise<void> {
  const given = sql`
    select n, cart_id, product_id, location_id, qty, 'reserve' as kind, nextval('reservation_items_id_seq') as reference_id,
      -qty as delta, ${actor}::text as actor, ${now}::timestamptz as created_at, null as reason
    from unnest(${items.map(({ cartId }) => cartId)}::bigint[], ${items.map(({ productId }) => productId)}::bigint[],
      ${items.map(({ locationId }) => locationId)}::bigint[], ${items.map(({ qty }) => qty)}::int[])
      with ordinality as g (cart_id, product_id, location_id, qty, n)`;
  const also = sql`,
    reserved as (
      insert into reservations (company_id, cart_id, reserved_until, created_at)
      select ${companyId}, cart_id, reserved_until, ${now}
      from unnest(${reservations.map(({ cartId }) => cartId)}::bigint[],
        ${reservations.map(({ reservedUntil }) => reservedUntil)}::timestamptz[]) as r (cart_id, reserved_until)
    ),
    items as (
      insert into reservation_items (company_id, id, cart_id, product_id, location_id, qty) overriding system value
      select ${companyId}, reference_id, cart_id, product_id, case when not main then location_id end, qty from moves
    )`;
  await writeMoved(tx, companyId, { given, count: items.length, also });
}

interface ItemRow {
  id: number;
  cart_id: number;
  product_id: number;
  location_id: number;
  qty: number;
}

/** With the id of the main location in place of null. */
async function findItems(db: Queryable, companyId: number, cartIds: readonly number[]): Promise<ItemRow[]> {
  return db.query<ItemRow>(sql`
    select i.id, i.cart_id, i.product_id, coalesce(i.location_id, m.id) as location_id, i.qty
    from reservation_items i join locations m on m.company_id = i.company_id and m.main
    where i.company_id = ${companyId} and i.cart_id = any(${[...cartIds]}::bigint[]) order by i.id`);
}

async function deleteReservations(tx: Tx, companyId: number, cartIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    delete from reservation_items where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
  await tx.query(sql`
    delete from reservations where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
}

/** Ends the reservations of the carts without an order: their stock returns to where it was taken. */
export async function release(tx: Tx, companyId: number, cartIds: readonly number[], stamp: Stamp): Promise<void> {
  const items = await findItems(tx, companyId, cartIds);
  await lockStock(
    tx,
    companyId,
    items.map((item) => item.product_id),
  );
  const moves = items.map((item) => moveOf(item, 'release', item.id, item.qty, stamp));
  await Promise.all([moveStock(tx, companyId, moves), deleteReservations(tx, companyId, cartIds)]);
}

/** An order that is placed from the reservation of a cart. */
export interface ReservedOrder {
  cartId: number;
  orderId: number;
  /** The tracked lines, each of a product that the reservation has. */
  lines: readonly { lineId: number; productId: number }[];
}

/**
 * Ends reservations with their orders. The stock was taken when they began, so no stock row changes and none is locked: each item gets a
 * `release` and an `order` movement, which add up to 0. Throws if an item has no line.
 */
export async function convert(
  tx: Tx,
  companyId: number,
  orders: readonly ReservedOrder[],
  { keepsAllocations, ...stamp }: Stamp & { keepsAllocations: boolean },
): Promise<void> {
  const orderOf = new Map(orders.map((order) => [order.cartId, order]));
  const items = await findItems(tx, companyId, [...orderOf.keys()]);
  const taken = items.map((item) => {
    const { orderId, lines } = orderOf.get(item.cart_id)!;
    const line = lines.find(({ productId }) => productId === item.product_id);
    if (line === undefined) throw new Error(`Order ${orderId} has no line for reserved product ${item.product_id}`);
    return { item, orderId, lineId: line.lineId, locationId: item.location_id, qty: item.qty };
  });
  const moves = taken.flatMap(({ item, lineId }) => [
    moveOf(item, 'release', item.id, item.qty, stamp),
    moveOf(item, 'order', lineId, -item.qty, stamp),
  ]);
  await Promise.all([
    moveStock(tx, companyId, moves),
    ...(keepsAllocations && taken.length > 0 ? [insertAllocations(tx, companyId, taken)] : []),
    deleteReservations(tx, companyId, [...orderOf.keys()]),
  ]);
}

function moveOf(
  { product_id, location_id }: ItemRow,
  kind: 'release' | 'order',
  referenceId: number,
  delta: number,
  { actor, now }: Stamp,
): StockMove {
  return { productId: product_id, locationId: location_id, kind, referenceId, delta, actor, at: now };
}
