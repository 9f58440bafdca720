import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';
import { Overloaded } from '../../errors.ts';
import { WaitEstimate } from '../../lib/wait-estimate.ts';
import { rawSql, sql } from '../sql.ts';
import { DatabaseUnavailable, isFromServer, isFull, refusesWrites } from '../unavailable.ts';
import { CompanyLines } from './company-lines.ts';
import { type ConnectionOptions, LaneConnection } from './connection.ts';

/** The owner of the program's own work: no company. It may use all connections of a lane. */
export const PROGRAM = 0;
/** The owner of queries made before it is known whose request it is. All of these together get the share of one company. */
export const STRANGERS = -1;
/** The visitors of a company's shop, apart from its own programs and staff. */
export const visitorsOf = (companyId: number): number => -1_000 - companyId;

export interface LaneOptions extends ConnectionOptions {
  /** Maximum; they are opened when needed and closed after a minute without use. */
  connections: number;
  /** Statements in flight on one connection. */
  depth: number;
  /** Whether several companies share one connection: for statements that are short by design. */
  shared: boolean;
  /** A job that would wait longer is refused. */
  maxWaitMs: number;
}

interface Job {
  owner: number;
  exclusive: boolean;
  since: number;
  start(connection: LaneConnection): void;
  refuse(error: Error): void;
}

/** What a lane has done since the start, and its present state. */
export interface LaneFigures {
  /** Open connections, and how many of them have work. */
  connections: number;
  busy: number;
  most: number;
  /** Jobs that wait for a connection. */
  waiting: number;
  /** Jobs that had a connection, and the total time they had it. */
  jobs: number;
  busyMs: number;
  /** Jobs among them that had to wait, and the total time they waited. */
  waited: number;
  waitedMs: number;
  /** Jobs that were refused because they would have waited for too long. */
  refused: number;
}

/** Nothing is sent after a statement that has taken so long already: it would wait for it without being counted. */
const SLOW_MS = 100;
/** After a failed connect, with no other connection left, jobs are refused for so long instead of waiting for the next. */
const DOWN_MS = 500;
const IDLE_MS = 60_000;
/** For so long after a full server has refused a connection, none is opened beside those that are open. */
const FULL_MS = 5_000;
const IDLE_ON_FULL_MS = 1_000;
/** Pause before a job without any connection tries again to open one. */
const AGAIN_MS = 100;
const SILENT = 'The connection to the database went silent';
/** Time limit for work in progress when the lane is closed. */
const CLOSE_LIMIT_MS = 1_000;
/** Jobs waiting at most, whatever wait is estimated. One company has at most half of these places. */
const MAX_WAITING = 10_000;

/**
 * A few connections for one kind of work, with a queue that is fair between companies. A company has at most half of the
 * connections and at most half of the places in the queue.
 */
export class Lane {
  private readonly options: LaneOptions;
  private readonly slots: (LaneConnection | undefined)[];
  private readonly queue = new CompanyLines<Job>();
  private readonly estimate = new WaitEstimate();
  private readonly perCompany: number;
  private downUntil = 0;
  /** Until then, the server is taken to have no connection left. */
  private fullUntil = 0;
  private closed = false;
  private examining = false;
  private readonly totals = { jobs: 0, busyMs: 0, waited: 0, waitedMs: 0, refused: 0 };
  /** When a write was last refused because the disk is full or the server read-only; -Infinity if never. */
  writesRefusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LaneOptions) {
    this.options = options;
    this.slots = new Array(options.connections).fill(undefined);
    this.perCompany = Math.max(1, options.connections >> 1);
  }

  /**
   * Runs `work` on a connection, alone on it where `exclusive`. Throws Overloaded where it would wait too long, and
   * DatabaseUnavailable where no connection is available.
   */
  async run<T>(owner: number, exclusive: boolean, work: (connection: LaneConnection) => Promise<T>): Promise<T> {
    const since = monotonicMs();
    for (let attempt = 1; ; attempt++) {
      const connection = this.claim(owner, exclusive) ?? (await this.wait(owner, exclusive));
      const began = monotonicMs();
      try {
        const becoming = connection.ready();
        if (becoming !== null && !(await this.usable(connection, becoming, attempt, since))) continue;
        return await work(connection);
      } catch (error) {
        if (refusesWrites(error)) this.writesRefusedAt = monotonicMs();
        throw error;
      } finally {
        this.totals.jobs++;
        this.totals.busyMs += monotonicMs() - began;
        this.release(connection, owner, exclusive);
      }
    }
  }

  /**
   * False for a connection that was lost while it was idle: another one is tried, once. And for one that a full server did not accept: then
   * one of those that are open is waited for, or tried again where none is.
   */
  private async usable(
    connection: LaneConnection,
    becoming: Promise<void>,
    attempt: number,
    since: number,
  ): Promise<boolean> {
    try {
      await becoming;
      return true;
    } catch (error) {
      // The others have been idle for as long, or are lost in the same way.
      if (connection.opened) for (const slot of this.slots) slot?.discard('Another connection was lost');
      if (connection.opened && attempt === 1) return false;
      if (connection.opened) throw error;
      if (isFull(error)) {
        this.fullUntil = monotonicMs() + FULL_MS;
        if (monotonicMs() - since > this.options.maxWaitMs) throw new Overloaded(this.options.maxWaitMs);
        if (!this.isUp()) await sleep(AGAIN_MS);
        return false;
      }
      this.failed(error as Error);
      throw error;
    }
  }

  /** A connect failed. Where no connection is left, waiting jobs fail now. */
  private failed(error: Error): void {
    if (this.isUp()) return;
    this.downUntil = monotonicMs() + DOWN_MS;
    this.refuseAll(error);
  }

  private refuseAll(error: Error): void {
    for (const job of this.queue.dropLate(() => true)) {
      this.estimate.took(job.owner, 0, 0, 0);
      job.refuse(error);
    }
  }

  private isUp(): boolean {
    return this.slots.some((slot) => slot?.opened && !slot.broken);
  }

  /** Returns a connection for now, or undefined when the job must wait. */
  private claim(owner: number, exclusive: boolean): LaneConnection | undefined {
    if (this.closed) throw new Error('The database pool is closed');
    if (this.downUntil > 0) this.refuseWhileDown();
    // Queue after the owner's own jobs that wait already.
    if (this.queue.size > 0 && this.queue.sizeOf(owner) > 0) return undefined;
    return this.pick(owner, exclusive);
  }

  private refuseWhileDown(): void {
    if (monotonicMs() < this.downUntil && !this.isUp()) {
      throw new DatabaseUnavailable('The database could not be reached a moment ago');
    }
    this.downUntil = 0;
  }

  /** Claims the least busy connection that the owner may use; opens one before it shares one. */
  private pick(owner: number, exclusive: boolean): LaneConnection | undefined {
    const { slots } = this;
    let occupied = 0;
    for (const slot of slots) if (slot !== undefined && !slot.broken && slot.users.has(owner)) occupied++;
    const mayHaveMore = owner === PROGRAM || occupied < this.perCompany;
    let best: LaneConnection | undefined;
    let vacant = -1;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i];
      if (slot === undefined || slot.broken) {
        if (vacant === -1) vacant = i;
        continue;
      }
      if (!this.fits(slot, owner, exclusive, mayHaveMore)) continue;
      if (best === undefined || slot.jobs < best.jobs) best = slot;
      if (best.jobs === 0) break;
    }
    const mayOpen = mayHaveMore && (monotonicMs() >= this.fullUntil || !this.isUp());
    if ((best === undefined || best.jobs > 0) && vacant !== -1 && mayOpen) {
      best = new LaneConnection(this.options);
      slots[vacant] = best;
    }
    if (best === undefined) return undefined;
    best.jobs++;
    best.exclusive = exclusive;
    best.users.set(owner, (best.users.get(owner) ?? 0) + 1);
    return best;
  }

  private fits(slot: LaneConnection, owner: number, exclusive: boolean, mayHaveMore: boolean): boolean {
    const { depth, shared } = this.options;
    if (slot.jobs === 0) return mayHaveMore;
    if (exclusive || slot.exclusive || slot.jobs >= depth) return false;
    const isOwn = slot.users.has(owner);
    if (!isOwn && !(shared && mayHaveMore)) return false;
    // The owner must yield when somebody else waits for a connection.
    if (!shared && this.queue.othersThan(owner)) return false;
    return slot.headAgeMs(monotonicMs()) < SLOW_MS;
  }

  private wait(owner: number, exclusive: boolean): Promise<LaneConnection> {
    const now = monotonicMs();
    const { maxWaitMs } = this.options;
    const ahead = this.queue.sizeOf(owner);
    const wait = this.estimate.waitOf(owner, ahead, now);
    if (wait > maxWaitMs || this.queue.size >= MAX_WAITING || ahead >= MAX_WAITING / 2) {
      this.totals.refused++;
      throw new Overloaded(wait);
    }
    this.estimate.waits(owner, now);
    return new Promise((start, refuse) => {
      this.queue.push(owner, { owner, exclusive, since: now, start, refuse });
    });
  }

  private release(connection: LaneConnection, owner: number, exclusive: boolean): void {
    connection.jobs--;
    if (exclusive) {
      connection.exclusive = false;
      connection.allow(0);
    }
    const left = connection.users.get(owner)! - 1;
    if (left === 0) connection.users.delete(owner);
    else connection.users.set(owner, left);
    if (this.queue.size > 0) this.startWaiting();
  }

  private startWaiting(): void {
    for (;;) {
      let connection: LaneConnection | undefined;
      const job = this.queue.take((next, owner) => {
        connection = this.pick(owner, next.exclusive);
        return connection !== undefined;
      });
      if (job === undefined) return;
      const now = monotonicMs();
      this.totals.waited++;
      this.totals.waitedMs += now - job.since;
      this.estimate.took(job.owner, 1, this.queue.sizeOf(job.owner), now);
      job.start(connection!);
    }
  }

  /** Looks for connections that have gone silent, and destroys them with all idle ones, long before their statements would time out. */
  private examineSuspects(now: number): void {
    if (this.examining) return;
    const suspects = new Map<number, LaneConnection>();
    for (const slot of this.slots) {
      const pid = slot?.suspect(now) ?? null;
      if (pid !== null) suspects.set(pid, slot!);
    }
    if (suspects.size === 0) return;
    this.examining = true;
    void findSilent(suspects, this.options).then((silent) => {
      this.examining = false;
      for (const slot of silent) slot.destroy(SILENT);
      if (silent.length > 0) for (const slot of this.slots) slot?.discard(SILENT);
    });
  }

  /** On a full server, other processes need what is idle here; one connection stays. */
  private idleLimit(now: number): number {
    return now < this.fullUntil && this.slots.filter((slot) => slot?.opened).length > 1 ? IDLE_ON_FULL_MS : IDLE_MS;
  }

  /** Called a few times a second. `late` when the process itself was suspended since the last time. */
  sweep(now: number, late: boolean): void {
    this.slots.forEach((slot, i) => {
      if (slot === undefined) return;
      if (late) slot.forgive(now);
      slot.watch(now);
      if (slot.broken && slot.jobs === 0) this.slots[i] = undefined;
      else if (slot.idleMs(now) > this.idleLimit(now)) {
        this.slots[i] = undefined;
        void slot.close();
      }
    });
    if (!late) {
      this.examineSuspects(now);
      for (const job of this.queue.dropLate((one) => now - one.since > this.options.maxWaitMs)) {
        this.totals.refused++;
        job.refuse(new Overloaded(this.estimate.waitOf(job.owner, 0, now)));
        this.estimate.took(job.owner, 0, this.queue.sizeOf(job.owner), now);
      }
    }
    // Statements may have become slow, or quick again, without any that ended.
    if (this.queue.size > 0) this.startWaiting();
  }

  figures(): LaneFigures {
    const open = this.slots.filter((slot) => slot !== undefined);
    const busy = open.filter((slot) => slot.jobs > 0).length;
    return { ...this.totals, connections: open.length, busy, most: this.slots.length, waiting: this.queue.size };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.refuseAll(new Error('The database pool is closed'));
    const limit = monotonicMs() + CLOSE_LIMIT_MS;
    while (monotonicMs() < limit && this.slots.some((slot) => slot !== undefined && slot.jobs > 0)) await sleep(10);
    await Promise.all(this.slots.map((slot) => slot?.close()));
  }
}

/** How long an examination may take. */
const LIMIT_MS = 2_500;
/** Of other sessions of the login alone, the server says what they do. */
const AS_LOGIN = rawSql('set role none');

/**
 * Returns those of the connections, by their process of the server, that have gone silent: on a fresh connection the server says that it has
 * nothing to do for them any more, or no fresh one can be opened.
 */
async function findSilent(
  suspects: ReadonlyMap<number, LaneConnection>,
  options: ConnectionOptions,
): Promise<LaneConnection[]> {
  const received = new Map([...suspects].map(([pid, one]) => [pid, one.received()]));
  const fresh = new LaneConnection(options);
  const limit = setTimeout(() => fresh.destroy('The database did not respond'), LIMIT_MS);
  const working = new Set<number>();
  try {
    await fresh.ready();
    await fresh.query(AS_LOGIN);
    const rows = await fresh.query<{ pid: number }>(sql`
      select pid from pg_stat_activity where pid = any(${[...suspects.keys()]}::int[])
        and (state is null or state in ('active', 'fastpath function call', 'disabled'))`);
    for (const { pid } of rows) working.add(pid);
  } catch (error) {
    // It responds, but has no connection left.
    if (isFromServer(error)) return [];
  } finally {
    clearTimeout(limit);
    void fresh.close();
  }
  const silent = [...suspects].filter(([pid, one]) => !working.has(pid) && one.received() === received.get(pid));
  return silent.map(([, one]) => one);
}
