import type { Clock } from '../../../clock.ts';
import type { Queryable } from '../../../db/pool.ts';
import { purgeByAge } from '../../../db/purge.ts';
import type { Slice } from '../../../lib/slice.ts';

/** Longer than any window of a rate limit. */
const RATES_MS = 26 * 3_600_000;

/** Deletes submissions that were not confirmed in time. */
export function purgeSubmissions(db: Queryable, clock: Clock): Slice<Date> {
  return purgeByAge(db, { table: 'form_submissions', column: 'expires_at', before: () => clock.now() });
}

/** Deletes counts of windows that have ended. */
export function purgeFormRates(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - RATES_MS);
  return purgeByAge(db, { table: 'form_rates', column: 'window_start', before });
}
