import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

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
