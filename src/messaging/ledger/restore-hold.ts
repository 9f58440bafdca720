import type { Db } from '../../db/pool.ts';
import { allowSending, findHold } from '../../installation.ts';
import { markLostUnknown } from './failover-queries.ts';
import { countWaiting, markWaitingUnknown, pauseRunning } from './restore-hold-queries.ts';

/** The operator's decision on waiting messages of a restored database, which may have been sent since the backup. */
export type Waiting = 'unknown' | 'send';

export interface Confirmed {
  /** Messages marked unknown. */
  unknown: number;
  /** Campaigns paused. */
  paused: number;
}

/** The number of messages that wait to be sent. */
export async function countHeld(db: Db, companyIds: number[]): Promise<number> {
  const counts = await Promise.all(companyIds.map((companyId) => countWaiting(db, companyId)));
  return counts.reduce((sum, n) => sum + n, 0);
}

/**
 * Ends the restore hold. With `unknown`, messages that waited in the backup are marked `unknown` instead of being sent, as are
 * those of flows that continued meanwhile; campaigns due to start or with an incomplete audience are paused (`restored`).
 * Messages that people caused since the hold began are sent either way. After a failover that lost commits, only the messages that those
 * handed over are marked.
 */
export async function confirmSending(
  db: Db,
  companyIds: number[],
  confirm: { home: string; waiting: Waiting; now: Date },
): Promise<Confirmed> {
  const { home, waiting, now } = confirm;
  const confirmed: Confirmed = { unknown: 0, paused: 0 };
  const hold = await findHold(db);
  if (hold?.because === 'failover' && waiting === 'unknown') {
    for (const companyId of companyIds) confirmed.unknown += await markLostUnknown(db, companyId, now);
  } else if (hold !== null && waiting === 'unknown') {
    for (const companyId of companyIds) {
      confirmed.paused += await pauseRunning(db, companyId, now);
      for (let n = 1; n > 0; confirmed.unknown += n)
        n = await markWaitingUnknown(db, companyId, { since: hold.since, now });
    }
  }
  await allowSending(db, home);
  return confirmed;
}
