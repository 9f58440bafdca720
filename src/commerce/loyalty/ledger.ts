import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export type LedgerType = 'earn' | 'redeem' | 'reverse_earn' | 'restore' | 'adjust';

export interface LedgerEntry {
  customerId: number;
  type: LedgerType;
  /** Signed: redeemed and reversed points are negative. */
  points: number;
  orderId: number | null;
  actor: string;
  reason?: string;
}

/**
 * The only writer of points: appends to the ledger and changes the kept balances by the same numbers, in one statement each, sent together.
 * `orders` are the orders placed per customer, counted on the same row. All transactions lock accounts by ascending customer id, so that
 * they do not deadlock.
 */
export async function postLedger(
  tx: Tx,
  companyId: number,
  entries: LedgerEntry[],
  now: Date,
  orders: ReadonlyMap<number, number> = new Map(),
): Promise<void> {
  const accounts = new Map<number, { orders: number; balance: number; lifetime: number }>();
  for (const [customerId, count] of orders) accounts.set(customerId, { orders: count, balance: 0, lifetime: 0 });
  for (const entry of entries) {
    let account = accounts.get(entry.customerId);
    if (account === undefined) {
      account = { orders: 0, balance: 0, lifetime: 0 };
      accounts.set(entry.customerId, account);
    }
    account.balance += entry.points;
    if (entry.type === 'earn' || entry.type === 'reverse_earn') account.lifetime += entry.points;
  }
  if (accounts.size === 0) return;
  const sorted = [...accounts].sort(([a], [b]) => a - b);
  const moved = tx.query(sql`
    insert into customer_accounts as a (company_id, customer_id, order_count, points_balance, points_lifetime)
    select ${companyId}, customer_id, orders, balance, lifetime
    from unnest(${sorted.map(([id]) => id)}::bigint[], ${sorted.map(([, a]) => a.orders)}::bigint[],
      ${sorted.map(([, a]) => a.balance)}::bigint[], ${sorted.map(([, a]) => a.lifetime)}::bigint[])
      as t (customer_id, orders, balance, lifetime)
    on conflict (company_id, customer_id) do update set order_count = a.order_count + excluded.order_count,
      points_balance = a.points_balance + excluded.points_balance,
      points_lifetime = a.points_lifetime + excluded.points_lifetime`);
  const written = entries.length === 0 ? undefined : insertLedger(tx, companyId, entries, now);
  await Promise.all([moved, written]);
}

async function insertLedger(tx: Tx, companyId: number, entries: LedgerEntry[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into loyalty_ledger (company_id, customer_id, type, points, order_id, actor, reason, created_at)
    select ${companyId}, customer_id, type, points, order_id, actor, reason, ${now}
    from unnest(${entries.map((e) => e.customerId)}::bigint[], ${entries.map((e) => e.type)}::text[],
      ${entries.map((e) => e.points)}::bigint[], ${entries.map((e) => e.orderId)}::bigint[],
      ${entries.map((e) => e.actor)}::text[], ${entries.map((e) => e.reason ?? null)}::text[])
      as t (customer_id, type, points, order_id, actor, reason)`);
}

/**
 * Changes the points that carts have reserved, by customer: they stay in the balance, and cannot be redeemed otherwise. Of the customers
 * that the transaction has not locked, the accounts are locked by ascending id.
 */
export async function reservePoints(tx: Tx, companyId: number, points: ReadonlyMap<number, number>): Promise<void> {
  if (points.size === 0) return;
  await tx.query(sql`
    with locked as materialized (
      select customer_id from customer_accounts
      where company_id = ${companyId} and customer_id = any(${[...points.keys()]}::bigint[]) order by customer_id for update
    )
    update customer_accounts a set points_reserved = a.points_reserved + t.points
    from locked join unnest(${[...points.keys()]}::bigint[], ${[...points.values()]}::bigint[]) as t (customer_id, points)
      using (customer_id)
    where a.company_id = ${companyId} and a.customer_id = t.customer_id`);
}
