import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countSegments } from './sms-segments.ts';

test.each([
  ['', 'gsm7', 1, 0],
  ['a'.repeat(160), 'gsm7', 1, 160],
  ['a'.repeat(161), 'gsm7', 2, 161],
  ['a'.repeat(306), 'gsm7', 2, 306],
  ['a'.repeat(307), 'gsm7', 3, 307],
  ['€'.repeat(80), 'gsm7', 1, 160],
  ['€'.repeat(81), 'gsm7', 2, 162],
  // 152 + € would split the €, so it goes into the second segment, and a third one is needed.
  [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm7', 3, 306],
  ['Grüße für Ärger: @ { } [ ] ~ \\ |\n', 'gsm7', 1, 40],
  ['ç', 'ucs2', 1, 1],
  ['ж'.repeat(70), 'ucs2', 1, 70],
  ['ж'.repeat(71), 'ucs2', 2, 71],
  ['ж'.repeat(134), 'ucs2', 2, 134],
  ['ж'.repeat(135), 'ucs2', 3, 135],
  ['😀'.repeat(35), 'ucs2', 1, 70],
  ['😀'.repeat(36), 'ucs2', 2, 72],
  // 67 units hold only 33 pairs.
  ['😀'.repeat(67), 'ucs2', 3, 134],
])('text %# of the table', (text, encoding, segments, units) => {
  expect(countSegments(text)).toEqual({ encoding, segments, units });
});

test('the count is never too low, and at most one character per segment too high', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '€', 'ü', 'ж', '😀'), maxLength: 600 }), (text) => {
      const { encoding, segments, units } = countSegments(text);
      const room = encoding === 'gsm7' ? 153 : 67;
      if (segments > 1) expect(segments).toBeGreaterThanOrEqual(Math.ceil(units / room));
      expect(segments).toBeLessThanOrEqual(Math.max(1, Math.ceil(units / (room - 1))));
    }),
  );
});
