import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { dateIn } from '../../lib/time-zones/time-zones.ts';
import {
  dateAt,
  dayBefore,
  following,
  nextAfter,
  type Schedule,
  type ScheduleUnit,
  startOfDayIn,
  withFrequency,
} from './schedule.ts';

const every = (interval: number, unit: ScheduleUnit, anchor: string): Schedule => ({ anchor, unit, interval });
const first = (schedule: Schedule, count: number) => Array.from({ length: count }, (_, n) => dateAt(schedule, n));

describe('dateAt', () => {
  test('a day beyond the end of a month moves to its last day, without effect on later months', () => {
    expect(first(every(1, 'month', '2026-01-31'), 5)).toEqual(
      '2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31'.split(' '),
    );
    expect(first(every(3, 'month', '2027-11-30'), 3)).toEqual(['2027-11-30', '2028-02-29', '2028-05-30']);
  });

  test('29 February is 28 February in other years', () => {
    expect(first(every(1, 'year', '2024-02-29'), 5)).toEqual(
      '2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29'.split(' '),
    );
    expect(dateAt(every(1, 'year', '2096-02-29'), 4)).toBe('2100-02-28');
  });

  test('days and weeks run through the ends of months and years', () => {
    expect(first(every(10, 'day', '2024-02-20'), 3)).toEqual(['2024-02-20', '2024-03-01', '2024-03-11']);
    expect(first(every(2, 'week', '2025-12-20'), 3)).toEqual(['2025-12-20', '2026-01-03', '2026-01-17']);
  });

  test('no date, and one past the year 9999, is a RangeError', () => {
    for (const anchor of ['2025-02-29', '2025-1-1', '2025-13-01', 'today', '']) {
      expect(() => dateAt(every(1, 'month', anchor), 0)).toThrow(RangeError);
    }
    expect(() => dateAt(every(1, 'year', '2026-01-01'), 8000)).toThrow(RangeError);
  });
});

describe('around a date', () => {
  const monthly = every(1, 'month', '2026-01-31');

  test.each([
    ['2025-06-01', '2026-01-31'],
    ['2026-01-30', '2026-01-31'],
    ['2026-01-31', '2026-02-28'],
    ['2026-02-27', '2026-02-28'],
    ['2026-02-28', '2026-03-31'],
    ['2026-03-30', '2026-03-31'],
  ])('after %s comes %s', (date, next) => {
    expect(nextAfter(monthly, date)).toBe(next);
  });

  test.each([
    // A day clamped to the end of its month is restored in months that have it.
    [every(1, 'month', '2026-01-31'), '2026-02-28', every(2, 'month', ''), ['2026-04-30', '2026-06-30', '2026-08-31']],
    [every(1, 'month', '2026-01-30'), '2026-02-28', every(3, 'month', ''), ['2026-05-30', '2026-08-30', '2026-11-30']],
    [every(1, 'month', '2026-01-31'), '2026-04-30', every(6, 'month', ''), ['2026-10-31', '2027-04-30', '2027-10-31']],
    [every(1, 'month', '2026-01-31'), '2026-02-28', every(1, 'year', ''), ['2027-02-28', '2028-02-29', '2029-02-28']],
    [every(1, 'year', '2024-02-29'), '2025-02-28', every(1, 'month', ''), ['2025-03-29', '2025-04-29', '2025-05-29']],
    [every(1, 'month', '2095-12-31'), '2103-02-28', every(1, 'year', ''), ['2104-02-29', '2105-02-28', '2106-02-28']],
    // A day that was not clamped, or not by a month, continues unchanged.
    [every(1, 'month', '2026-01-31'), '2026-03-31', every(2, 'month', ''), ['2026-05-31', '2026-07-31', '2026-09-30']],
    [every(1, 'month', '2026-01-31'), '2026-02-28', every(1, 'week', ''), ['2026-03-07', '2026-03-14', '2026-03-21']],
    [every(1, 'week', '2026-01-31'), '2026-02-28', every(1, 'month', ''), ['2026-03-28', '2026-04-28', '2026-05-28']],
  ])('%j goes on from %s as %j with %j', (schedule, date, pace, dates) => {
    expect(following(withFrequency(schedule, date, pace), date, 3)).toEqual(dates);
  });

  test('the dates that follow', () => {
    expect(following(monthly, '2026-02-28', 3)).toEqual(['2026-03-31', '2026-04-30', '2026-05-31']);
    expect(following(monthly, '2026-02-28', 0)).toEqual([]);
  });
});

const dates = fc
  .integer({ min: 0, max: 36_525 })
  .map((days) => Temporal.PlainDate.from('2000-01-01').add({ days }).toString());
const schedules = fc.record({
  anchor: dates,
  unit: fc.constantFrom<ScheduleUnit>('day', 'week', 'month', 'year'),
  interval: fc.integer({ min: 1, max: 12 }),
});

describe('over a hundred years', () => {
  test('every date is the one of the Temporal calendar', () => {
    fc.assert(
      fc.property(schedules, fc.nat(400), (schedule, n) => {
        const anchor = Temporal.PlainDate.from(schedule.anchor);
        const step = { [`${schedule.unit}s`]: n * schedule.interval };
        expect(dateAt(schedule, n)).toBe(anchor.add(step, { overflow: 'constrain' }).toString());
      }),
      { numRuns: 1000 },
    );
  });

  test('dates rise strictly', () => {
    fc.assert(
      fc.property(schedules, fc.nat(400), (schedule, n) => {
        expect(dateAt(schedule, n + 1) > dateAt(schedule, n)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('after a date, or a day before the next one, comes the next one; before the first, the first', () => {
    fc.assert(
      fc.property(
        schedules,
        fc.nat(400),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (schedule, n, share) => {
          const [from, next] = [dateAt(schedule, n), dateAt(schedule, n + 1)].map((each) =>
            Temporal.PlainDate.from(each),
          );
          const between = from!.add({ days: Math.floor(share * from!.until(next!).days) }).toString();
          expect(following(schedule, between, 3)).toEqual([n + 1, n + 2, n + 3].map((each) => dateAt(schedule, each)));
          expect(nextAfter(schedule, dayBefore(schedule.anchor))).toBe(schedule.anchor);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('another frequency continues from the date itself', () => {
    fc.assert(
      fc.property(schedules, schedules, fc.nat(400), (schedule, pace, n) => {
        const date = dateAt(schedule, n);
        expect(nextAfter(withFrequency(schedule, date, pace), dayBefore(date))).toBe(date);
      }),
      { numRuns: 1000 },
    );
  });

  test('only past dates are skipped', () => {
    fc.assert(
      fc.property(schedules, fc.nat(400), fc.uniqueArray(fc.nat(10)), (schedule, n, gone) => {
        const over = new Set(gone.map((each) => dateAt(schedule, n + each)));
        const left = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].filter((each) => !gone.includes(each)).slice(0, 2);
        expect(following(schedule, dateAt(schedule, n), 2, over)).toEqual(
          left.map((each) => dateAt(schedule, n + each)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('time zones', () => {
  test('today is another date in other places', () => {
    const now = new Date('2026-03-01T03:30:00Z');
    const places = ['America/New_York', 'UTC', 'Pacific/Kiritimati'].map((zone) => dateIn(zone, now));
    expect(places).toEqual(['2026-02-28', '2026-03-01', '2026-03-01']);
    expect(() => dateIn('Mars/Olympus', now)).toThrow(RangeError);
  });

  test.each([
    ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'], // 00:00 did not exist, the day began at 01:00
    ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00.000Z'], // likewise
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z'], // 00:00 came twice, the first one counts
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'], // the day did not exist
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
  ])('in %s the day %s begins at %s', (zone, date, moment) => {
    expect(startOfDayIn(zone, date).toISOString()).toBe(moment);
  });

  test('the day begins at its start and not a millisecond earlier', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/Sao_Paulo',
      'Asia/Beirut',
      'America/Havana',
      'Asia/Tehran',
    );
    fc.assert(
      fc.property(zones, dates, (zone, date) => {
        const start = startOfDayIn(zone, date);
        expect(dateIn(zone, start)).toBe(date);
        expect(dateIn(zone, new Date(start.getTime() - 1)) < date).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
