import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, IdempotencyTicket, StoredResponse } from '../caller.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import type { Slice } from '../lib/slice.ts';
import { type Db, type Queryable, sqlState, type Tx } from './pool.ts';
import { purgeByPages } from './purge.ts';
import { sql } from './sql.ts';

/** How long a request waits for its twin; lock_timeout says the same to the database. */
const MAX_WAIT_MS = 10_000;
/** How long a response is kept for its key. */
export const KEPT_MS = 24 * 3_600_000;

/** Thrown instead of a result when the key has a response already: the edge sends it as it was. */
export class Replayed extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('This Idempotency-Key has a stored response');
    this.name = 'Replayed';
    this.response = response;
  }
}

/** What a stored body begins with that shows a secret: the rest is encrypted. */
export const SEALED = 'sealed:';

/** The sender of responses stored before keys had senders. */
const ANYBODY = 0;

export interface StoredRow {
  key: string;
  /** Of the request that was looked for. */
  asked_by: number;
  sent_by: number;
  request_hash: Buffer;
  status: number;
  body: string;
}

/**
 * Runs `work` in one transaction; with an Idempotency-Key, its response commits with it. A twin that is still running is
 * waited for (lock_timeout bounds it), then its response is thrown as `Replayed`. A definite refusal (AppError) rolls `work`
 * back and is stored as the response. `work` must return exactly what the endpoint's handler returns.
 */
export async function write<T>(db: Db, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  const ticket = caller.idempotency;
  if (ticket === null) return db.tenantTx(caller.companyId, work);
  return inTurn(db, `${caller.companyId} ${idOf(ticket)}`, () => writeOnce(db, caller, ticket, work));
}

async function writeOnce<T>(
  db: Db,
  caller: Caller,
  ticket: IdempotencyTicket,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const outcome = await db.tenantTx(caller.companyId, async (tx) => {
    await waitForTwin(tx, caller.companyId, ticket);
    const [found] = await findResponses(tx, caller.companyId, [ticket], caller.now);
    if (found !== undefined) throw replayOf(found, ticket);
    try {
      const result = await tx.savepoint(() => work(tx));
      await storeResponses(tx, caller.companyId, [{ ticket, response: ticket.render(result) }], caller.now);
      return { result };
    } catch (error) {
      const response = error instanceof AppError ? ticket.renderError(error) : null;
      if (response === null) throw error;
      await storeResponses(tx, caller.companyId, [{ ticket, response }], caller.now);
      return { error };
    }
  });
  ticket.stored = true;
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/** For each pool, who is last in the line of a key. */
const lines = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Twins in this process wait here, one after the other: waiting for the key's lock in the database would take a
 * connection each, and a handful of twins would hold up everybody's writes.
 */
async function inTurn<T>(db: Db, id: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(db.shared) ?? new Map<string, Promise<void>>();
  lines.set(db.shared, line);
  const before = line.get(id);
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  line.set(id, done);
  try {
    if (before !== undefined && !(await endsWithin(before, MAX_WAIT_MS))) throw inUse();
    return await work();
  } finally {
    finish();
    if (line.get(id) === done) line.delete(id);
  }
}

async function endsWithin(end: Promise<void>, ms: number): Promise<boolean> {
  const ended = new AbortController();
  const late = sleep(ms, false, { signal: ended.signal }).catch(() => true);
  const inTime = await Promise.race([end.then(() => true), late]);
  ended.abort();
  return inTime;
}

function inUse(): AppError {
  return new AppError('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running');
}

/** One text for each key of each sender. */
export function idOf({ sentBy, key }: Pick<IdempotencyTicket, 'sentBy' | 'key'>): string {
  return `${sentBy} ${key}`;
}

/** The stored response as the error to throw: `Replayed` for the same request, a refusal for another. */
export function replayOf(row: StoredRow, ticket: IdempotencyTicket): Replayed | AppError {
  if (!row.request_hash.equals(ticket.requestHash)) {
    return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another request');
  }
  // Nobody knows any more whose it was.
  if (row.sent_by === ANYBODY && row.body.startsWith(SEALED)) {
    return new AppError('idempotency_key_reused', 'This Idempotency-Key was used before an upgrade, for a secret');
  }
  return new Replayed({ status: row.status, body: row.body });
}

async function waitForTwin(tx: Tx, companyId: number, ticket: IdempotencyTicket): Promise<void> {
  try {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('answer ' || ${idOf(ticket)}, ${companyId}))`);
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw inUse();
  }
}

/**
 * Takes the keys' locks without waiting; gives those that it got. Batches use it: a member whose twin is still running
 * elsewhere must not hold up the others.
 */
export async function tryLockKeys(tx: Tx, companyId: number, tickets: IdempotencyTicket[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from unnest(${tickets.map(idOf)}::text[]) id
    where pg_try_advisory_xact_lock(hashtextextended('answer ' || id, ${companyId}))`);
  return new Set(rows.map((row) => row.id));
}

/** Must be a statement after the lock's: it has to see what the twin committed. */
export async function findResponses(
  db: Queryable,
  companyId: number,
  tickets: Pick<IdempotencyTicket, 'sentBy' | 'key'>[],
  now: Date,
): Promise<StoredRow[]> {
  return db.query<StoredRow>(sql`
    select k.key, asked.by as asked_by, k.sent_by, k.request_hash, k.status, k.body
    from unnest(${tickets.map((one) => one.sentBy)}::bigint[], ${tickets.map((one) => one.key)}::text[]) as asked (by, key)
    join idempotency_keys k on k.company_id = ${companyId} and k.sent_by in (asked.by, ${ANYBODY}) and k.key = asked.key
    where k.created_at > ${new Date(now.getTime() - KEPT_MS)}`);
}

/** Stores responses; one that expired is replaced, one that is still kept is left (its request was first). */
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

/** What is past its day; nobody is given it any more, even where it is still there. */
export function purgeResponses(db: Queryable, clock: Clock): Slice<number> {
  // Kept for exactly so long counts as past.
  const before = (): Date => new Date(clock.now().getTime() - KEPT_MS + 1);
  return purgeByPages(db, { table: 'idempotency_keys', column: 'created_at', before });
}
