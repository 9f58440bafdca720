import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrastOf, readableOn } from './colors.ts';

test('the text on any color has the contrast that texts of ordinary size need', () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (one) => contrastOf(one, readableOn(one)) >= 4.5),
    { numRuns: 2_000 },
  );
  expect([readableOn('#ffffff'), readableOn('#000000'), readableOn('#FFE100'), readableOn('#1a56db')]).toEqual([
    ...['#000000', '#ffffff', '#000000', '#ffffff'],
  ]);
  expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21);
});
