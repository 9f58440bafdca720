import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { lockStock } from './changes.ts';
import { insertAllocations, moveStock, type Stamp, type StockMove, writeMoved } from './stock.ts';

/**
 * Stock, a promo code use and points that are set aside for one cart while it is paid. A reservation belongs to its cart and has its id as
 * key; an item is a tracked line at a location. The caller has locked the cart, which protects its reservation and items.
 */
export interface NewReservation {
  cartId: number;
  reservedUntil: Date;
  promoId: number | null;
  points: number;
  /** The buyer; null: a guest. */
  customerId: number | null;
  /** Of a guest, normalised. */
  email: string | null;
  actor: string;
  now: Date;
}

/** Units that are set aside at a location. */
export interface ReservedItem {
  cartId: number;
  productId: number;
  locationId: number;
  qty: number;
}

/** Writes reservations whose stock was checked and allocated under its lock, with a movement for each item, in one statement. */
export async function insertReservations(
  tx: Tx,
  companyId: number,
  reservations: readonly (NewReservation & { items: readonly ReservedItem[] })[],
): Promise<void> {
  const items = reservations.flatMap((one) => one.items.map((item) => ({ ...item, actor: one.actor, at: one.now })));
  const rows = reservations.map((one) => ({
    cart_id: one.cartId,
    reserved_until: one.reservedUntil,
    promo_code_id: one.promoId,
    points: one.points,
    customer_id: one.customerId,
    email: one.email,
    created_at: one.now,
  }));
  const given = sql`
    select n, cart_id, product_id, location_id, qty, 'reserve' as kind, nextval('reservation_items_id_seq') as reference_id,
      -qty as delta, actor, created_at, null as reason
    from unnest(${items.map(({ cartId }) => cartId)}::bigint[], ${items.map(({ productId }) => productId)}::bigint[],
      ${items.map(({ locationId }) => locationId)}::bigint[], ${items.map(({ qty }) => qty)}::int[],
      ${items.map(({ actor }) => actor)}::text[], ${items.map(({ at }) => at)}::timestamptz[])
      with ordinality as g (cart_id, product_id, location_id, qty, actor, created_at, n)`;
  const also = sql`,
    reserved as (
      insert into reservations (company_id, cart_id, reserved_until, promo_code_id, points, customer_id, email, created_at)
      select ${companyId}, r.* from json_to_recordset(${JSON.stringify(rows)}::json) as r (cart_id bigint,
        reserved_until timestamptz, promo_code_id bigint, points bigint, customer_id bigint, email text, created_at timestamptz)
    ),
    items as (
      insert into reservation_items (company_id, id, cart_id, product_id, location_id, qty) overriding system value
      select ${companyId}, reference_id, cart_id, product_id, case when not main then location_id end, qty from moves
    )`;
  await writeMoved(tx, companyId, { given, count: items.length, also });
}

/** Units that are set aside, with the id of the main location in place of null. */
export interface HeldItem {
  id: number;
  cart_id: number;
  product_id: number;
  location_id: number;
  qty: number;
}

export async function findHeldItems(db: Queryable, companyId: number, cartIds: readonly number[]): Promise<HeldItem[]> {
  return db.query<HeldItem>(sql`
    select i.id, i.cart_id, i.product_id, coalesce(i.location_id, m.id) as location_id, i.qty
    from reservation_items i join locations m on m.company_id = i.company_id and m.main
    where i.company_id = ${companyId} and i.cart_id = any(${[...cartIds]}::bigint[]) order by i.id`);
}

/** What a reservation holds beside stock. */
export interface HeldClaims {
  cart_id: number;
  promo_code_id: number | null;
  points: number;
  customer_id: number | null;
}

export async function findHeldClaims(
  db: Queryable,
  companyId: number,
  cartIds: readonly number[],
): Promise<HeldClaims[]> {
  return db.query<HeldClaims>(sql`
    select cart_id, promo_code_id, points, customer_id from reservations
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
}

/** Returns until when the carts are reserved, by cart. */
export async function findReservedUntil(
  db: Queryable,
  companyId: number,
  cartIds: readonly number[],
): Promise<Map<number, Date>> {
  if (cartIds.length === 0) return new Map();
  const rows = await db.query<{ cart_id: number; reserved_until: Date }>(sql`
    select cart_id, reserved_until from reservations
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
  return new Map(rows.map((row) => [row.cart_id, row.reserved_until]));
}

/** Returns since when reservations are overdue, by cart. */
export async function overdueSince(tx: Tx, companyId: number, cartIds: readonly number[]): Promise<Map<number, Date>> {
  const rows = await tx.query<{ cart_id: number; overdue_since: Date }>(sql`
    select cart_id, coalesce(overdue_since, reserved_until) as overdue_since from reservations
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
  return new Map(rows.map((row) => [row.cart_id, row.overdue_since]));
}

/** Looks at overdue reservations again at the given time. */
export async function postponeEnd(tx: Tx, companyId: number, cartIds: readonly number[], until: Date): Promise<void> {
  if (cartIds.length === 0) return;
  await tx.query(sql`
    update reservations set overdue_since = coalesce(overdue_since, reserved_until), reserved_until = ${until}
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`);
}

/** Sets the goods of a cart aside until then, if they would be free earlier. */
export async function extendReservation(tx: Tx, companyId: number, cartId: number, until: Date): Promise<void> {
  await tx.query(sql`
    update reservations set reserved_until = ${until}, overdue_since = null
    where company_id = ${companyId} and cart_id = ${cartId} and reserved_until < ${until}`);
}

/** Reassigns the reservations of a customer to another, whose points are moved by the caller. */
export async function moveReservations(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update reservations set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}

function deleteReservations(tx: Tx, companyId: number, cartIds: readonly number[]): Promise<unknown>[] {
  return [
    tx.query(sql`
      delete from reservation_items where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`),
    tx.query(sql`
      delete from reservations where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[])`),
  ];
}

/** Gives the stock of reservations that end without an order back to where it was taken, and deletes them. */
export async function release(
  tx: Tx,
  companyId: number,
  { cartIds, items }: { cartIds: readonly number[]; items: readonly HeldItem[] },
  stamp: Stamp,
): Promise<void> {
  await lockStock(
    tx,
    companyId,
    items.map((item) => item.product_id),
  );
  const moves = items.map((item) => moveOf(item, 'release', item.id, item.qty, stamp));
  await Promise.all([moveStock(tx, companyId, moves), ...deleteReservations(tx, companyId, cartIds)]);
}

/** An order that is placed from the reservation of a cart. */
export interface ReservedOrder extends Stamp {
  cartId: number;
  orderId: number;
  lines: readonly { id: number; product_id: number; tracked: boolean }[];
}

/**
 * Ends reservations with their orders. The stock was taken when they began, so no stock row changes and none is locked: each item gets a
 * `release` and an `order` movement, which add up to 0. Throws if an item has no line. Returns what is being written.
 */
export function convert(
  tx: Tx,
  companyId: number,
  { orders, items }: { orders: readonly ReservedOrder[]; items: readonly HeldItem[] },
  { keepsAllocations }: { keepsAllocations: boolean },
): Promise<unknown>[] {
  const itemsOf = Map.groupBy(items, (item) => item.cart_id);
  const taken = orders.flatMap((order) => {
    return (itemsOf.get(order.cartId) ?? []).map((item) => {
      const line = order.lines.find(({ product_id, tracked }) => tracked && product_id === item.product_id);
      if (line === undefined) throw new Error(`Order ${order.orderId} lacks reserved product ${item.product_id}`);
      return { item, order, orderId: order.orderId, lineId: line.id, locationId: item.location_id, qty: item.qty };
    });
  });
  const moves = taken.flatMap(({ item, order, lineId }) => [
    moveOf(item, 'release', item.id, item.qty, order),
    moveOf(item, 'order', lineId, -item.qty, order),
  ]);
  const cartIds = orders.map(({ cartId }) => cartId);
  return [
    moveStock(tx, companyId, moves),
    ...(keepsAllocations && taken.length > 0 ? [insertAllocations(tx, companyId, taken)] : []),
    ...deleteReservations(tx, companyId, cartIds),
  ];
}

function moveOf(
  { product_id, location_id }: HeldItem,
  kind: 'release' | 'order',
  referenceId: number,
  delta: number,
  { actor, now }: Stamp,
): StockMove {
  return { productId: product_id, locationId: location_id, kind, referenceId, delta, actor, at: now };
}
