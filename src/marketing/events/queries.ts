import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sentColumn, sql } from '../../db/sql.ts';
import type { EventKey } from './keys.ts';
import type { EventSource } from './types.ts';

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

export interface EventRow {
  event_id: number;
  event_type: string;
  contact_id: number;
  /** Null for the moment of storing. */
  occurred_at: Date | null;
  source: EventSource;
  external_id: string | null;
  data: Record<string, unknown>;
}

/**
 * The data as one text with a line for each event, since JSON texts have no line breaks: neither quoted once more, as in
 * an array of texts, nor looked through for names, as a JSON text of all rows would be (6.3 µs an event instead of 9).
 */
export async function insertEvents(tx: Tx, companyId: number, rows: readonly EventRow[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into events (company_id, received_at, event_id, event_type, contact_id, occurred_at, source, external_id, data)
    select ${companyId}, ${now}, event_id, event_type, contact_id, coalesce(occurred_at, ${now}), source, external_id,
      data::jsonb
    from (
      select unnest(${rows.map((row) => row.event_id)}::bigint[]) as event_id,
        ${sentColumn(
          rows.map((row) => row.event_type),
          'text',
        )} as event_type,
        unnest(${rows.map((row) => row.contact_id)}::bigint[]) as contact_id,
        ${sentColumn(
          rows.map((row) => row.occurred_at),
          'timestamptz',
        )} as occurred_at,
        ${sentColumn(
          rows.map((row) => row.source),
          'text',
        )} as source,
        ${sentColumn(
          rows.map((row) => row.external_id),
          'text',
        )} as external_id,
        unnest(string_to_array(${rows.map((row) => JSON.stringify(row.data)).join('\n')}, e'\\n')) as data
    ) sent`);
}

export interface EventFilter {
  contactId?: number;
  eventType?: string;
  /** By occurred_at, `from` included, `to` not. */
  from?: Date;
  to?: Date;
  /** Only events stored before this one. */
  before?: number;
  limit: number;
}

const DAY_MS = 24 * 3_600_000;

/** Events as JSON texts, the last stored first. */
export async function listEvents(
  db: Queryable,
  companyId: number,
  filter: EventFilter,
): Promise<{ event_id: number; json: string }[]> {
  const { contactId, eventType, from, to, before, limit } = filter;
  const contactExists = sql`exists (select from contacts c where c.company_id = ${companyId} and c.id = e.contact_id)`;
  // An event is never received a day before it occurs (normalise.ts): this lets earlier months be left out.
  const months = from === undefined ? emptySql : sql`and received_at >= ${new Date(from.getTime() - DAY_MS)}`;
  return db.query(sql`
    select event_id, json_build_object('event_id', event_id, 'event_type', event_type, 'contact_id', contact_id,
      -- Of a contact that is being erased nothing is shown any more, however many of its events are still to be emptied.
      'event_data', case when ${contactExists} then data else '{}' end, 'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'received_at', to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'source', source,
      'external_event_id', case when ${contactExists} then external_id end)::text as json
    from events e
    where company_id = ${companyId}
      ${contactId === undefined ? emptySql : sql`and contact_id = ${contactId}`}
      ${eventType === undefined ? emptySql : sql`and event_type = ${eventType}`}
      ${from === undefined ? emptySql : sql`and occurred_at >= ${from}`} ${months}
      ${to === undefined ? emptySql : sql`and occurred_at < ${to}`}
      ${before === undefined ? emptySql : sql`and event_id < ${before}`}
    order by event_id desc limit ${limit}`);
}

export interface EventTypeRow {
  event_type: string;
  required_keys: string[];
}

export async function listEventTypes(db: Queryable, companyId: number): Promise<EventTypeRow[]> {
  return db.query<EventTypeRow>(sql`
    select event_type, required_keys from event_types where company_id = ${companyId} order by event_type`);
}

/** Gives whether it is new. */
export async function upsertEventType(tx: Tx, companyId: number, row: EventTypeRow, now: Date): Promise<boolean> {
  const rows = await tx.query<{ created: boolean }>(sql`
    insert into event_types (company_id, event_type, required_keys, created_at)
    values (${companyId}, ${row.event_type}, ${row.required_keys}, ${now})
    on conflict (company_id, event_type) do update set required_keys = excluded.required_keys
    returning xmax = 0 as created`);
  return rows[0]!.created;
}

export async function deleteEventType(tx: Tx, companyId: number, eventType: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from event_types where company_id = ${companyId} and event_type = ${eventType} returning 1`);
  return rows.length > 0;
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

/** Makes the partitions of this month and the next three; gives how many were missing. */
export async function ensurePartitions(db: Queryable, now: Date): Promise<number> {
  const rows = await db.query<{ made: number }>(
    sql`select ensure_event_partitions((${now}::timestamptz at time zone 'UTC')::date, 3) as made`,
  );
  return rows[0]!.made;
}
