import { expect, test } from 'vitest';
import { winnerOf } from './variants.ts';

const variants = [
  { key: 'a', weight: 1 },
  { key: 'b', weight: 3 },
  { key: 'off', weight: 0 },
];
const counts = (sent: number, clicked: number) => ({ sent, clicked, opened: 0, converted: 0, revenue: 0 });

test.each([
  ['the better rate, not the larger number', { a: counts(10, 5), b: counts(30, 9) }, 'a'],
  ['of equals the one with more weight', { a: counts(10, 3), b: counts(30, 9) }, 'b'],
  ['where nothing was sent, the one with more weight', { a: counts(0, 0), b: counts(0, 0) }, 'b'],
  ['never one that nobody gets', { a: counts(1, 0), b: counts(1, 0), off: counts(1, 1) }, 'b'],
])('the winner is %s', (_name, numbers: Record<string, ReturnType<typeof counts>>, winner) => {
  expect(winnerOf(variants, 'clicked', (key) => numbers[key]!)).toBe(winner);
});
