import type { Db } from '../../db/pool.ts';
import * as queries from './totals-queries.ts';

/** Adds the events of the days that are over up for each contact (see event_totals), a month in a transaction. */
export async function addUpEvents(db: Db, now: Date): Promise<void> {
  let more = true;
  while (more) {
    more = await db.tx(async (tx) => {
      await queries.allowTime(tx);
      return queries.addUpEvents(tx, now);
    });
  }
}
