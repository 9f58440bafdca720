import pg from 'pg';
import type { Span } from '../../lib/tracing/spans.ts';
import type { Statement } from '../sql.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

/** What a statement returned: its rows, and the command tag (`COMMIT`). */
export interface StatementResult {
  rows: Record<string, unknown>[];
  tag: string;
}

/**
 * Statements that leave together, in their order. Where one fails, those after it fail too, so more than one belong in a transaction. Values
 * are sent and read as values.ts says.
 */
export interface Turn {
  readonly statements: readonly { text: string; values: readonly (string | Buffer | null)[] }[];
  /** The span of the caller, where that is traced. */
  span: Span | null;
  /** Called once, when all its statements have succeeded or failed. */
  settled: (() => void) | undefined;
  /**
   * Adds a statement before the turn is sent. Rejects with `pg.DatabaseError` for what the server reported, otherwise with
   * `DatabaseUnavailable`.
   * @throws Error where a value cannot be written as a parameter; the statement is then not among those sent
   */
  add(statement: Statement): Promise<StatementResult>;
  sendOn(client: pg.Client): void;
}

/** Returns the error with the stack of the statement's caller, not of the socket that received it. */
export function retraced(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error, retraced);
  return error;
}

/** Any error that the server did not report itself concerns the connection. */
export function reported(reason: unknown): Error {
  if (reason instanceof pg.DatabaseError || reason instanceof DatabaseUnavailable) return reason;
  const why = reason instanceof Error ? reason.message : String(reason);
  return new DatabaseUnavailable(`The connection to the database was lost: ${why}`, reason);
}
