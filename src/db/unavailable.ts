import pg from 'pg';

/** The database could not be reached, or a connection to it was lost or silent for too long. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** The connection broke while COMMIT was in flight: its outcome is unknown. Never repeated automatically. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection to the database was lost during COMMIT', { cause });
    this.name = 'CommitUnknown';
  }
}

/**
 * 08: connection; 53: disk, memory or connections used up; 57P: shutting down or starting up; 58: disk failure; XX001
 * and XX002: damaged data; 25006: a read-only server, such as a standby whose promotion is not complete.
 */
const UNAVAILABLE = /^(08|53|57P|58|XX00[12]$|25006$)/;

/** Whether the database as a whole failed, rather than one statement because of its content: a later retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || error instanceof CommitUnknown) return true;
  return error instanceof pg.DatabaseError && UNAVAILABLE.test(error.code ?? '');
}

/** Whether the server has no connection left, for this user or altogether. */
export function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError
    ? error.code === '53300'
    : error instanceof DatabaseUnavailable && isFull(error.cause);
}

/** Whether the server itself has reported the error: it can be reached. */
export function isFromServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError || (error instanceof DatabaseUnavailable && isFromServer(error.cause));
}

/**
 * Whether the database refuses writes: full or read-only. Reads may still work. A full disk may also refuse a new connection, for which the
 * server writes a file first.
 */
export function refusesWrites(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return refusesWrites(error.cause);
  return error instanceof pg.DatabaseError && /^(53100|58|25006)/.test(error.code ?? '');
}
