import type { Queryable, Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { NEW_CART } from './fields.ts';
import { COLUMNS, drawCartIds, type IfLocked, insertCarts, skips } from './queries.ts';
import type { CartRow } from './row.ts';

/** The order of a subscription that is to be paid first. */
export interface RenewalCart {
  subscriptionId: number;
  /** `YYYY-MM-DD`. */
  cycleDate: string;
  customerId: number;
  item: { product_id: number; qty: number; price: number };
  address: Pick<CartRow, 'shipping_address' | 'shipping_city' | 'shipping_state' | 'shipping_zip' | 'shipping_country'>;
}

/** Begins carts of renewals: one for each subscription and date that is not final. */
export async function insertRenewalCarts(
  tx: Tx,
  companyId: number,
  renewals: readonly RenewalCart[],
  now: Date,
): Promise<CartRow[]> {
  if (renewals.length === 0) return [];
  const ids = await drawCartIds(tx, renewals.length);
  const rows = renewals.map(({ subscriptionId, cycleDate, customerId, item, address }, i): CartRow => {
    const { product_id, qty, price } = item;
    const line = { id: 1, product_id, qty, added_price: price, price_override: price, override_reason: null };
    return {
      ...NEW_CART,
      ...address,
      id: ids[i]!,
      status: 'open',
      origin: 'subscription',
      revision: 1,
      customer_id: customerId,
      lines: [line],
      last_line_id: 1,
      subscription_id: subscriptionId,
      cycle_date: cycleDate,
      frozen: null,
      checkout_started_at: null,
      created_at: now,
      updated_at: now,
    };
  });
  await insertCarts(
    tx,
    companyId,
    rows.map((row) => ({ ...row, token: null })),
  );
  return rows;
}

/** Returns the carts of subscriptions' renewals that may still become orders, expired ones too. */
export async function findRenewalCarts(
  db: Queryable,
  companyId: number,
  subscriptionIds: readonly number[],
): Promise<CartRow[]> {
  const ids = [...subscriptionIds];
  // Apart, since the index of dates has no expired ones.
  return db.query<CartRow>(sql`
    select ${COLUMNS} from carts
    where company_id = ${companyId} and subscription_id = any(${ids}::bigint[]) and status in ('open', 'paying')
    union all
    select ${COLUMNS} from carts
    where company_id = ${companyId} and subscription_id = any(${ids}::bigint[]) and status = 'expired' order by id`);
}

/** Locks the carts of subscriptions' renewals that are open or being paid. */
export async function lockRenewalCarts(
  tx: Tx,
  companyId: number,
  subscriptionIds: readonly number[],
  ifLocked: IfLocked,
): Promise<CartRow[]> {
  return tx.query<CartRow>(sql`
    select ${COLUMNS} from carts
    where company_id = ${companyId} and subscription_id = any(${[...subscriptionIds]}::bigint[])
      and status in ('open', 'paying') order by id for no key update ${skips(ifLocked)}`);
}

/** Cancels open carts of renewals, which the caller has locked. */
export async function cancelRenewalCarts(tx: Tx, companyId: number, ids: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update carts set status = 'cancelled', updated_at = ${now}
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and status = 'open'`);
}

/** Returns which of the carts are of renewals, with their subscriptions and dates. */
export async function renewalsOfCarts(
  db: Queryable,
  companyId: number,
  ids: readonly number[],
): Promise<{ id: number; subscription_id: number; cycle_date: string }[]> {
  return db.query<{ id: number; subscription_id: number; cycle_date: string }>(sql`
    select id, subscription_id, cycle_date::text from carts
    where company_id = ${companyId} and id = any(${[...ids]}::bigint[]) and subscription_id is not null`);
}
