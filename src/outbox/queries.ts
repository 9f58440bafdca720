import type { Queryable, Tx } from '../db/pool.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Correlation } from '../lib/tracing/correlation.ts';
import type { ShopTopic } from './shop-events.ts';

export interface OutboxEvent {
  /** The event type. */
  topic: ShopTopic;
  /** `event_data`, as `SHOP_EVENTS` describes it. */
  payload: object;
  occurredAt: Date;
}

export async function insertOutbox(
  tx: Tx,
  companyId: number,
  events: OutboxEvent[],
  correlations: readonly (Correlation | null)[],
): Promise<void> {
  await tx.query(sql`
    insert into outbox (company_id, topic, payload, occurred_at, correlation)
    select ${companyId}, topic, payload, occurred_at, correlation
    from unnest(${events.map((e) => e.topic)}::text[], ${events.map((e) => JSON.stringify(e.payload))}::jsonb[],
      ${events.map((e) => e.occurredAt)}::timestamptz[], ${correlations}::text[])
      as t (topic, payload, occurred_at, correlation)`);
}

/** A part of a statement that writes an event to the outbox for each of the rows, which are `(payload, occurred_at)`. */
export function insertingOutbox(companyId: number, topic: ShopTopic, rows: Statement): Statement {
  return sql`
    insert into outbox (company_id, topic, payload, occurred_at)
    select ${companyId}, ${topic}, payload, occurred_at from (${rows}) as e (payload, occurred_at)`;
}

/** Companies with events in the outbox. */
export async function companiesWithOutbox(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    -- One probe per company instead of a scan: the primary key begins with company_id.
    select c.company_id from companies c
    where exists (select 1 from outbox o where o.company_id = c.company_id)
    order by c.company_id`);
  return rows.map((row) => row.company_id);
}

export interface TakenEvent {
  id: number;
  topic: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
  correlation: Correlation | null;
  /** Whether its webhooks were queued already: true for a replayed event. */
  deliveries_queued: boolean;
}

/**
 * Takes the oldest events of the company out, in order. Only one process at a time may do so per company, so that events of one
 * customer keep their order; others get an empty list.
 */
export async function takeOutbox(tx: Tx, companyId: number, limit: number): Promise<TakenEvent[]> {
  const [lock] = await tx.query<{ got: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended('outbox', ${companyId})) as got`,
  );
  if (!lock!.got) return [];
  const rows = await tx.query<TakenEvent>(sql`
    with oldest as (
      select id from outbox where company_id = ${companyId} order by id limit ${limit} for update
    )
    delete from outbox o using oldest where o.company_id = ${companyId} and o.id = oldest.id
    returning o.id, o.topic, o.payload, o.occurred_at, o.deliveries_queued, o.correlation`);
  return rows.sort((a, b) => a.id - b.id);
}

export type RefusedEvent = TakenEvent & { reason: string };

export async function moveContacts(
  tx: Tx,
  companyId: number,
  topics: readonly ShopTopic[],
  from: number[],
  into: number,
): Promise<void> {
  await tx.query(sql`
    update outbox set payload = payload || jsonb_build_object('contact_id', ${into}::bigint)
    where company_id = ${companyId} and topic = any(${topics}::text[]) and (payload ->> 'contact_id')::bigint = any(${from}::bigint[])`);
}

/** Takes the lock that a transfer of the company's events holds until COMMIT. */
export async function lockOutbox(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended('outbox', ${companyId}))
    from companies where company_id = ${companyId}`);
}

/** Stores refused events with their reasons. */
export async function insertRefusals(tx: Tx, companyId: number, refused: RefusedEvent[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into outbox_refusals (company_id, id, topic, payload, occurred_at, deliveries_queued, reason,
      correlation, refused_at)
    select ${companyId}, id, topic, payload, occurred_at, deliveries_queued, reason, correlation, ${now}
    from unnest(${refused.map((e) => e.id)}::bigint[], ${refused.map((e) => e.topic)}::text[],
      ${refused.map((e) => JSON.stringify(e.payload))}::jsonb[], ${refused.map((e) => e.occurred_at)}::timestamptz[],
      ${refused.map((e) => e.deliveries_queued)}::boolean[], ${refused.map((e) => e.reason)}::text[],
      ${refused.map((e) => e.correlation)}::text[])
      as t (id, topic, payload, occurred_at, deliveries_queued, reason, correlation)`);
}
