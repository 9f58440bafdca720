import type { Db } from '../../db/pool.ts';
import * as queries from './totals-queries.ts';

/**
 * Adds the events of the days that are over up for each contact (see event_totals), a month at most; gives whether there
 * is more.
 */
export function addUpEvents(db: Db, now: Date): Promise<boolean> {
  return db.tx(async (tx) => {
    await queries.allowTime(tx);
    return queries.addUpEvents(tx, now);
  });
}
