import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';

describe('timestamps', () => {
  test('are written as YYYY-MM-DD HH:MM:SS in UTC, fractions cut off', () => {
    expect(formatTimestamp(new Date('2026-03-01T23:59:59.999Z'))).toBe('2026-03-01 23:59:59');
  });

  test.each([
    ['2026-03-01 10:20:30', '2026-03-01T10:20:30.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:20', '2026-03-01T10:20:00.000Z'],
    ['2026-03-01T10:20:30Z', '2026-03-01T10:20:30.000Z'],
    ['2026-03-01T10:20:30.123456Z', '2026-03-01T10:20:30.123Z'],
    ['2026-03-01T10:20:30+02:00', '2026-03-01T08:20:30.000Z'],
    ['2026-03-01T10:20:30-0530', '2026-03-01T15:50:30.000Z'],
    ['2026-03-01 10:20:30 +02', '2026-03-01T08:20:30.000Z'],
    [' 2024-02-29 00:00:00 ', '2024-02-29T00:00:00.000Z'],
  ])('%j is read', (text, iso) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(iso);
  });

  test.each([
    '',
    'tomorrow',
    '2026-02-29 00:00:00',
    '2026-13-01 00:00:00',
    '2026-00-01 00:00:00',
    '2026-03-00 00:00:00',
    '2026-03-01 24:00:00',
    '2026-03-01 10:60:00',
    '2026-03-01 10:00:60',
    '2026-03-01T10:00:00+15:00',
    '2026-03-01T10:00:00+02:60',
    '0001-01-01 00:00:00',
    '26-03-01 00:00:00',
    '2026-3-1',
    '1772359230',
    '2026-03-01Z',
  ])('%j is refused', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });

  test('a written time is read back as the same second', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (moment) => {
          const second = Math.floor(moment.getTime() / 1000) * 1000;
          expect(parseTimestamp(formatTimestamp(moment))?.getTime()).toBe(second);
        },
      ),
    );
  });
});
