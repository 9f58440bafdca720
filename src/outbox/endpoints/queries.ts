import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import { SENDING_ALLOWED } from '../../installation.ts';
import type { DeliveryStatus } from './contract.ts';

export interface EndpointRow {
  id: number;
  url: string;
  event_types: string[];
  description: string;
  active: boolean;
  disabled_reason: string | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

const ENDPOINT = rawSql(
  'id, url, event_types, description, active, disabled_reason, failing_since, created_at, updated_at',
);

export async function listEndpoints(
  db: Queryable,
  companyId: number,
  page: { skip: number; take: number },
): Promise<{ rows: EndpointRow[]; total: number }> {
  const rows = await db.query<EndpointRow & { total: number }>(sql`
    select ${ENDPOINT}, count(*) over () as total from webhook_endpoints
    where company_id = ${companyId} order by id offset ${page.skip} limit ${page.take}`);
  const total = rows[0]?.total ?? (await countEndpoints(db, companyId));
  return { rows, total };
}

export async function countEndpoints(db: Queryable, companyId: number): Promise<number> {
  const rows = await db.query<{ n: number }>(
    sql`select count(*) as n from webhook_endpoints where company_id = ${companyId}`,
  );
  return rows[0]!.n;
}

export async function findEndpoint(
  db: Queryable,
  companyId: number,
  id: number,
  lock = false,
): Promise<EndpointRow | undefined> {
  const rows = await db.query<EndpointRow>(sql`
    select ${ENDPOINT} from webhook_endpoints where company_id = ${companyId} and id = ${id}
    ${lock ? rawSql('for update') : emptySql}`);
  return rows[0];
}

export async function insertEndpoint(
  tx: Tx,
  companyId: number,
  endpoint: { url: string; eventTypes: string[]; description: string; secret: Buffer; now: Date },
): Promise<EndpointRow> {
  const rows = await tx.query<EndpointRow>(sql`
    insert into webhook_endpoints (company_id, url, event_types, description, secret, created_at, updated_at)
    values (${companyId}, ${endpoint.url}, ${endpoint.eventTypes}, ${endpoint.description}, ${endpoint.secret},
      ${endpoint.now}, ${endpoint.now})
    returning ${ENDPOINT}`);
  return rows[0]!;
}

export async function updateEndpoint(tx: Tx, companyId: number, row: EndpointRow, now: Date): Promise<EndpointRow> {
  const rows = await tx.query<EndpointRow>(sql`
    update webhook_endpoints set url = ${row.url}, event_types = ${row.event_types}, description = ${row.description},
      active = ${row.active}, disabled_reason = ${row.disabled_reason}, failing_since = ${row.failing_since},
      updated_at = ${now}
    where company_id = ${companyId} and id = ${row.id} returning ${ENDPOINT}`);
  return rows[0]!;
}

export async function deleteEndpoint(tx: Tx, companyId: number, id: number): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from webhook_endpoints where company_id = ${companyId} and id = ${id} returning 1`,
  );
  return rows.length > 0;
}

export interface NewDelivery {
  messageId: string;
  eventType: string;
  entity: string;
  body: string;
}

/** One delivery for each event and active endpoint that wants it. Gives how many. */
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

/** Failed deliveries become due anew, with a whole day to succeed. */
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

/** The first delivery that waits, of each company: one look into the index for each. */
const FIRST_DUE = sql`first_due as (
  (select company_id, due_at from webhook_deliveries where status = 'pending' order by company_id, due_at limit 1)
  union all
  select next.* from first_due cross join lateral (
    select company_id, due_at from webhook_deliveries where status = 'pending' and company_id > first_due.company_id
    order by company_id, due_at limit 1) next
)`;

/** Companies with deliveries to make now, the longest due first. A company with very many hides nobody. */
export async function companiesWithDeliveries(db: Queryable, now: Date): Promise<number[]> {
  const rows = await db.query<{ company_id: number }>(sql`
    with recursive ${FIRST_DUE}
    select company_id from first_due where due_at <= ${now} and ${SENDING_ALLOWED} order by due_at, company_id`);
  return rows.map((row) => row.company_id);
}

export interface ClaimedDelivery {
  id: number;
  endpoint_id: number;
  message_id: string;
  body: string;
  attempts: number;
  epoch: number;
  created_at: Date;
  give_up_at: Date;
  url: string;
  secret: Buffer;
}

/** Longer than a request can take. */
const LEASE_SECONDS = 30;
/** Due deliveries of a company that one claim looks at, at most: one that finds enough looks at no more. */
const LOOKED_AT = 1_000;

/**
 * Takes due deliveries, one for each thing at most: one about the same thing that is older goes first. Those behind one
 * that waits for its next try are put off until then, so that they are not looked at four times a second. What a worker
 * holds that died is taken over when its lease is over: by the database's clock, since those of the processes may differ.
 */
export async function claimDeliveries(
  tx: Tx,
  companyId: number,
  claim: { now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedDelivery[]> {
  const lookedAt = sql`(
    select id, endpoint_id, entity, due_at from webhook_deliveries
    where company_id = ${companyId} and status = 'pending' and due_at <= ${claim.now}
    order by due_at, id limit ${LOOKED_AT}) l`;
  const older = sql`webhook_deliveries o
    where o.company_id = ${companyId} and o.endpoint_id = l.endpoint_id and o.entity = l.entity and o.status = 'pending'
      and o.id < l.id`;
  return tx.query<ClaimedDelivery>(sql`
    -- Materialized: run anew for each row of a join, it would take other rows each time.
    with due as materialized (
      select c.id from ${lookedAt} join webhook_deliveries c on c.company_id = ${companyId} and c.id = l.id
      -- One look for each, also while the planner knows nothing of the table: a plain "not exists" read all of it, for each.
      left join lateral (select o.id from ${older} order by o.id limit 1) o on true
      where c.status = 'pending' and c.due_at <= ${claim.now} and o.id is null
        and (c.lease_until is null or c.lease_until < clock_timestamp())
      order by l.due_at, l.id limit ${claim.limit} for update of c skip locked
    ),
    late as materialized (
      select c.id, o.due_at from ${lookedAt} join webhook_deliveries c on c.company_id = ${companyId} and c.id = l.id
      cross join lateral (select due_at, lease_until from ${older} order by o.id limit 1) o
      where (select count(*) from due) < ${claim.limit} and c.status = 'pending' and c.due_at <= ${claim.now}
        and o.due_at > ${claim.now} and o.lease_until is null
      for update of c skip locked
    ),
    put_off as (
      update webhook_deliveries d set due_at = late.due_at from late
      where d.company_id = ${companyId} and d.id = late.id
    )
    update webhook_deliveries d
    set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), due_at = ${claim.leaseUntil}, epoch = d.epoch + 1, attempts = d.attempts + 1
    from due, webhook_endpoints w
    where w.company_id = ${companyId} and w.id = d.endpoint_id and d.company_id = ${companyId} and d.id = due.id
    returning d.id, d.endpoint_id, d.message_id, d.body, d.attempts, d.epoch, d.created_at, d.give_up_at, w.url, w.secret`);
}

export interface Settlement {
  status: DeliveryStatus;
  dueAt: Date;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  finishedAt: Date | null;
}

/** Writes down what came of an attempt; nothing where another worker has taken the delivery over meanwhile. */
export async function settleDelivery(
  tx: Tx,
  companyId: number,
  claimed: { id: number; epoch: number },
  s: Settlement,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhook_deliveries set status = ${s.status}, due_at = ${s.dueAt}, lease_until = null,
      response_status = ${s.responseStatus}, response_body = ${s.responseBody}, error = ${s.error},
      finished_at = ${s.finishedAt}
    where company_id = ${companyId} and id = ${claimed.id} and epoch = ${claimed.epoch} and status = 'pending'
    returning 1`);
  return rows.length > 0;
}

/** After a success the endpoint is well; after a failure it has been failing since the first of them. */
export async function noteHealth(
  tx: Tx,
  companyId: number,
  endpointId: number,
  ok: boolean,
  now: Date,
): Promise<Date | null> {
  const rows = await tx.query<{ failing_since: Date | null }>(sql`
    update webhook_endpoints set failing_since = ${ok ? rawSql('null') : sql`coalesce(failing_since, ${now})`}
    where company_id = ${companyId} and id = ${endpointId} and (failing_since is null) = ${!ok}
    returning failing_since`);
  if (rows.length > 0) return rows[0]!.failing_since;
  return (await findEndpoint(tx, companyId, endpointId))?.failing_since ?? null;
}

/** What waits for an endpoint that is switched off is kept as failed: it can be replayed. */
export async function failWaiting(tx: Tx, companyId: number, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`
    update webhook_deliveries set status = 'failed', error = ${reason}, finished_at = ${now}, lease_until = null
    where company_id = ${companyId} and endpoint_id = ${id} and status = 'pending'`);
}

/** Switches an endpoint off that has failed for days. */
export async function disableEndpoint(tx: Tx, companyId: number, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints set active = false, disabled_reason = ${reason}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}`);
  await failWaiting(tx, companyId, id, reason, now);
}

/** The next moment after `now` at which a delivery is due, in any company. */
export async function nextDue(db: Queryable, now: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(sql`
    with recursive ${FIRST_DUE}
    select min(next.due_at) as due_at from first_due cross join lateral (
      select due_at from webhook_deliveries d
      where d.company_id = first_due.company_id and d.status = 'pending' and d.due_at > ${now}
      order by d.due_at limit 1) next`);
  return rows[0]!.due_at;
}
