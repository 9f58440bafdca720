import { describe, expect, test } from 'vitest';
import { type DueSubscription, planRenewal, RETRIES } from './plan.ts';

const NEW_YORK = 'America/New_York';
const due = (fields: Partial<DueSubscription> = {}): DueSubscription => ({
  schedule: { anchor: '2026-03-07', unit: 'week', interval: 1 },
  cycleDate: '2026-03-07',
  over: new Set(),
  attempts: 0,
  ...fields,
});
const short = { code: 'insufficient_stock', reason: 'insufficient_stock' } as const;

describe('planRenewal', () => {
  test('an order is followed by the next date that is not over', () => {
    const next = { kind: 'ordered', nextDate: '2026-03-14', dueAt: new Date('2026-03-14T04:00:00.000Z') };
    expect(planRenewal(due(), null, '2026-03-07', NEW_YORK)).toEqual(next);
    const over = new Set(['2026-03-14', '2026-03-21']);
    expect(planRenewal(due({ over }), null, '2026-03-07', NEW_YORK)).toMatchObject({ nextDate: '2026-03-28' });
  });

  test('an order after a standstill is followed by the first date after today', () => {
    expect(planRenewal(due(), null, '2026-03-28', NEW_YORK)).toMatchObject({ nextDate: '2026-04-04' });
  });

  test('want of stock is tried again at the first moment of the next three days, on nights when clocks change too', () => {
    const attempts = ['2026-03-07', '2026-03-08', '2026-03-09'].map((today, made) =>
      planRenewal(due({ attempts: made }), short, today, NEW_YORK),
    );
    expect(attempts).toEqual([
      { kind: 'retry', attempts: 1, dueAt: new Date('2026-03-08T05:00:00.000Z') },
      { kind: 'retry', attempts: 2, dueAt: new Date('2026-03-09T04:00:00.000Z') },
      { kind: 'retry', attempts: 3, dueAt: new Date('2026-03-10T04:00:00.000Z') },
    ]);
    const last = planRenewal(due({ attempts: RETRIES }), short, '2026-03-10', NEW_YORK);
    expect(last).toMatchObject({ kind: 'skipped', reason: 'insufficient_stock', nextDate: '2026-03-14' });
  });

  test('a date that comes while its forerunner is tried again is passed over with it', () => {
    const daily = { anchor: '2026-03-07', unit: 'day', interval: 1 } as const;
    const last = planRenewal(due({ schedule: daily, attempts: RETRIES }), short, '2026-03-10', NEW_YORK);
    expect(last).toMatchObject({ kind: 'skipped', nextDate: '2026-03-11' });
  });

  test('a failure that would recur pauses, however many attempts there were', () => {
    for (const attempts of [0, RETRIES]) {
      const failure = { code: 'shipping_unavailable', reason: 'shipping_unavailable' } as const;
      expect(planRenewal(due({ attempts }), failure, '2026-03-07', NEW_YORK)).toEqual({
        kind: 'paused',
        reason: 'shipping_unavailable',
      });
    }
  });
});
