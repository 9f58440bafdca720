import { expect, test } from 'vitest';
import { backoffKey, createTemplateBackoffs } from './template-backoffs.ts';

test('a template backoffs after three failures in a row, for longer when it keeps failing, and never for good', () => {
  let now = 0;
  const backoffs = createTemplateBackoffs(() => now);
  const fail = (times: number): void => {
    for (let n = 0; n < times; n += 1) backoffs.note('a', false);
  };
  fail(2);
  backoffs.note('a', true);
  fail(2);
  expect(backoffs.of('a')).toBeNull();
  fail(1);
  expect(backoffs.of('a')).toEqual({ ms: 60_000, givenUp: false });
  expect(backoffs.of('b')).toBeNull();
  // Failures of jobs already running are not counted.
  fail(5);
  now += 60_000;
  expect(backoffs.of('a')).toBeNull();
  fail(1);
  expect(backoffs.of('a')).toEqual({ ms: 60_000, givenUp: false });
  now += 60_000;
  fail(1);
  expect(backoffs.of('a')).toEqual({ ms: 600_000, givenUp: true });
  now += 600_000;
  expect(backoffs.of('a')).toBeNull();
  backoffs.note('a', true);
  fail(2);
  expect(backoffs.of('a')).toBeNull();
});

test('a template of one company says nothing of the same text of another', () => {
  expect(backoffKey(1, 'x')).not.toBe(backoffKey(2, 'x'));
  expect(backoffKey(1, 'x')).toBe(backoffKey(1, 'x'));
});
