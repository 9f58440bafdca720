import type { Db } from '../../../db/pool.ts';
import * as queries from './queries.ts';

/**
 * Adds the events of past days to the totals of each contact (see event_totals), at most a month at a time; returns
 * whether more remain.
 */
export function addUpEvents(db: Db, now: Date): Promise<boolean> {
  return db.tx(async (tx) => {
    await queries.allowTime(tx);
    return queries.addUpEvents(tx, now);
  });
}
