import type { Caller } from '../../../caller.ts';
import type { Db } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import type { Shop } from '../../shop.ts';
import { insertCycles } from '../cycle-queries.ts';
import { scheduleOf, unchanged } from '../record.ts';
import { dayBefore, LAST_DATE, nextAfter, startOfDayIn, todayIn } from '../schedule.ts';
import type { Subscription } from '../schemas.ts';
import { changeSubscription, datesOver } from './change.ts';
import { dateAfterPause } from './pause.ts';

/** Skips the next date; during a pause, the first date after it. The following date, today or later, becomes the next. */
export async function skipNext(db: Db, shop: Shop, caller: Caller, id: number): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, async (tx, row) => {
    const today = todayIn(shop.timeZone, caller.now);
    const over = await datesOver(tx, shop, id, row.next_billing_date!);
    const date = row.status === 'paused' ? dateAfterPause(row, row.resume_on ?? today, over) : row.next_billing_date!;
    const nextDate = nextAfter(scheduleOf(row), date < today ? dayBefore(today) : date, over);
    if (nextDate > LAST_DATE) throw invalidField('next_billing_date', `There is no date up to ${LAST_DATE} to skip to`);
    const cycle = { subscriptionId: id, date, outcome: 'skipped', orderId: null, reason: 'requested' } as const;
    await insertCycles(tx, shop.companyId, [cycle], caller.now);
    const running = row.status !== 'paused';
    const moved = { ...unchanged(row), nextDate, attempts: 0 };
    return {
      change: running ? { ...moved, status: 'active', dueAt: startOfDayIn(shop.timeZone, nextDate) } : moved,
      type: 'skipped',
      message: date,
    };
  });
}
