import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { type Door, LIMITS, MINUTE_MS } from './door.ts';

export interface AttemptLease {
  door: Door;
  network: string;
  window_start: Date;
  /** How many of the window's this process may allow; 0 if they are used up. */
  granted: number;
}

const DOORS = Object.keys(LIMITS);
const MOST = Object.values(LIMITS).map(({ most }) => most);
const WINDOWS = Object.values(LIMITS).map(({ windowMs }) => windowMs);

/** The limit and the window of the door of a row `f`. */
const most = sql`(select o.most from unnest(${DOORS}::text[], ${MOST}::int[]) o (door, most) where o.door = f.door)`;
const lasts = sql`(select make_interval(secs => o.ms / 1000) from unnest(${DOORS}::text[], ${WINDOWS}::int[]) o (door, ms)
  where o.door = f.door)`;

/** A sixth of the limit. */
export const firstShareOf = (door: Door): number => Math.ceil(LIMITS[door].most / 6);

/**
 * Leases a sixth of the rest to each, in one statement. `unleased` are those taken before without a lease. A window in the future (a wrong
 * clock) is restarted.
 */
export function leaseAttempts(
  db: Queryable,
  asked: readonly { door: Door; network: string; unleased: number }[],
  at: Date,
): Promise<AttemptLease[]> {
  const isOver = sql`f.window_start not between ${at}::timestamptz - ${lasts} + interval '1 millisecond'
    and ${at}::timestamptz + ${lasts}`;
  // `excluded.taken` is the first share, and what was taken without a lease.
  const before = sql`(case when ${isOver} then 0 else f.taken end + excluded.taken - excluded.granted)`;
  const share = sql`(greatest(0, ${most} + 5 - ${before}) / 6)`;
  return db.query<AttemptLease>(sql`
    insert into failed_attempts as f (door, network, window_start, taken, granted)
    select door, network, ${at}, first + unleased, first
    from unnest(${asked.map(({ door }) => door)}::text[], ${asked.map(({ network }) => network)}::text[],
      ${asked.map(({ door }) => firstShareOf(door))}::int[], ${asked.map(({ unleased }) => unleased)}::int[])
      a (door, network, first, unleased)
    order by door, network
    on conflict (door, network) do update set
      window_start = case when ${isOver} then excluded.window_start else f.window_start end,
      taken = ${before} + ${share},
      granted = ${share}
    returning door, network, window_start, granted`);
}

/** Deletes at most `limit` expired windows; skips those that another process is deleting. */
export async function forgetAttempts(db: Queryable, now: Date, limit: number): Promise<void> {
  const shortest = new Date(now.getTime() - MINUTE_MS);
  await db.query(sql`
    with expired as materialized (
      select door, network from failed_attempts f
      where window_start < ${shortest} and window_start < ${now}::timestamptz - ${lasts}
      order by window_start limit ${limit} for update skip locked
    )
    delete from failed_attempts f using expired e where f.door = e.door and f.network = e.network`);
}
