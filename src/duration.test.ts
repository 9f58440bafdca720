import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

describe('a duration', () => {
  test.each([
    ['3 days', 259_200_000],
    ['45d', 3_888_000_000],
    ['1 week', 604_800_000],
    ['2w', 1_209_600_000],
    ['90 minutes', 5_400_000],
    ['90min', 5_400_000],
    ['15m', 900_000],
    ['1h 30m', 5_400_000],
    ['1h30m', 5_400_000],
    [' 12 Hours ', 43_200_000],
    ['10s', 10_000],
    ['0d', 0],
  ])('%j is %d ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    '3',
    'days',
    '3 months',
    '1.5h',
    '-3d',
    '3 d x',
    'x 3d',
    '3dd',
    '3 dayss',
    '1h,30m',
    '9999999999d',
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test('parts add up, in any order and with any white space', () => {
    const part = fc.tuple(fc.nat(9_999), fc.constantFrom('s', 'm', 'h', 'd', 'w'), fc.constantFrom('', ' '));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const alone = parts.map(([n, unit]) => parseDuration(`${n}${unit}`)!);
        const together = parts.map(([n, unit, space]) => `${n}${space}${unit}`).join(' ');
        expect(parseDuration(together)).toBe(alone.reduce((sum, ms) => sum + ms, 0));
      }),
    );
  });

  test('no text whatever makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseDuration(text);
        expect(parsed === null || Number.isSafeInteger(parsed)).toBe(true);
      }),
    );
  });
});
