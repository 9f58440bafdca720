import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../lib/threads/processor-time.ts';
import { isZone } from '../../../lib/time-zones/time-zones.ts';
import { quietUntil } from '../../../recipients/quiet-hours.ts';
import { WEEKDAYS } from '../definition/schemas.ts';
import { dateFieldMoment, momentAfter, nextAnniversary, nextClockTime } from './schedule.ts';

const at = (text: string): Date => new Date(text);

describe('a delay', () => {
  it('is in exact hours, also across a clock change, and is clamped to the year 9999', () => {
    expect(momentAfter(at('2026-03-28T12:00:00Z'), { value: 1, unit: 'days' })).toEqual(at('2026-03-29T12:00:00Z'));
    expect(momentAfter(at('2026-01-01T00:00:00Z'), { value: 1.5, unit: 'hours' })).toEqual(at('2026-01-01T01:30:00Z'));
    expect(momentAfter(at('2026-01-01T00:00:00Z'), { value: 1_000_000, unit: 'weeks' }).getUTCFullYear()).toBe(9999);
  });
});

describe('the next time of day', () => {
  const nine = { time: '09:00' };

  it('is today where it is now or later, else tomorrow', () => {
    expect(nextClockTime(nine, 'UTC', at('2026-03-15T08:59:59Z'), false)).toEqual(at('2026-03-15T09:00:00Z'));
    expect(nextClockTime(nine, 'UTC', at('2026-03-15T09:00:00Z'), false)).toEqual(at('2026-03-15T09:00:00Z'));
    expect(nextClockTime(nine, 'UTC', at('2026-03-15T09:00:00Z'), true)).toEqual(at('2026-03-16T09:00:00Z'));
    expect(nextClockTime(nine, 'UTC', at('2026-03-15T09:00:01Z'), false)).toEqual(at('2026-03-16T09:00:00Z'));
  });

  it('is read in the zone, on either side of the date line', () => {
    expect(nextClockTime(nine, 'Pacific/Kiritimati', at('2026-03-15T12:00:00Z'), false)).toEqual(
      at('2026-03-15T19:00:00Z'),
    );
    expect(nextClockTime(nine, 'America/New_York', at('2026-03-15T12:00:00Z'), false)).toEqual(
      at('2026-03-15T13:00:00Z'),
    );
  });

  it('is an hour later where the clock skips it, and occurs once where the clock repeats it', () => {
    const half = { time: '02:30' };
    expect(nextClockTime(half, 'Europe/Berlin', at('2026-03-28T12:00:00Z'), false)).toEqual(at('2026-03-29T01:30:00Z'));
    const first = nextClockTime(half, 'Europe/Berlin', at('2026-10-24T12:00:00Z'), false);
    expect(first).toEqual(at('2026-10-25T00:30:00Z'));
    expect(nextClockTime(half, 'Europe/Berlin', first, true)).toEqual(at('2026-10-26T01:30:00Z'));
  });

  it('waits for the weekday: 0 days on it without a time, a week where the time is over', () => {
    const sunday = at('2026-03-15T12:00:00Z');
    expect(nextClockTime({ weekdays: ['sunday'] }, 'UTC', sunday, false)).toEqual(sunday);
    expect(nextClockTime({ weekdays: ['monday'] }, 'UTC', sunday, false)).toEqual(at('2026-03-16T00:00:00Z'));
    expect(nextClockTime({ ...nine, weekdays: ['sunday'] }, 'UTC', sunday, false)).toEqual(at('2026-03-22T09:00:00Z'));
  });

  it('is never in the past, at most nine days away, and on one of the weekdays', () => {
    const moments = fc.date({ min: at('2020-01-01'), max: at('2035-01-01'), noInvalidDate: true });
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');
    const weekdays = fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }), { nil: undefined });
    fc.assert(
      fc.property(moments, zones, fc.nat({ max: 23 }), weekdays, fc.boolean(), (now, zone, hour, days, strictly) => {
        const time = `${String(hour).padStart(2, '0')}:15`;
        const next = nextClockTime({ time, weekdays: days }, zone, now, strictly);
        expect(next.getTime() - now.getTime()).toBeGreaterThanOrEqual(strictly ? 1 : 0);
        expect(next.getTime() - now.getTime()).toBeLessThan(9 * 86_400_000);
        const day = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: zone }).format(next).toLowerCase();
        if (days !== undefined) expect(days).toContain(day);
      }),
    );
  });
});

describe('a date field', () => {
  it('is midnight or the given time in the zone for a date, and unchanged for a date with a time', () => {
    expect(dateFieldMoment('2026-07-01', {}, 'Europe/Berlin')).toEqual(at('2026-06-30T22:00:00Z'));
    expect(dateFieldMoment('2026-07-01', { time: '10:30' }, 'Europe/Berlin')).toEqual(at('2026-07-01T08:30:00Z'));
    expect(dateFieldMoment(' 2026-07-01 ', { time: '10:30' }, 'Europe/Berlin')).toEqual(at('2026-07-01T08:30:00Z'));
    expect(dateFieldMoment('2026-07-01 10:00:00', { time: '08:00' }, 'Europe/Berlin')).toEqual(
      at('2026-07-01T10:00:00Z'),
    );
    expect(dateFieldMoment('2026-07-01', { offset: { value: -3, unit: 'days' } }, 'UTC')).toEqual(
      at('2026-06-28T00:00:00Z'),
    );
  });

  it('is null where it is no date', () => {
    for (const value of [null, undefined, 20260701, 'soon', '2026-02-30']) {
      expect(dateFieldMoment(value, {}, 'UTC')).toBeNull();
    }
  });
});

describe('quiet hours', () => {
  const overnight = { start: '21:00', end: '08:00' };

  it('last until their end, this morning or the next one', () => {
    expect(quietUntil(overnight, 'UTC', at('2026-03-15T20:59:59Z'))).toBeNull();
    expect(quietUntil(overnight, 'UTC', at('2026-03-15T21:00:00Z'))).toEqual(at('2026-03-16T08:00:00Z'));
    expect(quietUntil(overnight, 'UTC', at('2026-03-15T07:59:59Z'))).toEqual(at('2026-03-15T08:00:00Z'));
    expect(quietUntil(overnight, 'UTC', at('2026-03-15T08:00:00Z'))).toBeNull();
    expect(quietUntil({ start: '12:00', end: '14:00' }, 'UTC', at('2026-03-15T13:00:00Z'))).toEqual(
      at('2026-03-15T14:00:00Z'),
    );
    expect(quietUntil({ start: '08:00', end: '08:00' }, 'UTC', at('2026-03-15T08:00:00Z'))).toBeNull();
  });

  it('end in the future, outside of quiet hours, and are read in the zone', () => {
    expect(quietUntil(overnight, 'Asia/Tokyo', at('2026-03-15T12:00:00Z'))).toEqual(at('2026-03-15T23:00:00Z'));
    const moments = fc.date({ min: at('2020-01-01'), max: at('2035-01-01'), noInvalidDate: true });
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia');
    const hours = fc.nat({ max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:30`);
    fc.assert(
      fc.property(moments, zones, hours, hours, (now, zone, start, end) => {
        const until = quietUntil({ start, end }, zone, now);
        if (until === null) return;
        expect(until.getTime()).toBeGreaterThan(now.getTime());
        expect(until.getTime() - now.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
      }),
    );
  });
});

describe('zones', () => {
  it('are known by their names', () => {
    expect(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires'].every(isZone)).toBe(true);
    expect(['Mars/Olympus', '', 'contact'].some(isZone)).toBe(false);
  });
});

describe('the next anniversary of a date', () => {
  const at = (value: unknown, now: string, more: Parameters<typeof nextAnniversary>[1] = {}, strictly = false) =>
    nextAnniversary(value, more, 'Europe/Berlin', new Date(now), strictly)?.toISOString() ?? null;

  it('is this year or the next, at the time in the zone, and on the 28th where a year has no 29th of February', () => {
    expect(at('1990-05-21', '2026-03-15T12:00:00Z', { time: '09:00' })).toBe('2026-05-21T07:00:00.000Z');
    expect(at('1990-01-21', '2026-03-15T12:00:00Z', { time: '09:00' })).toBe('2027-01-21T08:00:00.000Z');
    expect(at('1988-02-29', '2026-12-15T12:00:00Z')).toBe('2027-02-27T23:00:00.000Z');
    expect(at('1988-02-29 10:30:00', '2027-12-15T12:00:00Z')).toBe('2028-02-28T23:00:00.000Z');
    expect(at('soon', '2026-03-15T12:00:00Z')).toBeNull();
    expect(at(7, '2026-03-15T12:00:00Z')).toBeNull();
  });

  it('may be now, and strictly is not; an offset reaches over the end of a year', () => {
    const now = '2026-05-20T22:00:00.000Z';
    expect(at('1990-05-21', now)).toBe(now);
    expect(at('1990-05-21', now, {}, true)).toBe('2027-05-20T22:00:00.000Z');
    const before = { offset: { value: -10, unit: 'days' as const } };
    expect(at('1990-01-05', '2026-12-26T12:00:00Z', before)).toBe('2027-12-25T23:00:00.000Z');
    expect(at('1990-01-05', '2026-12-20T12:00:00Z', before)).toBe('2026-12-25T23:00:00.000Z');
  });

  it('follows offsets over years, before and after', () => {
    const days = (value: number) => ({ offset: { value, unit: 'days' as const } });
    expect(at('1988-02-29', '2026-03-15T12:00:00Z', days(-365))).toBe('2027-02-28T23:00:00.000Z');
    expect(at('1988-02-29', '2026-02-15T12:00:00Z', days(-366))).toBe('2026-02-26T23:00:00.000Z');
    expect(at('1990-05-21', '2026-03-15T12:00:00Z', days(1_000))).toBe('2027-02-14T22:00:00.000Z');
    expect(at('1990-12-31', '2026-12-31T23:30:00Z', days(1))).toBe('2027-12-31T23:00:00.000Z');
    expect(at('1990-12-31', '2026-12-31T22:30:00Z', days(1))).toBe('2026-12-31T23:00:00.000Z');
  });

  it.each([-1_000_000, 1_000_000])('is found as fast with an offset of %i weeks', (value) => {
    const now = '2026-03-15T12:00:00Z';
    const before = processorMs();
    const found = at('1990-05-21', now, { offset: { value, unit: 'weeks' } });
    expect(processorMs() - before).toBeLessThan(20);
    const ahead = Date.parse(found!) - Date.parse(now);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(366 * 86_400_000);
  });
});
