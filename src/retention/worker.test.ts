import { expect, test } from 'vitest';
import { rowsAfter } from './worker.ts';

test.each([
  ['fast', 50, 10, 100],
  ['fast, at the maximum', 2_000, 10, 2_000],
  ['of the target duration', 50, 30, 50],
  ['slow', 50, 60, 25],
  ['slow, near the minimum', 15, 60, 10],
  ['slow at the minimum, as on a busy machine', 10, 80, 10],
  ['slow below the minimum, after a cancelled one', 3, 80, 6],
  ['of a single row that takes longer than others may', 1, 400, 1],
  ['cancelled', 15, null, 7],
  ['cancelled below the minimum', 7, null, 3],
  ['cancelled with a single row', 1, null, 1],
])('a slice that was %s is followed by one of a suitable size', (_, rows, ms, next) => {
  expect(rowsAfter(rows, ms)).toBe(next);
});
