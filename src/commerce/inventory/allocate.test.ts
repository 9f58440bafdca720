import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AskedLine, allocate } from './allocate.ts';

const LOCATIONS = [{ id: 1 }, { id: 2 }, { id: 3 }];

/** Levels by product and location, written as `[[product, location, available], …]`. */
const levelsOf = (levels: readonly (readonly [number, number, number])[]) => (productId: number, locationId: number) =>
  levels.find(([product, location]) => product === productId && location === locationId)?.[2] ?? 0;

const brief = (lines: AskedLine[], levels: [number, number, number][]) =>
  allocate(lines, levelsOf(levels), LOCATIONS).map(({ line, locationId, qty }) => [line, locationId, qty]);

describe('allocate', () => {
  test('takes everything at the first location that has all lines, even if an earlier one has some', () => {
    const lines = [
      { productId: 7, qty: 2 },
      { productId: 8, qty: 1 },
    ];
    const levels: [number, number, number][] = [
      [7, 1, 5],
      [7, 2, 5],
      [8, 2, 1],
      [7, 3, 5],
      [8, 3, 5],
    ];
    expect(brief(lines, levels)).toEqual([
      [0, 2, 2],
      [1, 2, 1],
    ]);
  });

  test('takes each line at the first location that has the whole line if none has all', () => {
    const lines = [
      { productId: 7, qty: 2 },
      { productId: 8, qty: 3 },
    ];
    const levels: [number, number, number][] = [
      [7, 1, 1],
      [7, 3, 2],
      [8, 2, 3],
    ];
    expect(brief(lines, levels)).toEqual([
      [0, 3, 2],
      [1, 2, 3],
    ]);
  });

  test('splits a line over the locations by position if none has the whole line', () => {
    const levels: [number, number, number][] = [
      [7, 1, 2],
      [7, 2, 0],
      [7, 3, 9],
    ];
    expect(brief([{ productId: 7, qty: 10 }], levels)).toEqual([
      [0, 1, 2],
      [0, 3, 8],
    ]);
  });

  test('throws if the locations have too little', () => {
    expect(() => brief([{ productId: 7, qty: 3 }], [[7, 1, 2]])).toThrow('Product 7 lacks 1 units');
  });

  const levels = fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 }), {
    minLength: 4,
    maxLength: 4,
  });
  const lines = fc.array(
    fc.record({ productId: fc.integer({ min: 0, max: 3 }), qty: fc.integer({ min: 1, max: 6 }) }),
    {
      maxLength: 6,
    },
  );

  test('allocates exactly what is asked, never more than a level, and the same each time, or throws when stock is short', () => {
    fc.assert(
      fc.property(levels, lines, (stock, asked) => {
        const available = (productId: number, locationId: number): number => stock[productId]![locationId - 1]!;
        const sumOf = (productId: number): number =>
          asked.filter((line) => line.productId === productId).reduce((sum, { qty }) => sum + qty, 0);
        const isShort = stock.some((at, productId) => sumOf(productId) > at[0]! + at[1]! + at[2]!);
        if (isShort) {
          expect(() => allocate(asked, available, LOCATIONS)).toThrow(RangeError);
          return;
        }
        const made = allocate(asked, available, LOCATIONS);
        for (const [line, { productId, qty }] of asked.entries()) {
          const own = made.filter((one) => one.line === line);
          expect(own.reduce((sum, one) => sum + one.qty, 0)).toBe(qty);
          expect(own.every((one) => one.productId === productId && one.qty > 0)).toBe(true);
          expect(new Set(own.map(({ locationId }) => locationId)).size).toBe(own.length);
        }
        for (const productId of stock.keys()) {
          for (const { id } of LOCATIONS) {
            const taken = made.filter((one) => one.productId === productId && one.locationId === id);
            expect(taken.reduce((sum, { qty }) => sum + qty, 0)).toBeLessThanOrEqual(available(productId, id));
          }
        }
        expect(allocate(asked, available, LOCATIONS)).toEqual(made);
      }),
    );
  });
});
