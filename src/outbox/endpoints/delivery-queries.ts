import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import type { DeliveryStatus } from './delivery-contract.ts';

export interface NewDelivery {
  messageId: string;
  eventType: string;
  entity: string;
  body: string;
}

/** Inserts one delivery per event and active endpoint that listens to it. Returns their number. */
export async function insertDeliveries(
  tx: Tx,
  companyId: number,
  events: NewDelivery[],
  times: { now: Date; giveUpAt: Date },
): Promise<number> {
  const rows = await tx.query(sql`
    insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
    select ${companyId}, w.id, e.message_id, e.event_type, e.entity, e.body, ${times.now}, ${times.giveUpAt}, ${times.now}
    from unnest(${events.map((e) => e.messageId)}::text[], ${events.map((e) => e.eventType)}::text[],
      ${events.map((e) => e.entity)}::text[], ${events.map((e) => e.body)}::text[])
      with ordinality as e (message_id, event_type, entity, body, n)
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
    insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
    values (${companyId}, ${endpointId}, ${ping.messageId}, ${ping.eventType}, ${ping.entity}, ${ping.body}, ${times.now},
      ${times.giveUpAt}, ${times.now})
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
  'id, endpoint_id, message_id, event_type, entity, body, status, attempts, due_at, response_status, response_body, error, created_at, finished_at',
);

export async function listDeliveries(
  db: Queryable,
  companyId: number,
  endpointId: number,
  filter: { status: DeliveryStatus | null; skip: number; take: number },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const byStatus = filter.status === null ? emptySql : sql`and status = ${filter.status}`;
  const [rows, [count]] = await Promise.all([
    db.query<DeliveryRow>(sql`
      select ${DELIVERY} from webhook_deliveries
      where company_id = ${companyId} and endpoint_id = ${endpointId} ${byStatus}
      order by id desc offset ${filter.skip} limit ${filter.take}`),
    db.query<{ n: number }>(sql`
      select count(*) as n from webhook_deliveries
      where company_id = ${companyId} and endpoint_id = ${endpointId} ${byStatus}`),
  ]);
  return { rows, total: count!.n };
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
