import { expect, it } from 'vitest';
import { createExpectation } from './expectation.ts';

it('expects events to be new until one was known, and again a hundred sets after the last', () => {
  const expectation = createExpectation();
  const next = (n: number) => Array.from({ length: n }, () => expectation.expectsNew());
  expect(next(3)).toEqual([true, true, true]);
  expectation.sawKnown();
  expect(next(60)).toEqual(Array(60).fill(false));
  expectation.sawKnown();
  expect(next(101)).toEqual([...Array(100).fill(false), true]);
});
