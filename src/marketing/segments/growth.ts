import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { withinMs } from '../../db/time-limit.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import * as queries from './growth-queries.ts';
import { countSegment, inSnapshot } from './segment-contacts.ts';

const DAY_MS = 24 * 3_600_000;
/** A bit over a year, so that a month can be compared with the same one of the previous year. */
const KEPT_DAYS = 400;
/** Maximum segments per company that are counted: those that were changed last. With the days, this limits its rows to 80,000. */
const SEGMENTS_OF_COMPANY = 200;
/** Segments per turn, the time limit of each, and the time after which none is begun: they bound how long a turn delays the other chores. */
const SEGMENTS_AT_ONCE = 5;
const LIMIT_MS = 5_000;
const TURN_MS = 1_000;
const REMOVED_AT_ONCE = 5_000;

export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/**
 * Counts the contacts of segments once a day (UTC), and deletes counts after 400 days. A count that takes too long or fails is
 * missing for that day. Returns the number of segments that were counted. Safe to run in two processes at once.
 */
export async function countGrowth({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Promise<number> {
  const now = clock.now();
  const day = dayOf(now);
  const due = await queries.findUncounted(db, day, { ofCompany: SEGMENTS_OF_COMPANY, limit: SEGMENTS_AT_ONCE });
  const ends = monotonicMs() + TURN_MS;
  let counted = 0;
  for (const { company_id: companyId, id } of due) {
    if (monotonicMs() >= ends) break;
    const n = await inSnapshot(db, companyId, (tx, addedUpTo) =>
      withinMs(tx, LIMIT_MS, () => countSegment(tx, companyId, id, now, addedUpTo)),
    ).catch((error: unknown) => {
      // An error of one segment does not prevent the other counts.
      if (isUnavailable(error)) throw error;
      log.warn({ err: error, company_id: companyId, segment_id: id }, 'a segment could not be counted');
    });
    await db.tenantTx(companyId, (tx) => queries.insertCount(tx, companyId, { segmentId: id, day, n: n ?? null }));
    counted++;
  }
  if (due.length === 0)
    await queries.removeCounts(db, dayOf(new Date(now.getTime() - KEPT_DAYS * DAY_MS)), REMOVED_AT_ONCE);
  return counted;
}
