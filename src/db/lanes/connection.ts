import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type pg from 'pg';
import { monotonicMs } from '../../clock.ts';
import { isTracing, runningSpan, type Span, startSpan } from '../../lib/tracing/spans.ts';
import { rawSql, type Statement } from '../sql.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { retraced, type Turn } from '../wire/turn.ts';
import { createClient, createTurn, type Wire } from '../wire/wire.ts';

declare module 'pg' {
  interface ClientBase {
    /** Process id of the server's backend; null before the connection is established. */
    processID: number | null;
  }
}

/** A connection that was silent for longer is checked before it is used. */
const SILENT_MS = 1_000;
/** How long that check may take. */
const CHECK_LIMIT_MS = 1_500;
/** Without a response for so long, a connection is suspected to have gone silent (see Lane.examine). */
const SUSPECT_MS = 1_500;
/** What the server needs to cancel a statement and report it: after that, no response will come. */
export const GRACE_MS = 2_000;
/** How long closing a connection may take. */
const CLOSE_LIMIT_MS = 1_000;
/**
 * Makes the server notice that the client has vanished: within some 25 s it ends the connection and releases what that holds;
 * with its default settings it would take two hours. Set by a statement, since PgBouncer accepts no `options` of a connection.
 */
const NOTICE_GONE_PEERS =
  rawSql(`select pg_backend_pid() as pid, set_config('tcp_user_timeout', '15000', false), set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`);
/** Contains no statement: the server responds at once. */
const SIGN_OF_LIFE: Statement = rawSql('');

export interface ConnectionOptions {
  settings: pg.ClientConfig;
  wire: Wire;
  /** A connection without a response for so long is destroyed. */
  limitMs: number;
  /** Whether its server process runs at a lower priority (see `lowerPriority`). */
  background: boolean;
  onLost: (error: Error) => void;
}

/**
 * One connection of a lane. Statements are sent without waiting for earlier responses; those of one turn of the event
 * loop leave in one write. A connection on which nothing has come back for `limitMs` while something was in flight is
 * destroyed: a network that went silent without a reset (a failover, a frozen proxy) would otherwise block its users
 * for as long as TCP tries.
 */
export class LaneConnection {
  /** Jobs on it by company, which the lane counts. */
  readonly users = new Map<number, number>();
  jobs = 0;
  /** A transaction has it to itself. */
  exclusive = false;
  broken = false;
  private told = false;
  /** Whether it ever was connected. */
  opened = false;
  private readonly client: pg.Client;
  private readonly wire: Wire;
  private readonly limitMs: number;
  /** How long a transaction allows its statements beyond the limit of the lane; 0: no longer. */
  private allowedMs = 0;
  /** Turns sent and not yet responded to. */
  private turns = 0;
  /** When the first of them became the first. */
  private headSince = 0;
  private heardAt = 0;
  private corked = false;
  private checking = false;
  private becoming: Promise<void> | null;
  /** Whether the server says of this very connection what it does: not behind a pooler, whose connections have numbers of their own. */
  private traceable = false;
  private examinedAt = 0;

  constructor({ settings, wire, limitMs, background, onLost }: ConnectionOptions) {
    this.limitMs = limitMs;
    this.wire = wire;
    this.client = createClient(wire, settings);
    this.client.on('error', (error) => {
      // The server's shutdown notice and then the end of the connection are one loss.
      if (!this.told) onLost(error);
      this.told = true;
      this.broken = true;
    });
    this.client.on('end', () => {
      this.broken = true;
    });
    this.becoming = this.open(background ? settings : null);
    this.becoming.catch(() => {});
  }

  private async open(lowered: pg.ClientConfig | null): Promise<void> {
    try {
      await this.client.connect();
      // A socket of the machine cannot go silent.
      if (!this.client.host.startsWith('/')) {
        const [row] = await this.ask<{ pid: number }>(NOTICE_GONE_PEERS);
        this.traceable = row!.pid === this.client.processID;
      }
      if (lowered !== null) await lowerPriority(lowered, this.client.processID);
    } catch (error) {
      this.broken = true;
      throw new DatabaseUnavailable(`The database cannot be reached: ${(error as Error).message}`, error);
    }
    this.opened = true;
    this.heardAt = monotonicMs();
    this.becoming = null;
  }

  /** null when it can be used at once; else resolves when it can, and rejects when it turns out to be broken. */
  ready(): Promise<void> | null {
    if (this.becoming !== null) return this.becoming;
    if (this.turns > 0 || monotonicMs() - this.heardAt < SILENT_MS) return null;
    this.becoming = this.check();
    this.becoming.catch(() => {});
    return this.becoming;
  }

  private async check(): Promise<void> {
    await this.ask(SIGN_OF_LIFE);
    this.becoming = null;
  }

  /** Runs a statement that the connection itself needs, with less time than other statements. */
  private async ask<Row>(statement: Statement): Promise<Row[]> {
    this.checking = true;
    const turn = this.newTurn();
    const response = turn.add(statement);
    this.send(turn);
    const { rows } = await response;
    this.checking = false;
    return rows as Row[];
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    const turn = this.newTurn();
    const response = turn.add(statement);
    this.cork();
    this.send(turn);
    try {
      return (await response).rows as Row[];
    } catch (error) {
      throw retraced(error);
    }
  }

  newTurn(): Turn {
    return createTurn(this.wire);
  }

  /** Writes at once: a transaction has already gathered its turn. */
  send(turn: Turn): void {
    if (isTracing()) turn.span = statementsSpan(turn.statements);
    if (this.turns++ === 0) this.headSince = monotonicMs();
    turn.settled = this.turnEnded;
    turn.sendOn(this.client);
  }

  private readonly turnEnded = (): void => {
    this.turns--;
    this.headSince = monotonicMs();
    this.heardAt = this.headSince;
  };

  /** Sends all statements of this turn of the event loop in one write, instead of one each: fewer system calls under load. */
  private cork(): void {
    if (this.corked) return;
    this.corked = true;
    const { stream } = this.client.connection;
    stream.cork();
    setImmediate(() => {
      this.corked = false;
      stream.uncork();
    });
  }

  /** How long the statement in progress has taken so far; 0 when there is none. */
  headAgeMs(now: number): number {
    return this.turns === 0 ? 0 : now - this.headSince;
  }

  /** How long it has been idle. */
  idleMs(now: number): number {
    return this.jobs > 0 || this.turns > 0 || this.becoming !== null ? 0 : now - this.heardAt;
  }

  /** Sets how long statements of the transaction that has the connection to itself may take, until the connection is released. */
  allow(ms: number): void {
    this.allowedMs = ms === 0 ? 0 : ms + GRACE_MS;
  }

  /** Destroys it when it has been silent for too long. */
  watch(now: number): void {
    const limit = this.checking ? Math.min(CHECK_LIMIT_MS, this.limitMs) : Math.max(this.limitMs, this.allowedMs);
    if (this.broken || this.headAgeMs(now) <= limit) return;
    this.destroy(`The database did not respond within ${limit / 1_000} s`);
  }

  /** Returns the process of the server if this connection may have gone silent; null if not, or if it was examined a moment ago. */
  suspect(now: number): number | null {
    if (!this.traceable || this.broken || this.checking || this.turns === 0) return null;
    if (now - Math.max(this.headSince, this.examinedAt) < SUSPECT_MS) return null;
    this.examinedAt = now;
    return this.client.processID;
  }

  /** What has come over it so far: another value shows later that it is not silent. */
  received(): number {
    return (this.client.connection.stream as Socket).bytesRead;
  }

  /** Destroys it if it is idle: for one that was lost together with others. */
  discard(reason: string): void {
    if (this.opened && this.turns === 0) this.destroy(reason);
  }

  /** Restarts the time limit after the process itself was suspended, not the database: what arrived meanwhile has not been read yet. */
  forgive(now: number): void {
    this.headSince = now;
  }

  destroy(reason: string): void {
    if (this.broken) return;
    this.broken = true;
    this.client.connection.stream.destroy(new DatabaseUnavailable(reason));
  }

  async close(): Promise<void> {
    if (this.broken) return;
    const limit = setTimeout(() => this.destroy('The connection is being closed'), CLOSE_LIMIT_MS);
    await this.becoming?.catch(() => {});
    await this.client.end().catch(() => {});
    clearTimeout(limit);
  }
}

/** The `nice` value: with all processors busy, such a server process gets a third of the time that another one gets. */
const LOWER = 5;

/**
 * Lowers the priority of the server process of a connection, where it runs on this machine and may be changed: that of
 * the embedded server, connected by its socket, on Linux. Elsewhere the operator's own settings apply.
 */
export async function lowerPriority(settings: pg.ClientConfig, pid: number | null): Promise<void> {
  if (pid === null || process.platform !== 'linux' || settings.host?.startsWith('/') !== true) return;
  if (!(await isServerProcess(pid))) return;
  try {
    setPriority(pid, LOWER);
  } catch (error) {
    // A server of another account, or a process that has ended meanwhile: nothing to do.
    if (!['EACCES', 'EPERM', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The process id may belong to another machine or container whose socket folder is shared with this one. */
async function isServerProcess(pid: number): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.startsWith('postgres: ');
}

/** Maximum length of a statement's text in a span, in characters. */
const MOST_TEXT = 1_000;
const OPERATION = /^(?:\s|--.*\n)*([a-z]+)/i;

/**
 * A span for statements sent to the database together, up to their response. The texts of statements have placeholders
 * for values. Null where the running work is not traced.
 */
function statementsSpan(statements: readonly { text: string }[]): Span | null {
  if (runningSpan() === null) return null;
  const operations = statements.map(({ text }) => OPERATION.exec(text)?.[1]?.toLowerCase() ?? 'statement');
  const size = statements.length;
  return startSpan(size === 1 ? operations[0]! : 'batch', {
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': size === 1 ? operations[0]! : `batch ${[...new Set(operations)].join(' ')}`,
      'db.query.text': statements
        .map(({ text }) => text.trim())
        .join(';\n')
        .slice(0, MOST_TEXT),
      ...(size > 1 ? { 'db.operation.batch.size': size } : {}),
    },
  });
}
