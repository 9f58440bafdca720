import { type Attributes, inSpan, isTracing } from '../lib/tracing/spans.ts';
import { type Lane, type LaneFigures, PROGRAM, STRANGERS, visitorsOf } from './lanes/lane.ts';
import { createLanes, LANES, type LaneName, type LaneSettings, type Lanes } from './lanes/lanes.ts';
import { type ConnectionSettings, type Db, sqlState, type Tx } from './pool.ts';
import type { Statement } from './sql.ts';
import { runTransaction, type TxKind } from './transaction.ts';
import type { Wire } from './wire/wire.ts';

export interface DbOptions {
  connection: ConnectionSettings;
  /** `pipelined` by default. */
  wire?: Wire;
  /** Connections per lane, where they differ from the default. */
  connections?: LaneSettings['connections'];
  /** How long a statement waits for a lock; 10 s by default. */
  lockTimeoutMs?: number;
  /** How long a transaction may be idle before the database ends it and releases its locks; 10 s by default. */
  idleInTransactionMs?: number;
  /** How long a statement may take, whatever its lane. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
  /** Whether the tenant barrier is raised in this database (see tenant-barrier.ts). */
  barrier?: boolean;
}

const MAX_ATTEMPTS = 5;
const RETRYABLE = new Set(['40001', '40P01']);

export function createDb(options: DbOptions): Db {
  let closing = false;
  const lanes = createLanes({
    connection: {
      ...options.connection,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 2_500,
      lock_timeout: options.lockTimeoutMs ?? 10_000,
      idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 10_000,
    },
    wire: options.wire ?? 'pipelined',
    connections: options.connections,
    statementTimeoutMs: options.statementTimeoutMs,
    // While the pool closes, the server may end a connection first: that is not a lost one.
    onLost: (error) => {
      if (!closing) options.onError?.(error);
    },
  });
  const close = (): Promise<void> => {
    closing = true;
    return lanes.close();
  };
  return new LaneDb({ lanes, barrier: options.barrier ?? false, close }, 'points', 'writes', PROGRAM);
}

interface Shared {
  lanes: Lanes;
  barrier: boolean;
  close: () => Promise<void>;
}

class LaneDb implements Db {
  readonly kind = 'db';
  readonly shared: Shared;
  private readonly statements: Lane;
  private readonly transactions: Lane;
  private readonly owner: number;

  constructor(shared: Shared, statements: LaneName, transactions: LaneName, owner: number) {
    this.shared = shared;
    this.statements = shared.lanes[statements];
    this.transactions = shared.lanes[transactions];
    this.owner = owner;
  }

  points(companyId: number): Db {
    return new LaneDb(this.shared, 'points', 'writes', companyId);
  }

  get strangers(): Db {
    return new LaneDb(this.shared, 'points', 'writes', STRANGERS);
  }

  lists(companyId: number): Db {
    return new LaneDb(this.shared, 'lists', 'lists', companyId);
  }

  get visitors(): Db {
    return new VisitorsDb(this.shared, 'writes', 'writes', PROGRAM);
  }

  writes(companyId: number): Db {
    return new LaneDb(this.shared, 'writes', 'writes', companyId);
  }

  get chores(): Db {
    return new LaneDb(this.shared, 'chores', 'chores', PROGRAM);
  }

  choresOf(companyId: number): Db {
    return new LaneDb(this.shared, 'chores', 'chores', companyId);
  }

  get probe(): Db {
    return new LaneDb(this.shared, 'probe', 'probe', PROGRAM);
  }

  figures(): Record<string, LaneFigures> {
    return Object.fromEntries(LANES.map((name) => [name, this.shared.lanes[name].figures()]));
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
    const transaction = (): Promise<T> =>
      repeated(() =>
        this.transactions.run(owner, true, (connection) => runTransaction(connection, work, barrier, kind)),
      );
    return isTracing() ? this.traced(owner, transaction) : transaction();
  }

  private traced<T>(companyId: number, transaction: () => Promise<T>): Promise<T> {
    const lane = LANES.find((name) => this.shared.lanes[name] === this.transactions)!;
    const attributes: Attributes = { 'db.system.name': 'postgresql', 'tradeloom.lane': lane };
    if (companyId > 0) attributes['tradeloom.company.id'] = companyId;
    return inSpan('transaction', { attributes }, transaction);
  }

  close(): Promise<void> {
    return this.shared.close();
  }
}

/** Counts reads of a company's visitors apart from those of its programs and staff. */
class VisitorsDb extends LaneDb {
  override points(companyId: number): Db {
    return super.points(visitorsOf(companyId));
  }

  override lists(companyId: number): Db {
    return super.lists(visitorsOf(companyId));
  }
}

/** Retries a transaction that the database rolled back because of a concurrent one. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error))) throw error;
    }
  }
}
