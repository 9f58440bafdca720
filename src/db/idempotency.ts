import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, IdempotencyTicket, StoredResponse } from '../caller.ts';
import { AppError } from '../errors.ts';
import { type Db, sqlState, type Tx } from './pool.ts';
import { sql } from './sql.ts';
import { findResponses, idOf, type StoredRow, storeResponses } from './stored-responses.ts';

/** How long a request waits for its twin; the database's lock_timeout is the same. */
const MAX_WAIT_MS = 10_000;
/** Thrown instead of a result when the key already has a response, which the HTTP layer sends unchanged. */
export class Replayed extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('This Idempotency-Key has a stored response');
    this.name = 'Replayed';
    this.response = response;
  }
}

/** Prefix of a stored body that shows a secret; the rest of it is encrypted. */
export const SEALED = 'sealed:';

/**
 * Runs `work` in one transaction; with an Idempotency-Key, its response commits with it. Waits for a twin that is still
 * running (up to lock_timeout), then throws its response as `Replayed`. A definite refusal (AppError) rolls `work` back
 * and is stored as the response. A person's write and its audit log entry commit together; of several transactions, in
 * the first. `work` must return exactly what the endpoint's handler returns.
 * See docs/design/idempotency.md.
 */
export async function write<T>(db: Db, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { audit } = caller;
  if (audit === undefined || audit.recorded) return writeWithTicket(db, caller, work);
  const result = await writeWithTicket(db, caller, (tx) => audit.around(tx, () => work(tx)));
  audit.recorded = true;
  return result;
}

/**
 * As `write`, for what belongs to the installation, such as people's sessions, which a transaction on behalf of a
 * company may not change. Without Idempotency-Key.
 */
export async function writeForInstallation<T>(db: Db, { audit }: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (audit === undefined) return db.strangers.tx(work);
  const result = await db.strangers.tx((tx) => audit.around(tx, () => work(tx)));
  audit.recorded = true;
  return result;
}

function writeWithTicket<T>(db: Db, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
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

/** By pool and key, the last request in the queue. */
const lines = new WeakMap<object, Map<string, Promise<void>>>();

/**
 * Requests with the same key queue here, within this process. Waiting for the key's lock in the database would occupy
 * one connection each, and a few such requests would delay all writes.
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

/** The stored response as the error to throw: `Replayed` for the same request, a refusal for another. */
export function replayOf(row: StoredRow, ticket: IdempotencyTicket): Replayed | AppError {
  if (!row.request_hash.equals(ticket.requestHash)) {
    return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another request');
  }
  return new Replayed({ status: row.status, body: row.body });
}

async function waitForTwin(tx: Tx, companyId: number, ticket: IdempotencyTicket): Promise<void> {
  try {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('response ' || ${idOf(ticket)}, ${companyId}))`);
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw inUse();
  }
}
