import { leaseRequests, returnRequests, touchApiKey } from '../../access/api-key-queries.ts';
import type { Holder } from '../../access/authenticator.ts';
import { CLOCK_SKEW_MS, type Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { refusesWrites } from '../../db/unavailable.ts';
import { type Leased, takeLeased } from '../../lib/leased-counts.ts';

const WINDOW_MS = 3_600_000;
/** The header value for a key without a limit: the headers must be in every response, and numeric. */
const UNLIMITED = 2_147_483_647;
const TOUCH_EVERY_MS = 60_000;
const MAX_SLICE = 5_000;

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the window ends. */
  reset: number;
}

export interface RateLimiter {
  /** Counts one request of the key. Returns no promise while the process has requests left in its slice. */
  take(holder: Holder): RateDecision | Promise<RateDecision>;
  /** Returns unused slices; called on a graceful stop. */
  close(): Promise<void>;
}

/** This process's share of the requests in the current window. */
interface Slice extends Leased {
  holder: Holder;
  windowStart: number;
  /** Requests of the window handed out to all processes. */
  leased: number;
  /** Counted only in this process's memory, so nothing can be returned. */
  isAlone: boolean;
  touched: number;
}

/**
 * A fixed window of an hour per key, shared by all processes: each leases slices of the key's limit from the database and counts in memory.
 * Never leases more than the limit, and leased requests count as used after a restart. While the database accepts no writes, each process
 * counts on its own.
 */
export function createRateLimiter(db: Pick<Db, 'writes' | 'choresOf'>, clock: Clock): RateLimiter {
  const slices = new Map<number, Map<number, Slice>>();

  function sliceOf(holder: Holder): Slice {
    let ofCompany = slices.get(holder.companyId);
    if (ofCompany === undefined) {
      ofCompany = new Map();
      slices.set(holder.companyId, ofCompany);
    }
    let slice = ofCompany.get(holder.keyId);
    if (slice === undefined) {
      slice = { holder, windowStart: 0, unused: 0, leased: 0, isAlone: false, asking: undefined, touched: 0 };
      ofCompany.set(holder.keyId, slice);
    }
    slice.holder = holder;
    return slice;
  }

  function decide(slice: Slice, allowed: boolean): RateDecision {
    const limit = slice.holder.requestsPerHour;
    return {
      allowed,
      limit,
      remaining: allowed ? Math.max(0, limit - slice.leased + slice.unused) : 0,
      reset: Math.ceil((slice.windowStart + WINDOW_MS) / 1000),
    };
  }

  async function lease(slice: Slice): Promise<void> {
    const { companyId, keyId, requestsPerHour } = slice.holder;
    const at = clock.now();
    try {
      const wanted = { at, most: MAX_SLICE, hourly: requestsPerHour };
      const got = await leaseRequests(db.writes(companyId), companyId, keyId, wanted);
      const windowStart = got.window_started.getTime();
      slice.unused = (slice.windowStart === windowStart ? slice.unused : 0) + got.granted;
      slice.windowStart = windowStart;
      slice.leased = got.total_leased;
      slice.isAlone = false;
    } catch (error) {
      if (!refusesWrites(error)) throw error;
      countAlone(slice, at.getTime());
    }
  }

  /** Reads continue while the database accepts no writes: grants the rest of the limit to this process alone. */
  function countAlone(slice: Slice, now: number): void {
    const isNew = !isCurrent(slice.windowStart, now);
    if (isNew) slice.windowStart = now;
    slice.unused = slice.holder.requestsPerHour - (isNew ? 0 : slice.leased);
    slice.leased = slice.holder.requestsPerHour;
    slice.isAlone = true;
  }

  async function takeAfterLease(slice: Slice): Promise<RateDecision> {
    const isUsedUp = (): boolean => slice.leased >= slice.holder.requestsPerHour;
    return decide(slice, await takeLeased(slice, () => lease(slice), isUsedUp));
  }

  function takeUnlimited(slice: Slice, now: number): RateDecision {
    if (Math.abs(now - slice.touched) >= TOUCH_EVERY_MS) {
      slice.touched = now;
      const { companyId, keyId } = slice.holder;
      // Only affects the display of "last used": a failure shows there and in the next query's own error.
      touchApiKey(db.writes(companyId), companyId, keyId, new Date(now)).catch(() => {
        slice.touched = 0;
      });
    }
    if (!isCurrent(slice.windowStart, now)) slice.windowStart = now;
    return {
      allowed: true,
      limit: UNLIMITED,
      remaining: UNLIMITED,
      reset: Math.ceil((slice.windowStart + WINDOW_MS) / 1000),
    };
  }

  return {
    take(holder) {
      const slice = sliceOf(holder);
      const now = clock.now().getTime();
      if (holder.requestsPerHour === 0) return takeUnlimited(slice, now);
      if (isCurrent(slice.windowStart, now)) {
        if (slice.unused > 0) {
          slice.unused--;
          return decide(slice, true);
        }
        if (slice.leased >= holder.requestsPerHour) return decide(slice, false);
      }
      return takeAfterLease(slice);
    },
    async close() {
      const unused = [...slices.values()]
        .flatMap((ofCompany) => [...ofCompany.values()])
        .filter((slice) => slice.unused > 0 && !slice.isAlone && slice.holder.requestsPerHour > 0);
      // Sequentially and outside the write lane, where a company that floods the server would have to wait for a connection.
      for (const { holder, windowStart, unused: left } of unused) {
        const { companyId, keyId } = holder;
        const given = { windowStart: new Date(windowStart), unused: left };
        await returnRequests(db.choresOf(companyId), companyId, keyId, given);
      }
      slices.clear();
    },
  };
}

/** Whether the window has begun and not ended; one in the future was written by a wrong clock. */
function isCurrent(windowStart: number, now: number): boolean {
  const age = now - windowStart;
  return age < WINDOW_MS && age >= -CLOCK_SKEW_MS;
}
