import type { Queryable, Tx } from '../../db/pool.ts';
import { sentColumn, sql } from '../../db/sql.ts';
import type { EventKey } from './keys.ts';

/**
 * Claims the keys that are unused or expired, and assigns a new event id to each; known keys are not in the result. Waits for a
 * transaction that is claiming the same key. Works in key order, so that two batches never deadlock; the ids follow the given
 * order. (Several `unnest` in the select list take 0.4 µs per event less than one in FROM, which materialises its rows.)
 */
export async function claimKeys(
  tx: Tx,
  companyId: number,
  keys: readonly EventKey[],
  now: Date,
): Promise<{ key: string; event_id: number }[]> {
  return tx.query(sql`
    insert into event_keys as k (company_id, key, event_id, expires_at)
    select ${companyId}, key, event_id, ${now}::timestamptz + seconds * interval '1 second'
    from (
      select nextval('event_ids') as event_id, key, seconds
      from (
        select unnest(${keys.map((k) => k.key)}::uuid[]) as key,
          ${sentColumn(
            keys.map((k) => k.windowSeconds),
            'int',
          )} as seconds
      ) sent
    ) input
    order by key
    on conflict (company_id, key) do update set event_id = excluded.event_id, expires_at = excluded.expires_at
      where k.company_id = ${companyId} and k.expires_at <= ${now}
    returning key, event_id`);
}

/** Returns new ids for `n` events, in order. They are read as one text, since a row per id would double the cost. */
export async function takeEventIds(tx: Tx, n: number): Promise<number[]> {
  const rows = await tx.query<{ ids: string }>(sql`
    select string_agg(nextval('event_ids')::text, ',') as ids from generate_series(1, ${n}::int)`);
  return rows[0]!.ids.split(',').map(Number);
}

export interface KeyRow extends EventKey {
  event_id: number;
}

/**
 * Inserts keys without checking whether they exist, which halves the work and needs no result. If one exists, expired or
 * not, its unique index makes the statement fail. Waits, and inserts in key order, like `claimKeys`.
 */
export async function insertKeys(tx: Tx, companyId: number, rows: readonly KeyRow[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into event_keys (company_id, key, event_id, expires_at)
    select ${companyId}, key, event_id, ${now}::timestamptz + seconds * interval '1 second'
    from (
      select unnest(${rows.map((row) => row.event_id)}::bigint[]) as event_id,
        unnest(${rows.map((row) => row.key)}::uuid[]) as key,
        ${sentColumn(
          rows.map((row) => row.windowSeconds),
          'int',
        )} as seconds
    ) sent
    order by key`);
}

/** Deletes the keys of events that were rejected. */
export async function releaseKeys(tx: Tx, companyId: number, keys: readonly string[]): Promise<void> {
  await tx.query(sql`delete from event_keys where company_id = ${companyId} and key = any(${keys}::uuid[])`);
}

export interface FirstEvent {
  key: string;
  event_id: number;
  event_type: string;
  contact_id: number;
}

/** The events that hold these keys. Must run after the claim, to see what the other transaction committed. */
export async function findFirstEvents(tx: Tx, companyId: number, keys: readonly string[]): Promise<FirstEvent[]> {
  return tx.query<FirstEvent>(sql`
    select k.key, e.event_id, e.event_type, e.contact_id
    from event_keys k join events e on e.company_id = k.company_id and e.event_id = k.event_id
    where k.company_id = ${companyId} and k.key = any(${keys}::uuid[])`);
}

/** The number of pages of the key table. */
export async function countKeyPages(db: Queryable): Promise<number> {
  const rows = await db.query<{ pages: number }>(sql`
    select pg_relation_size('event_keys') / current_setting('block_size')::int as pages`);
  return rows[0]!.pages;
}

/**
 * Deletes expired keys of every company in the pages from `first` (inclusive) to `end` (exclusive); returns their number.
 * Skips keys that events are claiming again.
 */
export async function purgeKeys(db: Queryable, now: Date, first: number, end: number): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with old as (
      select ctid from event_keys
      where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${end},0)`}::tid and expires_at <= ${now}
      for update skip locked
    ),
    gone as (delete from event_keys k using old where k.ctid = old.ctid returning 1)
    select count(*) as n from gone`);
  return rows[0]!.n;
}
