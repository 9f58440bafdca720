import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import { failPending } from './delivery-queries.ts';

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

/** Records a success or a failure. Returns since when the endpoint has been failing, or null. */
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

/** Disables an endpoint and fails its pending deliveries. */
export async function disableEndpoint(tx: Tx, companyId: number, id: number, reason: string, now: Date): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints set active = false, disabled_reason = ${reason}, updated_at = ${now}
    where company_id = ${companyId} and id = ${id}`);
  await failPending(tx, companyId, id, reason, now);
}
