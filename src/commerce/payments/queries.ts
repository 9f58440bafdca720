import type { Queryable, Tx } from '../../db/pool.ts';
import { rawSql, sql } from '../../db/sql.ts';
import type { PaymentRow } from './payment.ts';

const COLUMNS = rawSql(
  `id, cart_id, order_id, method_id, provider, label, amount, status, reference, due_on::text, created_at, updated_at`,
);

export async function insertPayments(tx: Tx, companyId: number, payments: readonly PaymentRow[]): Promise<void> {
  await tx.query(sql`
    insert into payments (company_id, id, cart_id, order_id, method_id, provider, label, amount, status, reference, due_on,
      created_at, updated_at)
    overriding system value
    select ${companyId}, p.* from json_to_recordset(${JSON.stringify(payments)}::json) as p (id bigint, cart_id bigint,
      order_id bigint, method_id bigint, provider text, label text, amount bigint, status text, reference text, due_on date,
      created_at timestamptz, updated_at timestamptz)`);
}

/** Returns the payments that are under way for carts without an order, by cart. */
export async function findPaymentsOfCarts(
  db: Queryable,
  companyId: number,
  cartIds: readonly number[],
): Promise<Map<number, PaymentRow>> {
  if (cartIds.length === 0) return new Map();
  const rows = await db.query<PaymentRow & { cart_id: number }>(sql`
    select ${COLUMNS} from payments
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[]) and order_id is null
      and status = 'action_required'`);
  return new Map(rows.map((row) => [row.cart_id, row]));
}

/** Returns the payments of an order, oldest first. */
export async function findPaymentsOfOrder(db: Queryable, companyId: number, orderId: number): Promise<PaymentRow[]> {
  return db.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and order_id = ${orderId} order by id`);
}

/** Sets the order of the payments that are under way for its cart. */
export async function joinPayments(
  tx: Tx,
  companyId: number,
  orders: readonly { id: number; cartId: number }[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update payments p set order_id = o.id, updated_at = ${now}
    from unnest(${orders.map(({ id }) => id)}::bigint[], ${orders.map(({ cartId }) => cartId)}::bigint[]) as o (id, cart_id)
    where p.company_id = ${companyId} and p.cart_id = o.cart_id and p.order_id is null and p.status = 'action_required'`);
}

/** Cancels the payments that are under way for carts without an order. */
export async function cancelPayments(tx: Tx, companyId: number, cartIds: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update payments set status = 'cancelled', updated_at = ${now}
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[]) and order_id is null
      and status = 'action_required'`);
}
