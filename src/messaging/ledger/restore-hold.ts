import type { Db } from '../../db/pool.ts';
import { allowSending, findHold } from '../../installation.ts';
import { countWaiting, doubtWaiting, pauseRunning } from './restore-hold-queries.ts';

/** What a person decides about what waits in a restored database: it may have been sent since the backup was made. */
export type Waiting = 'unknown' | 'send';

export interface Confirmed {
  /** Messages that are unknown from now on. */
  unknown: number;
  /** Campaigns that are paused from now on. */
  paused: number;
}

/** Messages that wait to be sent. */
export async function countHeld(db: Db, companyIds: number[]): Promise<number> {
  const counts = await Promise.all(companyIds.map((companyId) => countWaiting(db, companyId)));
  return counts.reduce((sum, n) => sum + n, 0);
}

/**
 * Lets sending go on, here. With `unknown`, what a backup still had to send is not sent by itself: its messages become
 * `unknown`, those of flows that ran on meanwhile as well, and campaigns that were to begin or had not written their whole
 * audience are paused (`restored`). What people and receipts caused since the hold began is sent either way.
 */
export async function confirmSending(
  db: Db,
  companyIds: number[],
  confirm: { home: string; waiting: Waiting; now: Date },
): Promise<Confirmed> {
  const { home, waiting, now } = confirm;
  const confirmed: Confirmed = { unknown: 0, paused: 0 };
  const hold = await findHold(db);
  if (hold !== null && waiting === 'unknown') {
    for (const companyId of companyIds) {
      confirmed.paused += await pauseRunning(db, companyId, now);
      for (let n = 1; n > 0; confirmed.unknown += n) n = await doubtWaiting(db, companyId, { since: hold.since, now });
    }
  }
  await allowSending(db, home);
  return confirmed;
}
