import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Leased, takeLeased } from '../../lib/leased-counts.ts';
import { networkOf } from '../../lib/network.ts';
import { type Door, LIMITS } from './door.ts';
import { firstShareOf, forgetAttempts, leaseAttempts } from './queries.ts';

/** Limits what one network does within a window at each door, across all processes (see door.ts). */
export interface NetworkLimiter {
  /** Returns the seconds until credentials from there are looked up again, or 0. */
  blockedFor(door: Door, address: string): number;
  /** Counts one. Returns 0, or the seconds to wait if those of the window are used up. */
  count(door: Door, address: string): number | Promise<number>;
  /**
   * Counts one of a token, of which there are many: a sixth of the limit in this process alone, so that most cost no query. The database
   * learns of it with the first lease.
   */
  countOfToken(door: Door, token: string): number | Promise<number>;
}

/** This process's share of those still allowed. */
interface Slice extends Leased {
  door: Door;
  network: string;
  windowStart: number;
  usedUp: boolean;
  /** Taken without a lease. */
  unleased: number;
}

/** Beyond this number the oldest are dropped; the database still knows what was leased to them. */
const MAX_SLICES = 10_000;
/** A process writes at most this often, whatever an attacker does, … */
const WRITE_EVERY_MS = 20;
/** … this many networks at a time, … */
const MAX_PER_WRITE = 32;
/** … and if this many are waiting, counts further ones only in memory: an attack must not overload the database. */
const MAX_WAITING = 500;
const PURGE_EVERY_MS = 5_000;
/** More than a process can write between two purges. */
const PURGE_SLICE = 10_000;

/**
 * Each process leases failures from the database in slices and counts in memory. The table holds the networks of each door's last window: at
 * most 1,600 per second and process.
 */
export function createNetworkLimiter(db: Queryable, clock: Clock, onError: (error: unknown) => void): NetworkLimiter {
  const slices = new Map<string, Slice>();
  /** Apart, so that whoever makes up tokens displaces no network. */
  const tokens = new Map<string, Slice>();
  let waiting: { slice: Slice; done: () => void }[] = [];
  let writing = false;
  let purgedAt = Number.NEGATIVE_INFINITY;

  function secondsLeft(slice: Slice): number {
    const { windowMs } = LIMITS[slice.door];
    const age = clock.now().getTime() - slice.windowStart;
    return Math.abs(age) < windowMs ? Math.max(1, Math.ceil((windowMs - Math.max(0, age)) / 1000)) : 0;
  }

  function sliceIn(kept: Map<string, Slice>, door: Door, network: string): Slice {
    const key = `${door} ${network}`;
    let slice = kept.get(key);
    if (slice === undefined) {
      if (kept.size >= MAX_SLICES) kept.delete(kept.keys().next().value!);
      const windowStart = Number.NEGATIVE_INFINITY;
      slice = { door, network, windowStart, unused: 0, usedUp: false, unleased: 0, asking: undefined };
      kept.set(key, slice);
    }
    return slice;
  }

  /** Grants the whole limit to this process alone if the database is not used. */
  function countAlone(slice: Slice): void {
    slice.windowStart = clock.now().getTime();
    slice.unused = LIMITS[slice.door].most;
    slice.usedUp = false;
    slice.unleased = 0;
  }

  async function write(batch: typeof waiting): Promise<void> {
    const asked = new Map(batch.map(({ slice }) => [`${slice.door} ${slice.network}`, slice]));
    try {
      for (const lease of await leaseAttempts(db, [...asked.values()], clock.now())) {
        const slice = asked.get(`${lease.door} ${lease.network}`)!;
        slice.windowStart = lease.window_start.getTime();
        slice.unused = lease.granted;
        slice.usedUp = lease.granted === 0;
        slice.unleased = 0;
      }
      if (monotonicMs() - purgedAt > PURGE_EVERY_MS) {
        purgedAt = monotonicMs();
        await forgetAttempts(db, clock.now(), PURGE_SLICE);
      }
    } catch (error) {
      onError(error);
      for (const slice of asked.values()) if (secondsLeft(slice) === 0 || slice.unused === 0) countAlone(slice);
    }
    for (const { done } of batch) done();
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_PER_WRITE);
      waiting = waiting.slice(MAX_PER_WRITE);
      const began = monotonicMs();
      await write(batch);
      await sleep(Math.max(0, began + WRITE_EVERY_MS - monotonicMs()));
    }
    writing = false;
  }

  function lease(slice: Slice): Promise<void> {
    if (waiting.length >= MAX_WAITING) {
      countAlone(slice);
      return Promise.resolve();
    }
    return new Promise((done) => {
      waiting.push({ slice, done });
      if (writing) return;
      writing = true;
      void writeAll();
    });
  }

  async function countAfterLease(slice: Slice): Promise<number> {
    const isTaken = await takeLeased(
      slice,
      () => lease(slice),
      () => slice.usedUp,
    );
    return isTaken ? 0 : secondsLeft(slice) || 1;
  }

  function countIn(slice: Slice): number | Promise<number> {
    const left = secondsLeft(slice);
    if (left > 0 && slice.unused > 0) {
      slice.unused--;
      return 0;
    }
    return left > 0 && slice.usedUp ? left : countAfterLease(slice);
  }

  return {
    blockedFor(door, address) {
      if (slices.size === 0) return 0;
      const slice = slices.get(`${door} ${networkOf(address)}`);
      return slice?.usedUp ? secondsLeft(slice) : 0;
    },
    count: (door, address) => countIn(sliceIn(slices, door, networkOf(address))),
    countOfToken(door, token) {
      const slice = sliceIn(tokens, door, token);
      if (secondsLeft(slice) === 0 && slice.asking === undefined) {
        slice.windowStart = clock.now().getTime();
        slice.unleased = firstShareOf(door);
        slice.unused = slice.unleased;
        slice.usedUp = false;
      }
      return countIn(slice);
    },
  };
}
