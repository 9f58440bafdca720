import type { Queryable, Tx } from '../../db/pool.ts';
import { emptySql, sentColumn, sql } from '../../db/sql.ts';
import type { EventSource } from './event.ts';
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

interface FirstEvent {
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

export interface EventRow {
  event_id: number;
  event_type: string;
  contact_id: number;
  /** Null: the moment of storing. */
  occurred_at: Date | null;
  source: EventSource;
  external_id: string | null;
  data: Record<string, unknown>;
}

/**
 * Inserts events. Their data is sent as one text with a line per event, since JSON texts contain no line breaks: this
 * avoids the quoting of an array and the parsing of a JSON array (6.3 µs per event instead of 9).
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

interface EventFilter {
  contactId?: number;
  eventType?: string;
  /** Limits by occurred_at: `from` is inclusive, `to` exclusive. */
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
  // An event is received at most a day before it occurs (normalise.ts), so earlier partitions can be pruned.
  const months = from === undefined ? emptySql : sql`and received_at >= ${new Date(from.getTime() - DAY_MS)}`;
  // Contacts are joined to the page only: inside the inner query, the planner would read all contacts of the company at once.
  return db.query(sql`
    select event_id, json_build_object('event_id', event_id, 'event_type', event_type, 'contact_id', contact_id,
      -- Of a contact that is being erased nothing is shown any more, however many of its events are still to be emptied.
      'event_data', case when has_contact then data else '{}' end, 'occurred_at', to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'received_at', to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'source', source,
      'external_event_id', case when has_contact then external_id end)::text as json
    from (
      select *, exists (select from contacts c where c.company_id = ${companyId} and c.id = e.contact_id) as has_contact
      from (
        select event_id, event_type, contact_id, data, occurred_at, received_at, source, external_id
        from events
        where company_id = ${companyId}
          ${contactId === undefined ? emptySql : sql`and contact_id = ${contactId}`}
          ${eventType === undefined ? emptySql : sql`and event_type = ${eventType}`}
          ${from === undefined ? emptySql : sql`and occurred_at >= ${from}`} ${months}
          ${to === undefined ? emptySql : sql`and occurred_at < ${to}`}
          ${before === undefined ? emptySql : sql`and event_id < ${before}`}
        order by event_id desc limit ${limit}
      ) e
    ) page
    order by event_id desc`);
}

/** Creates the partitions of this month and the next three; returns how many were missing. */
export async function ensurePartitions(db: Queryable, now: Date): Promise<number> {
  const rows = await db.query<{ made: number }>(
    sql`select ensure_event_partitions((${now}::timestamptz at time zone 'UTC')::date, 3) as made`,
  );
  return rows[0]!.made;
}
