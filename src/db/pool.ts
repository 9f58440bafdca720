import pg from 'pg';
import { TENANT_ROLE } from './barrier/roles.ts';
import type { LaneConnection } from './lanes/connection.ts';
import { type Lane, PROGRAM } from './lanes/lane.ts';
import { createLanes, type LaneName, type LaneSettings, type Lanes } from './lanes/lanes.ts';
import { rawSql, type Statement, sql } from './sql.ts';
import { type Answer, retraced, Turn } from './turn.ts';
import { CommitUnknown } from './unavailable.ts';

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

/** `snapshot`: every statement sees what was committed before the first, and none writes. */
export type TxKind = 'usual' | 'snapshot';

/**
 * A way to the database. Which connections it takes is said where it is asked for: `points`, `lists`, `writes` and
 * `chores` (see lanes.ts) each give one. Used as it is, its single statements are points of the program itself, of no
 * company, and its transactions are writes.
 */
export interface Db extends Queryable {
  readonly kind: 'db';
  /** Look-ups by key on the company's behalf. */
  points(companyId: number): Db;
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

async function runTransaction<T>(
  connection: LaneConnection,
  work: (tx: Tx) => Promise<T>,
  companyId: number | undefined,
  kind: TxKind,
): Promise<T> {
  const tx = new ClientTx(connection);
  try {
    const begun = tx.begin(companyId, kind);
    // Where it fails, all that is sent behind it fails too, and the work is what is heard of first.
    begun.catch(() => {});
    const result = await work(tx);
    await begun;
    if (!tx.over) await tx.commit();
    return result;
  } catch (error) {
    if (error instanceof CommitUnknown) connection.destroy('The outcome of COMMIT is unknown');
    else await tx.rollback().catch(() => connection.destroy('The transaction could not be rolled back'));
    throw error;
  }
}

const BEGIN = { usual: rawSql('begin'), snapshot: rawSql('begin isolation level repeatable read, read only') };
const COMMIT = rawSql('commit');
const ROLLBACK = rawSql('rollback');
const ROLLED_BACK = 'The transaction was rolled back at COMMIT: a statement in it had failed';

/** Role and company for the rest of the transaction; should that fail, every later statement does. */
function raiseBarrier(companyId: number): Statement {
  return sql`select set_config('role', ${TENANT_ROLE}, true), set_config('tradeloom.company_id', ${`${companyId}`}, true)`;
}

class ClientTx implements Tx {
  readonly kind = 'tx';
  /** Whether its end was sent. */
  over = false;
  private readonly connection: LaneConnection;
  /** What this turn of the event loop will have sent by its end. */
  private turn: Turn | null = null;
  private depth = 0;
  /** The first error. Whatever was sent behind it hears only that the transaction has failed. */
  private failure: { error: unknown } | null = null;

  constructor(connection: LaneConnection) {
    this.connection = connection;
  }

  async begin(companyId: number | undefined, kind: TxKind): Promise<void> {
    const begun = this.send(BEGIN[kind]);
    await (companyId === undefined ? begun : Promise.all([begun, this.send(raiseBarrier(companyId))]));
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    if (this.over) throw new Error('The transaction is over');
    try {
      return (await this.send(statement)).rows as Row[];
    } catch (error) {
      // Of several statements sent together, the one that failed is not always the first whose caller is told.
      throw retraced(this.failure?.error ?? error);
    }
  }

  /** At the end of this turn of the event loop, with whatever else is sent in it. */
  private send(statement: Statement): Promise<Answer> {
    const turn = this.turn ?? new Turn();
    const sent = this.added(turn, statement);
    if (this.turn === null) {
      this.turn = turn;
      setImmediate(() => this.flush());
    }
    // Attached first, so that it is noted before anybody hears of it, and of what was sent behind it.
    sent.catch((error: unknown) => this.fail(error));
    return sent;
  }

  private added(turn: Turn, statement: Statement): Promise<Answer> {
    try {
      return turn.add(statement);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
  }

  private flush(): void {
    if (this.turn !== null) this.connection.send(this.turn);
    this.turn = null;
  }

  async commit(): Promise<void> {
    this.over = true;
    if (this.failure !== null) throw new Error(ROLLED_BACK);
    let tag: string;
    try {
      tag = (await this.send(COMMIT)).tag;
    } catch (error) {
      // A deferred constraint fails COMMIT with a definite answer; a lost connection does not.
      if (error instanceof pg.DatabaseError && !isShutdown(error)) throw error;
      throw new CommitUnknown(error);
    }
    if (tag !== 'COMMIT') throw new Error(ROLLED_BACK);
  }

  /** In a turn of its own: behind a statement that fails it would be left out. */
  async rollback(): Promise<void> {
    this.over = true;
    this.flush();
    await this.send(ROLLBACK);
  }

  async commitAfter(pending: readonly Promise<unknown>[]): Promise<void> {
    const [commit, ...written] = await Promise.allSettled([this.commit(), ...pending]);
    const failed = written.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      const definite = commit!.status === 'rejected' && !(commit!.reason instanceof CommitUnknown);
      if (definite || (failed.reason instanceof pg.DatabaseError && !isShutdown(failed.reason))) throw failed.reason;
      throw new CommitUnknown(failed.reason);
    }
    if (commit!.status === 'rejected') throw commit!.reason;
  }

  async limitStatements(ms: number): Promise<void> {
    this.connection.allow(ms);
    await this.query(sql`select set_config('statement_timeout', ${`${ms}ms`}, true)`);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `sp${++this.depth}`;
    await this.send(rawSql(`savepoint ${name}`));
    try {
      const result = await work();
      await this.send(rawSql(`release savepoint ${name}`));
      return result;
    } catch (error) {
      if (this.over) throw error;
      this.flush();
      await this.send(rawSql(`rollback to savepoint ${name}`));
      this.failure = null;
      throw error;
    } finally {
      this.depth--;
    }
  }
}

/**
 * Classes 57 and 08: the server is going down, the session was ended, or a proxy in between lost it; what it had begun may
 * have committed.
 */
function isShutdown(error: pg.DatabaseError): boolean {
  return /^(57P|08)/.test(error.code ?? '');
}
