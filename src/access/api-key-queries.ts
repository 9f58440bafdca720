import { CLOCK_SKEW_MS } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

export interface ApiKeyRow {
  company_id: number;
  id: number;
  name: string;
  display: string;
  scopes: string[];
  requests_per_hour: number;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/**
 * Returns the key with this hash, of any company, because the key determines the company. Includes the version of the company's
 * configuration from the same snapshot, so that a revocation committed a moment later is noticed.
 */
export async function findApiKeyByHash(
  db: Queryable,
  hash: Buffer,
): Promise<(ApiKeyRow & { version: number }) | undefined> {
  const rows = await db.query<ApiKeyRow & { version: number }>(sql`
    select k.company_id, k.id, k.name, k.display, k.scopes, k.requests_per_hour, k.created_at, k.expires_at, k.revoked_at,
      null::timestamptz as last_used_at, coalesce(v.version, 0) as version
    from api_keys k left join company_versions v on v.company_id = k.company_id
    where k.hash = ${hash}`);
  return rows[0];
}

export async function insertApiKey(
  db: Queryable,
  companyId: number,
  key: {
    name: string;
    display: string;
    hash: Buffer;
    scopes: string[];
    requestsPerHour: number;
    expiresAt: Date | null;
    now: Date;
  },
): Promise<number> {
  const rows = await db.query<{ id: number }>(sql`
    insert into api_keys (company_id, name, display, hash, scopes, requests_per_hour, created_at, expires_at)
    values (${companyId}, ${key.name}, ${key.display}, ${key.hash}, ${key.scopes}, ${key.requestsPerHour}, ${key.now},
      ${key.expiresAt})
    returning id`);
  return rows[0]!.id;
}

export async function listApiKeys(db: Queryable, companyId: number): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(sql`
    select k.company_id, k.id, k.name, k.display, k.scopes, k.requests_per_hour, k.created_at, k.expires_at,
      k.revoked_at, u.last_used_at
    from api_keys k left join api_key_usage u on u.company_id = k.company_id and u.api_key_id = k.id
    where k.company_id = ${companyId} order by k.id`);
}

/** For the command line, which names keys only by id. */
export async function findApiKeyById(db: Queryable, keyId: number): Promise<ApiKeyRow | undefined> {
  const rows = await db.query<ApiKeyRow>(sql`
    select company_id, id, name, display, scopes, requests_per_hour, created_at, expires_at, revoked_at,
      null::timestamptz as last_used_at
    from api_keys where id = ${keyId}`);
  return rows[0];
}

export async function endApiKey(
  db: Queryable,
  companyId: number,
  keyId: number,
  end: { revokedAt: Date | null; expiresAt: Date | null },
): Promise<void> {
  await db.query(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${end.revokedAt}),
      expires_at = case when ${end.expiresAt}::timestamptz is null then expires_at else least(expires_at, ${end.expiresAt}) end
    where company_id = ${companyId} and id = ${keyId}`);
}

export interface Lease {
  window_started: Date;
  granted: number;
  total_leased: number;
}

/** Leases a slice of the key's current hour for this process, at most `most` requests. */
export async function leaseRequests(
  db: Queryable,
  companyId: number,
  keyId: number,
  lease: { at: Date; most: number; hourly: number },
): Promise<Lease> {
  const rows = await db.query<Lease>(sql`
    select window_started, granted, total_leased
    from lease_requests(${companyId}, ${keyId}, ${lease.at}, ${lease.most}, ${lease.hourly})`);
  return rows[0]!;
}

/** Returns the unused rest of a slice, if its window is still the current one. */
export async function returnRequests(
  db: Queryable,
  companyId: number,
  keyId: number,
  slice: { windowStart: Date; unused: number },
): Promise<void> {
  await db.query(sql`
    update api_key_usage set leased = leased - ${slice.unused}
    where company_id = ${companyId} and api_key_id = ${keyId} and window_start = ${slice.windowStart}`);
}

/** Records that a key without a limit was used; at most once a minute per process. */
export async function touchApiKey(db: Queryable, companyId: number, keyId: number, at: Date): Promise<void> {
  await db.query(sql`
    insert into api_key_usage (company_id, api_key_id, window_start, leased, last_used_at)
    values (${companyId}, ${keyId}, ${at}, 0, ${at})
    on conflict (company_id, api_key_id) do update set last_used_at = case
      when api_key_usage.last_used_at > ${new Date(at.getTime() + CLOCK_SKEW_MS)} then excluded.last_used_at
      else greatest(api_key_usage.last_used_at, excluded.last_used_at) end`);
}
