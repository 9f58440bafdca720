import { expect, it } from 'vitest';
import { createOptimisticInserts } from './optimistic-insert.ts';

it("expects a company's events to be new until one was known, and again a hundred sets after the last", () => {
  const expectation = createOptimisticInserts();
  const next = (n: number, companyId = 1) => Array.from({ length: n }, () => expectation.expectsNew(companyId));
  expect(next(3)).toEqual([true, true, true]);
  expectation.sawKnown(1);
  expect(next(60)).toEqual(Array(60).fill(false));
  expect(next(1, 2)).toEqual([true]);
  expectation.sawKnown(1);
  expect(next(102)).toEqual([...Array(100).fill(false), true, true]);
});
