import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

export interface SendRateOptions {
  /** Messages per second; null without a limit. */
  rate: number | null;
  /**
   * Reserves the next `n / rate` seconds for `n` messages of this process. Returns the milliseconds until they begin.
   */
  lease(n: number): Promise<number>;
}

interface Waiting {
  n: number;
  go: () => void;
  fail: (error: unknown) => void;
}

/**
 * Resolves when the next `n` messages may be sent: `rate` per second across all processes, evenly spaced. Time is leased for all that is
 * waiting, but for at most one second; the lease of a process that dies is lost, never used twice.
 */
export function createSendRate({ rate, lease }: SendRateOptions): (n?: number) => Promise<void> {
  if (rate === null) return async () => {};
  const waiting: Waiting[] = [];
  let running = false;

  async function release(perSecond: number): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const some = [waiting.shift()!];
      let total = some[0]!.n;
      while (waiting.length > 0 && total + waiting[0]!.n <= perSecond) {
        total += waiting[0]!.n;
        some.push(waiting.shift()!);
      }
      try {
        let turn = monotonicMs() + (await lease(total));
        for (const { n, go } of some) {
          const wait = turn - monotonicMs();
          if (wait > 0) await pause(wait);
          go();
          turn += (n * 1_000) / perSecond;
        }
      } catch (error) {
        for (const { fail } of some) fail(error);
      }
    }
    running = false;
  }

  return (n = 1) =>
    new Promise((go, fail) => {
      waiting.push({ n, go, fail });
      if (!running) void release(rate);
    });
}

/**
 * Reserves the provider's next time slot for `n` messages at `rate` per second, in the database's time. Returns the milliseconds
 * until it begins.
 */
export async function leaseSendingTime(db: Queryable, provider: string, n: number, rate: number): Promise<number> {
  const seconds = n / rate;
  // A reservation further ahead than a hundred processes could cause was made by a wrong clock.
  const most = Math.max(600, 100 * seconds);
  const rows = await db.query<{ wait: number }>(sql`
    insert into provider_rates as p (provider, free_at)
    values (${provider}, clock_timestamp() + make_interval(secs => ${seconds}::float))
    on conflict (provider) do update
    set free_at = case when p.free_at > clock_timestamp() + make_interval(secs => ${most}::float) then clock_timestamp()
      else greatest(p.free_at, clock_timestamp()) end + make_interval(secs => ${seconds}::float)
    returning (extract(epoch from free_at - clock_timestamp()) - ${seconds}::float)::float * 1000 as wait`);
  return Math.max(0, rows[0]!.wait);
}

/** Deletes the time slots of a provider that no longer exists. */
export async function forgetSendingTime(db: Queryable, provider: string): Promise<void> {
  await db.query(sql`delete from provider_rates where provider = ${provider}`);
}
