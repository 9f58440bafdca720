import pg from 'pg';
import { type Lane, PROGRAM, STRANGERS } from './lanes/lane.ts';
import { createLanes, type LaneName, type LaneSettings, type Lanes } from './lanes/lanes.ts';
import type { Statement } from './sql.ts';
import { runTransaction, type TxKind } from './transaction.ts';

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

export interface DbOptions {
  connection: ConnectionSettings;
  /** Connections of some lanes, where not the usual number. */
  connections?: LaneSettings['connections'];
  /** How long a statement waits for what another transaction holds; 10 s. */
  lockTimeoutMs?: number;
  /** How long a transaction may stand still before the database ends it and frees what it holds; 10 s. */
  idleInTransactionMs?: number;
  /** How long a statement may take, whatever its lane. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
  /** Whether the tenant barrier is raised in this database (see tenant-barrier.ts). */
  barrier?: boolean;
}

const MAX_TRIES = 5;
const RETRYABLE = new Set(['40001', '40P01']);

export function createDb(options: DbOptions): Db {
  let closing = false;
  const lanes = createLanes({
    connection: {
      ...options.connection,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 3_000,
      lock_timeout: options.lockTimeoutMs ?? 10_000,
      idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 10_000,
    },
    connections: options.connections,
    statementTimeoutMs: options.statementTimeoutMs,
    /** One that is being closed may hear of the server's own end before its goodbye is read: that is no loss. */
    onLost: (error) => {
      if (!closing) options.onError?.(error);
    },
  });
  const close = (): Promise<void> => {
    closing = true;
    return lanes.close();
  };
  return new Way({ lanes, barrier: options.barrier ?? false, close }, 'points', 'writes', PROGRAM);
}

interface Base {
  lanes: Lanes;
  barrier: boolean;
  close: () => Promise<void>;
}

class Way implements Db {
  readonly kind = 'db';
  readonly shared: Base;
  private readonly statements: Lane;
  private readonly transactions: Lane;
  private readonly owner: number;

  constructor(base: Base, statements: LaneName, transactions: LaneName, owner: number) {
    this.shared = base;
    this.statements = base.lanes[statements];
    this.transactions = base.lanes[transactions];
    this.owner = owner;
  }

  points(companyId: number): Db {
    return new Way(this.shared, 'points', 'writes', companyId);
  }

  get strangers(): Db {
    return new Way(this.shared, 'points', 'writes', STRANGERS);
  }

  lists(companyId: number): Db {
    return new Way(this.shared, 'lists', 'lists', companyId);
  }

  writes(companyId: number): Db {
    return new Way(this.shared, 'writes', 'writes', companyId);
  }

  get chores(): Db {
    return new Way(this.shared, 'chores', 'chores', PROGRAM);
  }

  choresOf(companyId: number): Db {
    return new Way(this.shared, 'chores', 'chores', companyId);
  }

  get probe(): Db {
    return new Way(this.shared, 'probe', 'probe', PROGRAM);
  }

  writesRefusedAt(): number {
    const { writes, chores } = this.shared.lanes;
    return Math.max(writes.writesRefusedAt, chores.writesRefusedAt);
  }

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.statements.run(this.owner, false, (connection) => connection.query<Row>(statement));
  }

  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transact(this.owner, undefined, work);
  }

  tenantTx<T>(companyId: number, work: (tx: Tx) => Promise<T>, kind?: TxKind): Promise<T> {
    return this.transact(companyId, this.shared.barrier ? companyId : undefined, work, kind);
  }

  private transact<T>(
    owner: number,
    barrier: number | undefined,
    work: (tx: Tx) => Promise<T>,
    kind: TxKind = 'usual',
  ): Promise<T> {
    return repeated(() =>
      this.transactions.run(owner, true, (connection) => runTransaction(connection, work, barrier, kind)),
    );
  }

  close(): Promise<void> {
    return this.shared.close();
  }
}

/** Runs a transaction again that the database undid because of others. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= MAX_TRIES || !RETRYABLE.has(sqlState(error))) throw error;
    }
  }
}

/** The SQLSTATE of an error from the database, or ''. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** The constraint that an error from the database names, or ''. */
export function constraintOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : '';
}
