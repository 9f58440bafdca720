import type { Caller } from '../../../caller.ts';
import type { Db, Tx } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import type { Shop } from '../../shop.ts';
import { scheduleOf, unchanged } from '../record.ts';
import { LAST_DATE, startOfDayIn, todayIn, withFrequency } from '../schedule.ts';
import type { Subscription, SubscriptionPatch } from '../schemas.ts';
import { requireFrequency } from '../sign-up.ts';
import { changeSubscription, datesOver } from './change.ts';

/** A new next date becomes the schedule's anchor; a new frequency keeps the next date and continues from it. */
export async function updateSubscription(
  db: Db,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: SubscriptionPatch,
): Promise<Subscription> {
  return changeSubscription(db, shop, caller, id, async (tx, row) => {
    const { quantity, frequency_id: frequencyId, next_billing_date: date } = patch;
    const given = { quantity, frequency_id: frequencyId, next_billing_date: date };
    const frequency = frequencyId === undefined ? null : await requireFrequency(tx, shop.companyId, frequencyId);
    if (date !== undefined && date !== row.next_billing_date) await checkNextDate(tx, shop, caller, id, date);
    const changed = Object.entries(given).filter(
      ([field, value]) => value !== undefined && value !== row[field as keyof typeof given],
    );
    if (changed.length === 0) return null;
    const moved = date !== undefined && date !== row.next_billing_date;
    const nextDate = date ?? row.next_billing_date!;
    const newFrequency = frequency !== null && frequency.id !== row.frequency_id;
    const anchor = newFrequency ? withFrequency(scheduleOf(row), nextDate, frequency).anchor : row.anchor;
    return {
      change: {
        ...unchanged(row),
        quantity: quantity ?? row.quantity,
        frequencyId: frequencyId ?? row.frequency_id,
        anchor: moved ? date : anchor,
        nextDate,
        ...(moved && row.status !== 'paused'
          ? { status: 'active', attempts: 0, dueAt: startOfDayIn(shop.timeZone, date) }
          : {}),
      },
      type: 'updated',
      message: changed.map(([field, value]) => `${field}: ${value}`).join(', '),
    };
  });
}

async function checkNextDate(tx: Tx, shop: Shop, caller: Caller, id: number, date: string): Promise<void> {
  const fail = (what: string, code?: string) => invalidField('next_billing_date', `next_billing_date ${what}`, code);
  if (date < todayIn(shop.timeZone, caller.now)) throw fail('must not be in the past', 'out_of_range');
  if (date > LAST_DATE) throw fail(`must not be after ${LAST_DATE}`, 'out_of_range');
  if ((await datesOver(tx, shop, id, date)).has(date)) throw fail('is a date that is already over');
}
