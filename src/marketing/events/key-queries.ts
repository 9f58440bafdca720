import type { Queryable, Tx } from '../../db/pool.ts';
import { sentColumn, sql } from '../../db/sql.ts';
import type { EventKey } from './keys.ts';

/**
 * Takes the keys that are free (never used, or past their time) with a fresh event id each; the others are not in the
 * result. Waits for a transaction that is about to take the same key. In key order, so that two batches never wait for
 * each other; the ids are in the order of the keys as they were given. (Here and below several `unnest` that are selected
 * from nowhere take 0.4 µs an event less than one in FROM, whose rows would be put aside first.)
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

/** Fresh ids for `n` events, in their order. As one text, since a row for each would cost as much again. */
export async function takeEventIds(tx: Tx, n: number): Promise<number[]> {
  const rows = await tx.query<{ ids: string }>(sql`
    select string_agg(nextval('event_ids')::text, ',') as ids from generate_series(1, ${n}::int)`);
  return rows[0]!.ids.split(',').map(Number);
}

export interface KeyRow extends EventKey {
  event_id: number;
}

/**
 * Takes keys without looking whether they are free, which is half as much work and needs no answer. Where one is in the
 * table, past its time or not, the statement fails by its unique index. Waits, and goes in key order, as `claimKeys`.
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

/** Frees keys whose events were refused after all. */
export async function releaseKeys(tx: Tx, companyId: number, keys: readonly string[]): Promise<void> {
  await tx.query(sql`delete from event_keys where company_id = ${companyId} and key = any(${keys}::uuid[])`);
}

export interface FirstEvent {
  key: string;
  event_id: number;
  event_type: string;
  contact_id: number;
}

/** The events that hold these keys. Must be a statement after the claim's: it has to see what the other committed. */
export async function findFirstEvents(tx: Tx, companyId: number, keys: readonly string[]): Promise<FirstEvent[]> {
  return tx.query<FirstEvent>(sql`
    select k.key, e.event_id, e.event_type, e.contact_id
    from event_keys k join events e on e.company_id = k.company_id and e.event_id = k.event_id
    where k.company_id = ${companyId} and k.key = any(${keys}::uuid[])`);
}

/** How many pages the table of keys has. */
export async function countKeyPages(db: Queryable): Promise<number> {
  const rows = await db.query<{ pages: number }>(sql`
    select pg_relation_size('event_keys') / current_setting('block_size')::int as pages`);
  return rows[0]!.pages;
}

/**
 * Removes the keys past their time, of every company, that lie in the table's pages from `first` on, before `end`; gives
 * how many. Keys that events are just taking again stay.
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
