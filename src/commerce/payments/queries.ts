import type { KeysetPage } from '../../db/keyset-pages.ts';
import { countRows, pageOfKeys } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import type { PageBounds } from '../../lib/paging.ts';
import type { Balance, LedgerEntry, OrderBooks } from './books.ts';
import type { PaymentRow } from './payment.ts';
import type { PaymentStatus } from './status.ts';

const COLUMNS =
  rawSql(`id, cart_id, order_id, method_id, provider, label, amount, captured, refunded, status, reference,
  due_on::text, created_at, updated_at`);

/** Inserts payments, or sets what can change of those that exist. */
export async function savePayments(tx: Tx, companyId: number, payments: readonly PaymentRow[]): Promise<void> {
  await tx.query(sql`
    insert into payments (company_id, id, cart_id, order_id, method_id, provider, label, amount, captured, refunded, status,
      reference, due_on, created_at, updated_at)
    overriding system value
    select ${companyId}, p.* from json_to_recordset(${JSON.stringify(payments)}::json) as p (id bigint, cart_id bigint,
      order_id bigint, method_id bigint, provider text, label text, amount bigint, captured bigint, refunded bigint, status text,
      reference text, due_on date, created_at timestamptz, updated_at timestamptz)
    on conflict (company_id, id) do update set order_id = excluded.order_id, amount = excluded.amount,
      captured = excluded.captured, refunded = excluded.refunded, status = excluded.status, updated_at = excluded.updated_at`);
}

/** Writes what changed in the books of orders, which the caller has locked. */
export function saveBooks(tx: Tx, companyId: number, books: readonly OrderBooks[]): Promise<unknown>[] {
  if (books.length === 0) return [];
  const payments = books.flatMap(({ changed }) => [...changed]);
  const entries = books.flatMap((one) => one.entries);
  const balances = books.map((one) => ({ order_id: one.orderId, ...one.balance }));
  return [
    ...(payments.length > 0 ? [savePayments(tx, companyId, payments)] : []),
    ...(entries.length > 0 ? [insertEntries(tx, companyId, entries)] : []),
    saveBalances(tx, companyId, balances),
  ];
}

async function insertEntries(tx: Tx, companyId: number, entries: readonly LedgerEntry[]): Promise<void> {
  await tx.query(sql`
    insert into order_ledger (company_id, order_id, kind, amount, payment_id, refund_id, cause, reference, received_on, actor,
      created_at)
    select ${companyId}, e.* from json_to_recordset(${JSON.stringify(entries)}::json) as e (order_id bigint, kind text,
      amount bigint, payment_id bigint, refund_id bigint, cause text, reference text, received_on date, actor text,
      created_at timestamptz)`);
}

async function saveBalances(
  tx: Tx,
  companyId: number,
  balances: readonly (Balance & { order_id: number })[],
): Promise<void> {
  await tx.query(sql`
    insert into order_balances (company_id, order_id, charged, paid, refunded, payment_status)
    select ${companyId}, b.* from json_to_recordset(${JSON.stringify(balances)}::json) as b (order_id bigint, charged bigint,
      paid bigint, refunded bigint, payment_status text)
    on conflict (company_id, order_id) do update set charged = excluded.charged, paid = excluded.paid,
      refunded = excluded.refunded, payment_status = excluded.payment_status`);
}

/** Locks the payments of an order that the caller has locked; returns them with the sums of its ledger, null without one. */
export async function lockBooks(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<{ payments: PaymentRow[]; balance: Balance | null }> {
  const [payments, [balance = null]] = await Promise.all([
    tx.query<PaymentRow>(sql`
      select ${COLUMNS} from payments where company_id = ${companyId} and order_id = ${orderId} order by id for update`),
    tx.query<Balance>(sql`
      select charged, paid, refunded, payment_status from order_balances
      where company_id = ${companyId} and order_id = ${orderId}`),
  ]);
  return { payments, balance };
}

/** Draws the id of a new payment. */
export async function drawPaymentId(db: Queryable): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('payments_id_seq') as id`);
  return row!.id;
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

export async function findPayment(db: Queryable, companyId: number, id: number): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>(sql`
    select ${COLUMNS} from payments where company_id = ${companyId} and id = ${id}`);
  return row;
}

export interface PaymentFilters {
  status: PaymentStatus | null;
  orderId: number | null;
  /** `YYYY-MM-DD`. */
  dueBefore: string | null;
}

/** Newest first. */
export async function listPayments(
  db: Queryable,
  companyId: number,
  { status, orderId, dueBefore }: PaymentFilters,
  page: PageBounds,
): Promise<{ rows: PaymentRow[]; total: number }> {
  const from: Statement = sql`from payments where company_id = ${companyId}
    ${status === null ? emptySql : sql`and status = ${status}`} ${orderId === null ? emptySql : sql`and order_id = ${orderId}`}
    ${dueBefore === null ? emptySql : sql`and due_on < ${dueBefore}::date`}`;
  const [[counted], rows] = await Promise.all([
    db.query<{ total: number }>(countRows(from)),
    db.query<PaymentRow>(sql`
      select ${COLUMNS} from payments
      where company_id = ${companyId} and id = any(array(${pageOfKeys(sql`select id ${from} order by id desc`, page)}))
      order by id desc`),
  ]);
  return { rows, total: counted!.total };
}

export type EntryRow = LedgerEntry & { id: number };

/** Returns the ledger of an order, oldest first. */
export async function findLedger(db: Queryable, companyId: number, orderId: number): Promise<EntryRow[]> {
  return db.query<EntryRow>(sql`
    select id, order_id, kind, amount, payment_id, refund_id, cause, reference, received_on::text, actor, created_at
    from order_ledger where company_id = ${companyId} and order_id = ${orderId} order by id`);
}

/** Selects the ledgers of a customer's orders, for `keysetPages`. */
export function ledgerOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select l.id, json_build_object('order_id', l.order_id, 'kind', l.kind, 'amount', l.amount, 'reference', l.reference,
      'received_on', l.received_on, 'created_at', to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from orders o join order_ledger l on l.company_id = o.company_id and l.order_id = o.id
    where o.company_id = ${companyId} and o.customer_id = ${customerId} and l.id > ${after}
    order by l.id limit ${limit}`;
}

/** Cancels the payments that are under way for carts without an order. */
export async function cancelPayments(tx: Tx, companyId: number, cartIds: readonly number[], now: Date): Promise<void> {
  await tx.query(sql`
    update payments set status = 'cancelled', updated_at = ${now}
    where company_id = ${companyId} and cart_id = any(${[...cartIds]}::bigint[]) and order_id is null
      and status = 'action_required'`);
}
