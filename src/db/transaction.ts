import pg from 'pg';
import { TENANT_ROLE } from './barrier/roles.ts';
import type { LaneConnection } from './lanes/connection.ts';
import { rawSql, type Statement, sql } from './sql.ts';
import { CommitUnknown } from './unavailable.ts';
import { retraced, type StatementResult, type Turn } from './wire/turn.ts';

/** `snapshot`: every statement sees what was committed before the first, and none writes. */
export type TxKind = 'usual' | 'snapshot';

/** Runs `work` in a transaction on the connection, which nobody else uses meanwhile; commits unless it throws. */
export async function runTransaction<T>(
  connection: LaneConnection,
  work: (tx: ClientTx) => Promise<T>,
  companyId: number | undefined,
  kind: TxKind,
): Promise<T> {
  const tx = new ClientTx(connection);
  try {
    const begun = tx.begin(companyId, kind);
    // If it fails, all statements sent after it fail too, and the error of `work` is reported first.
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

/** Sets role and company for the rest of the transaction; if that fails, so does every later statement. */
function raiseBarrier(companyId: number): Statement {
  return sql`select set_config('role', ${TENANT_ROLE}, true), set_config('tradeloom.company_id', ${`${companyId}`}, true)`;
}

/** A `Tx` (pool.ts) on a connection of its own. */
export class ClientTx {
  readonly kind = 'tx' as const;
  /** Whether COMMIT or ROLLBACK was sent. */
  over = false;
  private readonly connection: LaneConnection;
  /** What is sent at the end of this turn of the event loop. */
  private turn: Turn | null = null;
  private depth = 0;
  /** The first error. Statements sent after it fail only because the transaction has failed. */
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
      // Of several statements sent together, the one that failed is not always the first whose caller gets its error.
      throw retraced(this.failure?.error ?? error);
    }
  }

  /** Sends it at the end of this turn of the event loop, with whatever else is sent in it. */
  private send(statement: Statement): Promise<StatementResult> {
    const turn = this.turn ?? this.connection.newTurn();
    const sent = this.added(turn, statement);
    if (this.turn === null) {
      this.turn = turn;
      setImmediate(() => this.flush());
    }
    // Attached first, so that the failure is recorded before any caller gets it, or an error of a statement sent after it.
    sent.catch((error: unknown) => this.fail(error));
    return sent;
  }

  private added(turn: Turn, statement: Statement): Promise<StatementResult> {
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
      // A failed deferred constraint is a definite response to COMMIT; a lost connection is not.
      if (error instanceof pg.DatabaseError && !isShutdown(error)) throw error;
      throw new CommitUnknown(error);
    }
    if (tag !== 'COMMIT') throw new Error(ROLLED_BACK);
  }

  /** In a turn of its own: after a failing statement it would be skipped. */
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

/** Classes 57P and 08: the server is shutting down, the session was ended, or a proxy in between lost it; the COMMIT may have succeeded. */
function isShutdown(error: pg.DatabaseError): boolean {
  return /^(57P|08)/.test(error.code ?? '');
}
