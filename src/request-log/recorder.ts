import type { Logger } from 'pino';
import { monotonicMs } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import * as queries from './queries.ts';

export interface RequestLogLimits {
  /** Limits per company and second, for requests that succeeded and that failed. */
  successes: number;
  failures: number;
  /** Requests of all companies that may wait to be written. */
  pending: number;
  /** Rows kept per company, approximately. */
  kept: number;
}

/** Limits of each process. Failures have their own limit because they are what people look for. */
export const REQUEST_LOG_LIMITS: RequestLogLimits = { successes: 10, failures: 20, pending: 2_000, kept: 20_000 };

const FLUSH_MS = 1_000;
/** Rows of a company that are written before its oldest rows are trimmed again. */
const TRIM_EVERY = 2_000;

/** How much of its limits a company has used in the current second. */
interface Budget {
  second: number;
  successes: number;
  failures: number;
  leftOut: number;
}

export interface RequestRecorder {
  /** Returns whether the request is to be recorded; if not, counts it as left out. */
  takes(companyId: number, isFailure: boolean): boolean;
  record(request: Omit<queries.RecordedRequest, 'leftOut'>): void;
  /** Writes the pending requests. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface RecorderDeps {
  db: Db;
  log: Logger;
  limits?: RequestLogLimits;
  /** A monotonic clock, in milliseconds. */
  elapsedMs?: () => number;
}

/** Collects requests in memory and writes those of all companies once a second, in one statement. See docs/design/api.md. */
export function createRequestRecorder(deps: RecorderDeps): RequestRecorder {
  const { db, log, limits = REQUEST_LOG_LIMITS, elapsedMs = monotonicMs } = deps;
  const budgets = new Map<number, Budget>();
  const written = new Map<number, number>();
  let pending: queries.RecordedRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  function budgetOf(companyId: number): Budget {
    const second = Math.floor(elapsedMs() / 1_000);
    let budget = budgets.get(companyId);
    if (budget === undefined) {
      budget = { second, successes: 0, failures: 0, leftOut: 0 };
      budgets.set(companyId, budget);
    }
    if (budget.second !== second) {
      budget.second = second;
      budget.successes = 0;
      budget.failures = 0;
    }
    return budget;
  }

  async function write(rows: queries.RecordedRequest[]): Promise<void> {
    try {
      await queries.insertRequests(db.chores, rows);
    } catch (error) {
      log.warn({ err: error, requests: rows.length }, 'requests could not be recorded');
      for (const { companyId, leftOut } of rows) budgetOf(companyId).leftOut += leftOut + 1;
      return;
    }
    for (const { companyId } of rows) written.set(companyId, (written.get(companyId) ?? 0) + 1);
    for (const [companyId, n] of written) if (n >= TRIM_EVERY) await trim(companyId);
  }

  async function trim(companyId: number): Promise<void> {
    written.delete(companyId);
    await queries.trimRequests(db.choresOf(companyId), companyId, limits.kept).catch((error: unknown) => {
      log.warn({ err: error, company_id: companyId }, 'old recorded requests could not be removed');
    });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const rows = pending;
    pending = [];
    const second = Math.floor(elapsedMs() / 1_000);
    for (const [companyId, budget] of budgets) {
      if (budget.second !== second && budget.leftOut === 0) budgets.delete(companyId);
    }
    if (rows.length > 0) flushing = flushing.then(() => write(rows));
    return flushing;
  }

  return {
    takes(companyId, isFailure) {
      const budget = budgetOf(companyId);
      const used = isFailure ? budget.failures++ : budget.successes++;
      if (used < (isFailure ? limits.failures : limits.successes) && pending.length < limits.pending) return true;
      budget.leftOut++;
      return false;
    },
    record(request) {
      const budget = budgetOf(request.companyId);
      pending.push({ ...request, leftOut: budget.leftOut });
      budget.leftOut = 0;
      if (timer !== undefined) return;
      timer = setTimeout(() => void flush(), FLUSH_MS);
      timer.unref();
    },
    flush,
    close: flush,
  };
}
