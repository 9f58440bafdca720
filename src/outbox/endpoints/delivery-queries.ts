import { countRows, pageOfKeys } from '../../db/lists.ts';
import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';
import type { DeliveryStatus } from './delivery-contract.ts';

export interface NewDelivery {
  messageId: string;
  eventType: string;
  entity: string;
  body: string;
  correlation: Correlation | null;
}

/** Inserts one delivery per event and active endpoint that listens to it. Returns their number. */
export async function insertDeliveries(
  tx: Tx,
  companyId: number,
  events: NewDelivery[],
  times: { now: Date; giveUpAt: Date },
): Promise<number> {
  const rows = await tx.query(sql`
    insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, correlation, due_at,
      give_up_at, created_at)
    select ${companyId}, w.id, e.message_id, e.event_type, e.entity, e.body, e.correlation, ${times.now}, ${times.giveUpAt}, ${times.now}
    from unnest(${events.map((e) => e.messageId)}::text[], ${events.map((e) => e.eventType)}::text[],
      ${events.map((e) => e.entity)}::text[], ${events.map((e) => e.body)}::text[],
      ${events.map((e) => e.correlation)}::text[])
      with ordinality as e (message_id, event_type, entity, body, correlation, n)
    join webhook_endpoints w on w.company_id = ${companyId} and w.active
      and (w.event_types = '{}' or e.event_type = any(w.event_types))
    order by e.n, w.id
    returning 1`);
  return rows.length;
}

export async function insertPing(
  tx: Tx,
  companyId: number,
  endpointId: number,
  ping: NewDelivery,
  times: { now: Date; giveUpAt: Date },
): Promise<DeliveryRow> {
  const rows = await tx.query<DeliveryRow>(sql`
    insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, correlation, due_at,
      give_up_at, created_at)
    values (${companyId}, ${endpointId}, ${ping.messageId}, ${ping.eventType}, ${ping.entity}, ${ping.body},
      ${ping.correlation}, ${times.now}, ${times.giveUpAt}, ${times.now})
    returning ${DELIVERY}`);
  return rows[0]!;
}

export interface DeliveryRow {
  id: number;
  endpoint_id: number;
  message_id: string;
  event_type: string;
  entity: string;
  body: string;
  correlation: Correlation | null;
  status: DeliveryStatus;
  attempts: number;
  due_at: Date;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

const DELIVERY = rawSql(
  'id, endpoint_id, message_id, event_type, entity, body, correlation, status, attempts, due_at, response_status, response_body, error, created_at, finished_at',
);

export interface DeliveryPage {
  status: DeliveryStatus | null;
  before: number | null;
  skip: number;
  take: number;
}

/** Newest first, with the exact total. */
export async function listDeliveries(
  db: Queryable,
  companyId: number,
  endpointId: number,
  filter: DeliveryPage,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const { status, before, skip, take } = filter;
  const from = sql`from webhook_deliveries d where d.company_id = ${companyId} and d.endpoint_id = ${endpointId}
    ${status === null ? emptySql : sql`and d.status = ${status}`}`;
  const older = before === null ? emptySql : sql`and d.id < ${before}`;
  const keys = sql`select d.id ${from} ${older} order by d.id desc`;
  const bounds = { skip: before === null ? skip : 0, take };
  const rows = await db.query<{ list_total: number } & { [K in keyof DeliveryRow]: DeliveryRow[K] | null }>(sql`
    select l.total as list_total, ${DELIVERY}
    from (${countRows(from)}) l
    left join (
      select * from webhook_deliveries p
      where p.company_id = ${companyId} and p.id = any(array(${pageOfKeys(keys, bounds)}))
    ) d on true
    order by d.id desc`);
  const total = rows[0]!.list_total;
  return { total, rows: rows.filter((row): row is { list_total: number } & DeliveryRow => row.id !== null) };
}

/** Makes failed deliveries due again. */
export async function replayFailed(
  tx: Tx,
  companyId: number,
  endpointId: number,
  ids: number[] | null,
  times: { now: Date; giveUpAt: Date },
): Promise<number> {
  const rows = await tx.query(sql`
    update webhook_deliveries
    set status = 'pending', attempts = 0, due_at = ${times.now}, give_up_at = ${times.giveUpAt}, finished_at = null, error = null
    where company_id = ${companyId} and endpoint_id = ${endpointId} and status = 'failed'
      ${ids === null ? emptySql : sql`and id = any(${ids}::bigint[])`}
    returning 1`);
  return rows.length;
}

/** Fails the pending deliveries of an endpoint that is switched off; they can be replayed. */
export async function failPending(tx: Tx, companyId: number, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`
    update webhook_deliveries set status = 'failed', error = ${reason}, finished_at = ${now}, lease_until = null
    where company_id = ${companyId} and endpoint_id = ${id} and status = 'pending'`);
}
