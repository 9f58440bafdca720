import type { IdempotencyTicket, StoredResponse } from '../caller.ts';
import type { Clock } from '../clock.ts';
import type { Slice } from '../lib/slice.ts';
import type { Queryable, Tx } from './pool.ts';
import { purgeByPages } from './purge.ts';
import { sql } from './sql.ts';

/** How long a response is kept for its key. */
export const KEPT_MS = 24 * 3_600_000;

export interface StoredRow {
  key: string;
  sent_by: number;
  request_hash: Buffer;
  status: number;
  body: string;
}

/** One text for each key of each sender. */
export function idOf({ sentBy, key }: Pick<IdempotencyTicket, 'sentBy' | 'key'>): string {
  return `${sentBy} ${key}`;
}

/**
 * Takes the keys' locks without waiting; returns the ids of those it got. Batches use it: a member whose twin is still
 * running elsewhere must not delay the others.
 */
export async function tryLockKeys(tx: Tx, companyId: number, tickets: IdempotencyTicket[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from unnest(${tickets.map(idOf)}::text[]) id
    where pg_try_advisory_xact_lock(hashtextextended('response ' || id, ${companyId}))`);
  return new Set(rows.map((row) => row.id));
}

/** Must run after the statement that took the lock: it has to see what the twin committed. */
export async function findResponses(
  db: Queryable,
  companyId: number,
  tickets: Pick<IdempotencyTicket, 'sentBy' | 'key'>[],
  now: Date,
): Promise<StoredRow[]> {
  return db.query<StoredRow>(sql`
    select k.key, k.sent_by, k.request_hash, k.status, k.body
    from unnest(${tickets.map((one) => one.sentBy)}::bigint[], ${tickets.map((one) => one.key)}::text[]) as asked (by, key)
    join idempotency_keys k on k.company_id = ${companyId} and k.sent_by = asked.by and k.key = asked.key
    where k.created_at > ${new Date(now.getTime() - KEPT_MS)}`);
}

/** Stores responses; replaces one that expired, and leaves one that is still kept (its request was first). */
export async function storeResponses(
  db: Queryable,
  companyId: number,
  responses: { ticket: IdempotencyTicket; response: StoredResponse }[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into idempotency_keys as k (company_id, sent_by, key, request_hash, status, body, created_at)
    select ${companyId}, sent_by, key, request_hash, status, body, ${now}
    from unnest(${responses.map((a) => a.ticket.sentBy)}::bigint[], ${responses.map((a) => a.ticket.key)}::text[], ${responses.map((a) => a.ticket.requestHash)}::bytea[],
      ${responses.map((a) => a.response.status)}::smallint[], ${responses.map((a) => a.response.body)}::text[])
      as t (sent_by, key, request_hash, status, body)
    on conflict (company_id, sent_by, key) do update
    set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      created_at = excluded.created_at
    where k.created_at <= ${new Date(now.getTime() - KEPT_MS)}`);
}

/** Deletes responses older than KEPT_MS; they are no longer replayed, even before they are deleted. */
export function purgeResponses(db: Queryable, clock: Clock): Slice<number> {
  // A response of exactly that age counts as expired.
  const before = (): Date => new Date(clock.now().getTime() - KEPT_MS + 1);
  return purgeByPages(db, { table: 'idempotency_keys', column: 'created_at', before });
}
