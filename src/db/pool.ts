import pg from 'pg';
import type { LaneFigures } from './lanes/lane.ts';
import type { Statement } from './sql.ts';
import type { TxKind } from './transaction.ts';

/** What named queries need: something that runs one statement and gives its rows. */
export interface Queryable {
  query<Row>(statement: Statement): Promise<Row[]>;
}

/** An open transaction. Functions that must be atomic with others ask for it. */
export interface Tx extends Queryable {
  readonly kind: 'tx';
  /**
   * The last turn of a transaction: statements already sent are `pending`, COMMIT follows them in the same write, and
   * all are waited for. Throws the first of their errors; then nothing was committed.
   */
  commitAfter(pending: readonly Promise<unknown>[]): Promise<void>;
  /** So long each of the transaction's further statements may take, in milliseconds: less or more than its lane gives. */
  limitStatements(ms: number): Promise<void>;
  /** Runs `work`; if it throws, undoes only what `work` did and throws on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A way to the database. Which connections it takes is said where it is asked for: `points`, `lists`, `writes` and
 * `chores` (see lanes.ts) each give one. Used as it is, its single statements are points of the program itself, of no
 * company, and its transactions are writes.
 */
export interface Db extends Queryable {
  readonly kind: 'db';
  /** Look-ups by key on the company's behalf. */
  points(companyId: number): Db;
  /** Look-ups by key for requests of whom nobody knows yet who sent them: together they take what one company may. */
  readonly strangers: Db;
  /** Lists, searches, counts, exports and reports on the company's behalf: whatever reads many rows. */
  lists(companyId: number): Db;
  /** Single statements that write on the company's behalf; transactions do so anyway. */
  writes(companyId: number): Db;
  /** Work in the background, of the company that each transaction names. */
  readonly chores: Db;
  /** The same for what a request of the company has begun. */
  choresOf(companyId: number): Db;
  /** The health check, which waits behind nobody. */
  readonly probe: Db;
  /** One for all ways to the same database. */
  readonly shared: object;
  /** What each lane does, for the metrics. */
  figures(): Record<string, LaneFigures>;
  /** When a write was last refused for a full disk or a read-only server, in `monotonicMs`; -Infinity if never. */
  writesRefusedAt(): number;
  /**
   * Runs `work` in a transaction. Deadlocks and serialisation failures are tried again (the database undid them), so
   * `work` must touch nothing but the database.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same on one company's behalf: behind the tenant barrier no other company's rows exist for it. */
  tenantTx<T>(companyId: number, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T>;
  /** Ends all connections, also those of the other ways. */
  close(): Promise<void>;
}

export type ConnectionSettings = pg.ClientConfig;

/** The SQLSTATE of an error from the database, or ''. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The constraint that an error from the database names, or ''. */
export function constraintOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : '';
}
