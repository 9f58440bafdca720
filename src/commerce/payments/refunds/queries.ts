import type { KeysetPage } from '../../../db/keyset-pages.ts';
import { countRows, pageOfKeys } from '../../../db/lists.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import type { PageBounds } from '../../../lib/paging.ts';
import type { Minor } from '../../money.ts';
import type { ProviderRefund } from '../providers/provider.ts';
import type { REFUND_STATUSES, REFUND_TARGETS } from './contract.ts';
import type { RefundableLine } from './shares.ts';

export interface RefundLineRow {
  line_id: number;
  qty: number;
  amount: Minor;
  restocked: number;
}

export interface RefundRow {
  id: number;
  order_id: number;
  amount: Minor;
  shipping: Minor;
  reason: string | null;
  to: (typeof REFUND_TARGETS)[number];
  /** Whether the money was sent. */
  status: (typeof REFUND_STATUSES)[number];
  lines: RefundLineRow[];
  actor: string;
  created_at: Date;
}

/** Draws the id of a new refund. */
export async function drawRefundId(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`select nextval('refunds_id_seq') as id`);
  return row!.id;
}

/** Returns the lines of an order that the caller has locked, with the units that refunds have named. */
export async function findRefundableLines(
  tx: Tx,
  companyId: number,
  orderId: number,
): Promise<(RefundableLine & { tracked: boolean })[]> {
  return tx.query(sql`
    select i.id, i.qty, i.subtotal, i.discount, i.tax, i.tracked, coalesce((
      select sum(l.qty)::int from refund_lines l
      where l.company_id = i.company_id and l.order_id = i.order_id and l.line_id = i.id), 0) as refunded
    from order_items i where i.company_id = ${companyId} and i.order_id = ${orderId} order by i.line`);
}

/** Returns what refunds of an order gave back for shipping. */
export async function sumShipping(tx: Tx, companyId: number, orderId: number): Promise<Minor> {
  const [row] = await tx.query<{ shipping: Minor }>(sql`
    select coalesce(sum(shipping), 0)::bigint as shipping from refunds
    where company_id = ${companyId} and order_id = ${orderId}`);
  return row!.shipping;
}

/** Returns the units that refunds returned to the stock, by line. */
export async function findRestocked(tx: Tx, companyId: number, orderId: number): Promise<Map<number, number>> {
  const rows = await tx.query<{ line_id: number; qty: number }>(sql`
    select line_id, sum(restocked)::int as qty from refund_lines
    where company_id = ${companyId} and order_id = ${orderId} group by line_id`);
  return new Map(rows.map(({ line_id, qty }) => [line_id, qty]));
}

export async function insertRefund(tx: Tx, companyId: number, refund: RefundRow): Promise<void> {
  const { id, order_id, amount, shipping, reason, to, status, lines, actor, created_at } = refund;
  await Promise.all([
    tx.query(sql`
      insert into refunds (company_id, id, order_id, amount, shipping, reason, "to", status, actor, created_at)
      overriding system value
      values (${companyId}, ${id}, ${order_id}, ${amount}, ${shipping}, ${reason}, ${to}, ${status}, ${actor}, ${created_at})`),
    tx.query(sql`
      insert into refund_lines (company_id, refund_id, order_id, line_id, qty, amount, restocked)
      select ${companyId}, ${id}, ${order_id}, l.* from json_to_recordset(${JSON.stringify(lines)}::json) as l (line_id bigint,
        qty int, amount bigint, restocked int)`),
  ]);
}

/** Returns why refunds of an order were made, by id. */
export async function findReasons(tx: Tx, companyId: number, orderId: number): Promise<Map<number, string | null>> {
  const rows = await tx.query<{ id: number; reason: string | null }>(sql`
    select id, reason from refunds where company_id = ${companyId} and order_id = ${orderId}`);
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}

/** Sets the status of the refunds whose operations are given. One is done once the ledger has all of it, from each service. */
export async function settleRefunds(
  tx: Tx,
  companyId: number,
  reported: readonly ProviderRefund[],
  refundOf: ReadonlyMap<number, number | null>,
): Promise<void> {
  for (const { operationId, status } of reported) {
    const id = operationId === null ? null : (refundOf.get(operationId) ?? null);
    if (id === null) continue;
    await tx.query(sql`
      update refunds r set status = case
        when ${status === 'failed'} then 'failed'
        when r.status = 'pending' and r.amount = (
          select -sum(l.amount) from order_ledger l
          where l.company_id = r.company_id and l.order_id = r.order_id and l.refund_id = r.id and l.kind = 'refund') then 'done'
        else r.status end
      where r.company_id = ${companyId} and r.id = ${id}`);
  }
}

/** Marks a refund as failed, because the service declined it. */
export async function failRefund(tx: Tx, companyId: number, id: number): Promise<void> {
  await tx.query(sql`update refunds set status = 'failed' where company_id = ${companyId} and id = ${id}`);
}

/** Selects the refunds of a customer's orders, for `keysetPages`. */
export function refundsOfCustomer(companyId: number, customerId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select r.id, json_build_object('order_id', r.order_id, 'amount', r.amount, 'reason', r.reason,
      'created_at', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as data
    from orders o join refunds r on r.company_id = o.company_id and r.order_id = o.id
    where o.company_id = ${companyId} and o.customer_id = ${customerId} and r.id > ${after}
    order by r.id limit ${limit}`;
}

/** Newest first. */
export async function listRefunds(
  db: Queryable,
  companyId: number,
  orderId: number,
  page: PageBounds,
): Promise<{ rows: RefundRow[]; total: number }> {
  const from = sql`from refunds where company_id = ${companyId} and order_id = ${orderId}`;
  const [[counted], rows] = await Promise.all([
    db.query<{ total: number }>(countRows(from)),
    db.query<RefundRow>(sql`
      select r.id, r.order_id, r.amount, r.shipping, r.reason, r."to", r.status, r.actor, r.created_at, coalesce((
        select json_agg(json_build_object('line_id', l.line_id, 'qty', l.qty, 'amount', l.amount, 'restocked', l.restocked)
          order by l.line_id)
        from refund_lines l where l.company_id = r.company_id and l.refund_id = r.id), '[]') as lines
      from refunds r
      where r.company_id = ${companyId} and r.id = any(array(${pageOfKeys(
        sql`select id ${from} ${rawSql('order by id desc')}`,
        page,
      )}))
      order by r.id desc`),
  ]);
  return { rows, total: counted!.total };
}
