import pg from 'pg';
import type { LaneFigures } from './lanes/lane.ts';
import type { Statement } from './sql.ts';
import type { TxKind } from './transaction.ts';

/** What named queries need: something that runs one statement and returns its rows. */
export interface Queryable {
  query<Row>(statement: Statement): Promise<Row[]>;
}

/** An open transaction. Functions that must be atomic with others take it as a parameter. */
export interface Tx extends Queryable {
  readonly kind: 'tx';
  /**
   * Ends a transaction: statements already sent are `pending`, COMMIT follows them in the same write, and all are
   * awaited. Throws the first of their errors; then nothing was committed.
   */
  commitAfter(pending: readonly Promise<unknown>[]): Promise<void>;
  /** Sets how long each further statement of the transaction may take, in milliseconds: less or more than its lane allows. */
  limitStatements(ms: number): Promise<void>;
  /** Runs `work`; if it throws, rolls back only what `work` did and rethrows. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Access to the database. The caller chooses the connections: `points`, `lists`, `writes` and `chores` (see lanes.ts)
 * each return a `Db` that uses theirs. Used directly, its single statements are points of the program itself, of no
 * company, and its transactions are writes.
 * See docs/design/database-access.md.
 */
export interface Db extends Queryable {
  readonly kind: 'db';
  /** Look-ups by key on behalf of the company. */
  points(companyId: number): Db;
  /** Look-ups by key for requests whose sender is not known yet: all of them together get the share of one company. */
  readonly strangers: Db;
  /** Lists, searches, counts, exports and reports on the company's behalf: whatever reads many rows. */
  lists(companyId: number): Db;
  /** The same for visitors of shops, who have connections of their own share. */
  readonly visitors: Db;
  /** Single statements that write on behalf of the company; transactions use this lane anyway. */
  writes(companyId: number): Db;
  /** Background work, for the company that each transaction names. */
  readonly chores: Db;
  /** Background work that a request of the company has started. */
  choresOf(companyId: number): Db;
  /** The health check, which waits for nobody. */
  readonly probe: Db;
  /** The same object for all `Db`s of one database. */
  readonly shared: object;
  /** The figures of each lane, for the metrics. */
  figures(): Record<string, LaneFigures>;
  /** When a write was last refused for a full disk or a read-only server, in `monotonicMs`; -Infinity if never. */
  writesRefusedAt(): number;
  /**
   * Runs `work` in a transaction. Retries it after deadlocks and serialisation failures (the database rolled them
   * back), so `work` must have no effect outside the database.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same on behalf of one company: behind the tenant barrier it cannot see other companies' rows. */
  tenantTx<T>(companyId: number, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T>;
  /** Closes all connections, also those of the other `Db`s of this database. */
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
