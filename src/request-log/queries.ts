import type { Queryable } from '../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../db/sql.ts';
import type { PageBounds } from '../lib/paging.ts';

/** A request as it is written. */
export interface RecordedRequest {
  companyId: number;
  at: Date;
  keyId: number | null;
  api: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
  error: string | null;
  fields: string | null;
  leftOut: number;
}

/** Inserts requests of any number of companies. */
export async function insertRequests(db: Queryable, rows: readonly RecordedRequest[]): Promise<void> {
  const column = <Key extends keyof RecordedRequest>(key: Key): RecordedRequest[Key][] => rows.map((row) => row[key]);
  await db.query(sql`
    insert into api_requests
      (company_id, at, key_id, api, method, path, status, duration_ms, request_id, error, fields, left_out)
    select * from unnest(${column('companyId')}::bigint[], ${column('at')}::timestamptz[], ${column('keyId')}::bigint[],
      ${column('api')}::text[], ${column('method')}::text[], ${column('path')}::text[], ${column('status')}::smallint[],
      ${column('durationMs')}::real[], ${column('requestId')}::text[], ${column('error')}::text[], ${column('fields')}::text[],
      ${column('leftOut')}::int[])`);
}

/** Removes the company's oldest rows, but for the `kept` latest. */
export async function trimRequests(db: Queryable, companyId: number, kept: number): Promise<void> {
  await db.query(sql`
    delete from api_requests where company_id = ${companyId} and id <= (
      select id from api_requests where company_id = ${companyId} order by id desc offset ${kept} limit 1)`);
}

/** Removes requests that are older than the company keeps them. */
export interface RequestFilters {
  keyId: number | null;
  /** First digit of the status: 2 to 5. */
  hundreds: number | null;
  method: string | null;
  path: string | null;
  error: string | null;
  requestId: string | null;
}

export interface RequestRow {
  id: number;
  at: Date;
  api: 'commerce' | 'marketing';
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  key_id: number | null;
  key_name: string | null;
  request_id: string;
  error: string | null;
  fields: string | null;
  left_out: number;
}

function matches(companyId: number, filters: RequestFilters): Statement {
  const { keyId, hundreds, method, path, error, requestId } = filters;
  return sql`r.company_id = ${companyId} and (${keyId}::bigint is null or r.key_id = ${keyId})
    and (${hundreds}::int is null or r.status / 100 = ${hundreds}) and (${method}::text is null or r.method = ${method})
    and (${path}::text is null or starts_with(r.path, ${path})) and (${error}::text is null or r.error = ${error})
    and (${requestId}::text is null or r.request_id = ${requestId})`;
}

export async function countRequests(db: Queryable, companyId: number, filters: RequestFilters): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    select count(*) as n from api_requests r where ${matches(companyId, filters)}`);
  return rows[0]!.n;
}

const SHOWN =
  rawSql(`r.id, r.at, r.api, r.method, r.path, r.status, r.duration_ms, r.key_id, k.name as key_name, r.request_id, r.error,
  r.fields, r.left_out`);

/** Returns requests latest first, with the names of keys. About 20,000 are kept per company. */
export function listRequests(
  db: Queryable,
  companyId: number,
  filters: RequestFilters,
  { skip, take }: PageBounds,
): Promise<RequestRow[]> {
  return db.query<RequestRow>(sql`
    select ${SHOWN}
    from api_requests r left join api_keys k on k.company_id = r.company_id and k.id = r.key_id
    where ${matches(companyId, filters)} order by r.id desc offset ${skip} limit ${take}`);
}

/** Returns the requests before an id, latest first; from the latest on if `before` is null. */
export function walkRequests(
  db: Queryable,
  companyId: number,
  filters: RequestFilters,
  { before, limit }: { before: number | null; limit: number },
): Promise<RequestRow[]> {
  return db.query<RequestRow>(sql`
    select ${SHOWN}
    from api_requests r left join api_keys k on k.company_id = r.company_id and k.id = r.key_id
    where ${matches(companyId, filters)} ${before === null ? emptySql : sql`and r.id < ${before}`}
    order by r.id desc limit ${limit}`);
}
