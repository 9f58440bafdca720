import type { Caller } from '../../../caller.ts';
import type { Db } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import type { Shop } from '../../shop.ts';
import type * as queries from '../queries.ts';
import { scheduleOf, unchanged } from '../record.ts';
import { dayBefore, LAST_DATE, nextAfter, startOfDayIn, todayIn } from '../schedule.ts';
import type { Subscription } from '../schemas.ts';
import { changeSubscription, datesOver } from './change.ts';

/** Stops renewals until `resumeOn`; null: until the subscription is resumed. */
export async function pauseSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  resumeOn: string | null,
): Promise<Subscription> {
  if (resumeOn !== null && (resumeOn <= todayIn(shop.timeZone, caller.now) || resumeOn > LAST_DATE)) {
    throw invalidField('resume_on', `resume_on must be in the future, up to ${LAST_DATE}`, 'out_of_range');
  }
  return changeSubscription(db, shop, caller, id, async (_tx, row) => ({
    change: {
      ...unchanged(row),
      status: 'paused',
      attempts: 0,
      resumeOn,
      pauseReason: row.pause_reason,
      dueAt: resumeOn === null ? null : startOfDayIn(shop.timeZone, resumeOn),
    },
    type: 'paused',
    message: resumeOn === null ? null : `until ${resumeOn}`,
  }));
}

/** Dates that passed during the pause are skipped. */
export async function resumeSubscription(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, async (tx, row) => {
    if (row.status !== 'paused') return null;
    const over = await datesOver(tx, shop, id, todayIn(shop.timeZone, caller.now));
    return { change: resumed(row, shop, caller.now, over), type: 'resumed', message: null };
  });
}

/** Returns the change that ends a pause; `over` are the dates from today on that were ordered or skipped. */
export function resumed(
  row: queries.SubscriptionRow,
  shop: Shop,
  now: Date,
  over: ReadonlySet<string>,
): queries.Change {
  const nextDate = dateAfterPause(row, todayIn(shop.timeZone, now), over);
  const dueAt = startOfDayIn(shop.timeZone, nextDate);
  return { ...unchanged(row), status: 'active', nextDate, dueAt, attempts: 0, resumeOn: null, pauseReason: null };
}

/** Returns the first date on or after the end of the pause. */
export function dateAfterPause(row: queries.SubscriptionRow, end: string, over: ReadonlySet<string>): string {
  const planned = row.next_billing_date!;
  return planned >= end ? planned : nextAfter(scheduleOf(row), dayBefore(end), over);
}
