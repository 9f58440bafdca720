import { createHash } from 'node:crypto';
import type { KeysetPage } from '../../db/keyset-pages.ts';
import { pageOfKeys } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import { OPEN_STATUSES } from '../payments/status.ts';
import type { CartRow, CartStatus, FrozenOrder, LockedCart } from './row.ts';

export const COLUMNS =
  rawSql(`id, status, origin, revision, subscription_id, cycle_date::text, customer_id, email, first_name, last_name, phone, lines, last_line_id,
  promo_code, redeem_points, shipping_address, shipping_city, shipping_state, shipping_zip, shipping_country,
  shipping_method_id, location_id, billing, accepts_marketing, custom, metadata, note, frozen, checkout_started_at, created_at,
  updated_at`);

export interface CartFilters {
  status: CartStatus | null;
  origin: CartRow['origin'] | null;
  customerId: number | null;
  /** Normalised. */
  email: string | null;
  abandoned: boolean | null;
  /** Carts that were last changed by then may be abandoned. */
  untouchedSince: Date;
}

function conditionsOf(filters: CartFilters): Statement {
  const { status, origin, customerId, email, abandoned, untouchedSince } = filters;
  const isAbandoned = sql`status = 'open' and updated_at <= ${untouchedSince} and lines <> '[]'
    and (email is not null or customer_id is not null)`;
  return sql`${status === null ? emptySql : sql`and status = ${status}`}
    ${origin === null ? emptySql : sql`and origin = ${origin}`}
    ${customerId === null ? emptySql : sql`and customer_id = ${customerId}`}
    ${email === null ? emptySql : sql`and email = ${email}`}
    ${abandoned === null ? emptySql : abandoned ? sql`and ${isAbandoned}` : sql`and not (${isAbandoned})`}`;
}

export async function countCarts(db: Queryable, companyId: number, filters: CartFilters): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from carts where company_id = ${companyId} ${conditionsOf(filters)}`);
  return rows[0]!.n;
}

/** Newest first. */
export async function listCarts(
  db: Queryable,
  companyId: number,
  filters: CartFilters,
  page: PageBounds,
): Promise<CartRow[]> {
  return db.query<CartRow>(sql`
    select ${COLUMNS} from carts
    where company_id = ${companyId} and id = any(array(${pageOfKeys(
      sql`select id from carts where company_id = ${companyId} ${conditionsOf(filters)} order by id desc`,
      page,
    )}))
    order by id desc`);
}

export async function findCarts(db: Queryable, companyId: number, ids: readonly number[]): Promise<CartRow[]> {
  return db.query<CartRow>(sql`
    select ${COLUMNS} from carts where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
}

/** Waits for rows that other transactions have locked, or leaves them out. */
export type IfLocked = 'wait' | 'skip';
export const skips = (ifLocked: IfLocked): Statement => (ifLocked === 'skip' ? rawSql('skip locked') : emptySql);

/** Keeps customers from being erased or merged until COMMIT. Returns those that are held. */
export async function holdCustomers(
  tx: Queryable,
  companyId: number,
  ids: readonly number[],
  ifLocked: IfLocked,
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from customers where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and erased_at is null
    order by id for key share ${skips(ifLocked)}`);
  return rows.map((row) => row.id);
}

/** Locked before everything that an order locks. */
export async function lockForChange(
  tx: Tx,
  companyId: number,
  ids: readonly number[],
  ifLocked: IfLocked,
): Promise<CartRow[]> {
  return tx.query<CartRow>(sql`
    select ${COLUMNS} from carts where company_id = ${companyId} and id = any(${[...ids]}::bigint[])
    order by id for no key update ${skips(ifLocked)}`);
}

export async function lockCart(tx: Tx, companyId: number, id: number): Promise<CartRow | undefined> {
  return (await lockForChange(tx, companyId, [id], 'wait'))[0];
}

/** Locks the carts of orders that are placed, by ascending id. */
export async function lockCarts(db: Queryable, companyId: number, ids: readonly number[]): Promise<LockedCart[]> {
  return db.query<LockedCart>(sql`
    select id, status, revision from carts
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) order by id for no key update`);
}

/** Locks the carts that no other transaction locks; returns the ids of the others. */
export async function lockAvailableCarts(db: Queryable, companyId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with free as materialized (
      select id from carts
      where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) order by id for no key update skip locked
    )
    select id from carts
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and id not in (select id from free)`);
  return rows.map((row) => row.id);
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export type FoundCart = Pick<CartRow, 'id' | 'status' | 'customer_id' | 'email'>;

/** Returns the token's cart; only hashes of tokens are stored. */
export async function findByToken(db: Queryable, companyId: number, token: string): Promise<FoundCart | undefined> {
  const rows = await db.query<FoundCart>(sql`
    select id, status, customer_id, email from carts
    where company_id = ${companyId} and token_hash = ${hashOf(token)}`);
  return rows[0];
}

/** Returns the newest open cart that a customer began in the store. */
export async function findOwnCart(db: Queryable, companyId: number, customerId: number): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(sql`
    select id from carts
    where company_id = ${companyId} and customer_id = ${customerId} and status = 'open' and origin = 'store'
    order by id desc limit 1`);
  return rows[0]?.id;
}

/** The columns that requests change, and what follows from them. */
const CHANGED = `revision customer_id email first_name last_name phone lines last_line_id promo_code redeem_points
  shipping_address shipping_city shipping_state shipping_zip shipping_country shipping_method_id location_id billing
  accepts_marketing custom metadata note checkout_started_at updated_at`.split(/\s+/);
const CHANGED_COLUMNS = rawSql(CHANGED.join(', '));
const NEW_VALUES = rawSql(CHANGED.map((name) => `n.${name}`).join(', '));

const changedCarts = (carts: readonly CartRow[]): Statement => sql`
  json_populate_recordset(null::carts, ${JSON.stringify(carts)}::json)`;

/** Draws ids for new carts, so that the response can be rendered before they are written. */
export async function drawCartIds(tx: Tx, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.query<{ id: number }>(sql`
    select nextval('carts_id_seq') as id from generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}

export type NewCart = CartRow & { token: string | null };

export async function insertCarts(tx: Tx, companyId: number, carts: readonly NewCart[]): Promise<void> {
  const rows = carts.map(({ token, ...cart }) => {
    return { ...cart, token_hash: token === null ? null : `\\x${hashOf(token).toString('hex')}` };
  });
  await tx.query(sql`
    insert into carts (company_id, id, status, origin, subscription_id, cycle_date, token_hash, created_at, ${CHANGED_COLUMNS})
    overriding system value
    select ${companyId}, n.id, n.status, n.origin, n.subscription_id, n.cycle_date, n.token_hash, n.created_at, ${NEW_VALUES}
    from ${changedCarts(rows)} as n`);
}

/** The caller has locked them. */
export async function updateCarts(tx: Tx, companyId: number, carts: readonly CartRow[]): Promise<void> {
  await tx.query(sql`
    update carts c set (${CHANGED_COLUMNS}) = row(${NEW_VALUES})
    from ${changedCarts(carts)} as n
    where c.company_id = ${companyId} and c.id = n.id`);
}

/** Marks a cart as merged into another. */
export async function closeMergedCart(tx: Tx, companyId: number, id: number, now: Date): Promise<void> {
  await tx.query(sql`
    update carts set status = 'merged', updated_at = ${now} where company_id = ${companyId} and id = ${id}`);
}

export async function cancelCart(tx: Tx, companyId: number, id: number, now: Date): Promise<CartRow> {
  const rows = await tx.query<CartRow>(sql`
    update carts set status = 'cancelled', updated_at = ${now} where company_id = ${companyId} and id = ${id}
    returning ${COLUMNS}`);
  return rows[0]!;
}

/** Marks carts as placed or reserved, with the order that was placed or will be. */
export async function closeCarts(
  tx: Tx,
  companyId: number,
  carts: readonly { id: number; status: 'placed' | 'paying'; frozen: FrozenOrder }[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update carts c set status = p.status, frozen = p.frozen, updated_at = ${now}
    from json_to_recordset(${JSON.stringify(carts)}::json) as p (id bigint, status text, frozen jsonb)
    where c.company_id = ${companyId} and c.id = p.id`);
}

/** Opens reserved carts again. */
export async function reopenCarts(tx: Tx, companyId: number, ids: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update carts set status = 'open', frozen = null, updated_at = ${now}
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
}

/** Marks reserved carts as expired; they keep their orders. */
export async function expireCarts(tx: Tx, companyId: number, ids: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update carts set status = 'expired', updated_at = ${now}
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[])`);
}

/** Locks reserved carts whose reservation has ended, except those that another transaction locks; the longest overdue first. */
export async function lockOverdueCarts(tx: Tx, companyId: number, now: Date, limit: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from carts
    where company_id = ${companyId} and status = 'paying' and id = any(array(
      select cart_id from reservations
      where company_id = ${companyId} and reserved_until <= ${now} order by reserved_until limit ${limit}))
    order by id for no key update skip locked`);
  return rows.map((row) => row.id);
}

/** Returns companies with reservations that have ended. */
export async function companiesWithOverdue(db: Queryable, now: Date, limit: number): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    select c.company_id from companies c
    where exists (select from reservations r where r.company_id = c.company_id and r.reserved_until <= ${now})
    limit ${limit}`);
  return rows.map((row) => row.company_id);
}

/** Returns the orders that were placed from the carts, by cart. */
export async function findOrderIds(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: number; cart_id: number }>(sql`
    select id, cart_id from orders where company_id = ${companyId} and cart_id = any(${[...ids]}::bigint[])`);
  return new Map(rows.map((row) => [row.cart_id, row.id]));
}

/** Selects the carts of a customer, those too from which they ordered as a guest, for `keysetPages`. Prices are in minor units. */
export function cartsOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, to_jsonb(c) - 'company_id' - 'last_line_id' - 'touched' - 'token_hash' as data from carts c
    where company_id = ${companyId} and id > ${after} and (customer_id = ${customerId} or id = any(array(
      select cart_id from orders where company_id = ${companyId} and customer_id = ${customerId} and guest)))
    order by id limit ${limit}`;
}

/** A customer, and the guests with their e-mail address. */
export interface CartOwner {
  customerId: number;
  email: string | null;
}

/** Cancels the open carts of a person, none of which can be paid any more. Waits for those whose payment begins. */
export async function cancelCartsOf(
  tx: Tx,
  companyId: number,
  { customerId, email }: CartOwner,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    with found as materialized (
      select id from carts
      where company_id = ${companyId} and status = 'open'
        and (customer_id = ${customerId} or (customer_id is null and email = lower(${email}::text)))
      order by id for no key update
    )
    update carts c set status = 'cancelled', updated_at = ${now}
    from found where c.company_id = ${companyId} and c.id = found.id`);
}

/** Locks the reserved carts of a person; returns their ids. */
export async function lockReservedOf(tx: Tx, companyId: number, { customerId, email }: CartOwner): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select id from carts
    where company_id = ${companyId} and status = 'paying' and id = any(array(
      select cart_id from reservations
      where company_id = ${companyId} and (customer_id = ${customerId} or email = lower(${email}::text))))
    order by id for no key update`);
  return rows.map((row) => row.id);
}

/** Returns a payment that is under way for a cart of the person. */
export async function findPaymentOf(
  db: Queryable,
  companyId: number,
  { customerId, email }: CartOwner,
): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(sql`
    select p.id from reservations r
    join payments p on p.company_id = r.company_id and p.cart_id = r.cart_id and p.order_id is null
      and p.status = any(${[...OPEN_STATUSES]}::text[])
    where r.company_id = ${companyId} and (r.customer_id = ${customerId} or r.email = lower(${email}::text))
    limit 1`);
  return rows[0]?.id;
}

/** Locks a customer's carts, except those that are begun in the meantime. */
export async function lockCartsOf(tx: Tx, companyId: number, customerId: number): Promise<void> {
  await tx.query(sql`
    select from carts where company_id = ${companyId} and customer_id = ${customerId} order by id for no key update`);
}

/** Reassigns a customer's carts to another customer. */
export async function moveCarts(tx: Tx, companyId: number, from: number, into: number): Promise<void> {
  await tx.query(sql`
    update carts set customer_id = ${into} where company_id = ${companyId} and customer_id = ${from}`);
}

/** Returns the first picture of each product that has one, for a variant without any that of its parent. */
export async function findImages(
  db: Queryable,
  companyId: number,
  productIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.query<{ id: number; url: string }>(sql`
    select p.id, i.url from products p
    left join products parent on parent.company_id = p.company_id and parent.id = p.variant_of
    cross join lateral (
      select image ->> 'url' as url
      from jsonb_array_elements(case when p.images = '[]' then coalesce(parent.images, '[]') else p.images end) image
      order by image -> 'is_primary' desc limit 1) i
    where p.company_id = ${companyId} and p.id = any(${[...productIds]}::bigint[])`);
  return new Map(rows.map((row) => [row.id, row.url]));
}
