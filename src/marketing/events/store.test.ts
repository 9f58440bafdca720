import { expect, it } from 'vitest';
import { createOptimisticInserts } from './store.ts';

it("expects a company's events to be new until one was known, and again 100 batches after the last", () => {
  const optimistic = createOptimisticInserts();
  const next = (n: number, companyId = 1) => Array.from({ length: n }, () => optimistic.expectsNew(companyId));
  expect(next(3)).toEqual([true, true, true]);
  optimistic.sawKnown(1);
  expect(next(60)).toEqual(Array(60).fill(false));
  expect(next(1, 2)).toEqual([true]);
  optimistic.sawKnown(1);
  expect(next(102)).toEqual([...Array(100).fill(false), true, true]);
});
