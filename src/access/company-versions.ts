import { monotonicMs } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { sql } from '../db/sql.ts';

/** How often a process polls for companies whose configuration changed. */
const POLL_MS = 300;
/** Cached data is trusted for this long after the last successful poll began. */
export const FRESH_MS = 1_000;

/** What was written to the database, by this process or another. */
export interface Writes {
  /** Differs from an earlier mark if a transaction has written since. */
  mark(): string;
  /** Calls `listener` when the mark changes. */
  watch(listener: () => void): void;
}

/**
 * Knows the version of every company's configuration within a second, however many processes change it. A plain poll, so that it also works
 * with a PgBouncer in transaction mode, where NOTIFY does not.
 * See docs/design/architecture.md.
 */
export interface CompanyVersions {
  start(): Promise<void>;
  stop(): void;
  /** Reads all changes now: afterwards `version` includes everything committed before the call, and the listeners have processed it. */
  refresh(): Promise<void>;
  /**
   * Calls `listener` after each poll, without waiting for it, with the companies whose version changed. It is not called concurrently with
   * itself, and must never fail.
   */
  watch(listener: (changed: readonly number[]) => Promise<void>): void;
  /** Returns the company's version, or 0 if it was never seen. */
  version(companyId: number): number;
  /** Whether the last successful poll began within the last second. */
  isFresh(): boolean;
  /** Writes of all transactions, as of the last poll. */
  readonly writes: Writes;
}

export function createCompanyVersions(db: Queryable, onError: (error: unknown) => void): CompanyVersions {
  const versions = new Map<number, number>();
  const listeners: ((changed: readonly number[]) => Promise<void>)[] = [];
  const writeListeners: (() => void)[] = [];
  let horizon = '0';
  let snapshot = '';
  let freshUntil = -1;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<Told> | undefined;

  async function poll(): Promise<Told> {
    const began = monotonicMs();
    const rows = await db.query<{
      company_id: number | null;
      version: number | null;
      horizon: string;
      snapshot: string;
    }>(sql`
      -- Transactions open at the last look may have committed since: rows from the oldest of them on are read again.
      select c.company_id, c.version, s.horizon, s.snapshot
      from (select pg_snapshot_xmin(now)::text as horizon, now::text as snapshot from pg_current_snapshot() now) s
      left join company_versions c on c.changed_in >= ${horizon}::text::xid8`);
    const changed: number[] = [];
    for (const row of rows) {
      horizon = row.horizon;
      if (row.company_id === null) continue;
      if (versions.get(row.company_id) !== row.version) changed.push(row.company_id);
      versions.set(row.company_id, row.version!);
    }
    freshUntil = began + FRESH_MS;
    // A transaction that writes has an id of its own, so that its end changes the snapshot.
    if (rows[0]!.snapshot !== snapshot) {
      snapshot = rows[0]!.snapshot;
      for (const listener of writeListeners) listener();
    }
    return { told: Promise.all(listeners.map((listener) => listener(changed))) };
  }

  /** A caller that arrives during a poll needs one that begins after its arrival. */
  function nextPoll(): Promise<Told> {
    const next = (running?.catch(() => {}) ?? Promise.resolve()).then(poll);
    running = next;
    void next
      .catch(() => {})
      .finally(() => {
        if (running === next) running = undefined;
      });
    return next;
  }

  async function refresh(): Promise<void> {
    const { told } = await nextPoll();
    await told;
  }

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      nextPoll().catch(onError).finally(schedule);
    }, POLL_MS);
    timer.unref();
  }

  return {
    async start() {
      await refresh();
      schedule();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
    refresh,
    watch: (listener) => void listeners.push(oneAtATime(listener)),
    version: (companyId) => versions.get(companyId) ?? 0,
    isFresh: () => monotonicMs() < freshUntil,
    writes: { mark: () => snapshot, watch: (listener) => void writeListeners.push(listener) },
  };
}

/** A poll ends before its listeners do. */
interface Told {
  told: Promise<unknown>;
}

/** Collects the changes during a call for one more call afterwards: a locked table then blocks one connection, not one per poll. */
function oneAtATime(
  listener: (changed: readonly number[]) => Promise<void>,
): (changed: readonly number[]) => Promise<void> {
  const waiting = new Set<number>();
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    next = undefined;
    const companies = [...waiting];
    waiting.clear();
    current = listener(companies).finally(() => {
      current = undefined;
    });
    return current;
  }

  return (changed) => {
    for (const company of changed) waiting.add(company);
    if (next !== undefined) return next;
    if (current === undefined) return start();
    next = current.then(start);
    return next;
  };
}

/**
 * Returns the configuration version that this transaction sees. Negative if the transaction changed it itself, because what it sees may be
 * rolled back and must not be cached.
 */
export async function versionIn(tx: Queryable, companyId: number): Promise<number> {
  const rows = await tx.query<{ version: number }>(sql`
    select case when changed_in = pg_current_xact_id_if_assigned() then -version else version end as version
    from company_versions where company_id = ${companyId}`);
  return rows[0]?.version ?? 0;
}
