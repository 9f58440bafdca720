import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/**
 * Reserves the provider's next time for `n` messages at `rate` per second; gives the milliseconds until it begins. By the
 * database's clock, so that all processes count alike.
 */
export async function leaseSendingTime(db: Queryable, provider: string, n: number, rate: number): Promise<number> {
  const seconds = n / rate;
  // What is booked out for longer than a hundred processes could have was booked by a clock that was wrong.
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
