import { expect, test } from 'vitest';
import { createTemplateRests, restKey } from './template-rest.ts';

test('a template rests after three failures in a row, for longer when it keeps failing, and never for good', () => {
  let now = 0;
  const rests = createTemplateRests(() => now);
  const fail = (times: number): void => {
    for (let n = 0; n < times; n += 1) rests.note('a', false);
  };
  fail(2);
  rests.note('a', true);
  fail(2);
  expect(rests.of('a')).toBeNull();
  fail(1);
  expect(rests.of('a')).toEqual({ ms: 60_000, givenUp: false });
  expect(rests.of('b')).toBeNull();
  // What was under way is not counted.
  fail(5);
  now += 60_000;
  expect(rests.of('a')).toBeNull();
  fail(1);
  expect(rests.of('a')).toEqual({ ms: 60_000, givenUp: false });
  now += 60_000;
  fail(1);
  expect(rests.of('a')).toEqual({ ms: 600_000, givenUp: true });
  now += 600_000;
  expect(rests.of('a')).toBeNull();
  rests.note('a', true);
  fail(2);
  expect(rests.of('a')).toBeNull();
});

test('a template of one company says nothing of the same text of another', () => {
  expect(restKey(1, 'x')).not.toBe(restKey(2, 'x'));
  expect(restKey(1, 'x')).toBe(restKey(1, 'x'));
});
