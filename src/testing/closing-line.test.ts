import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { resultsOf } from './closing-line.ts';

/** A file of tests that ended so. */
function file(results: { state: string; note?: string; errors?: Error[] }[], errors: unknown[] = []) {
  const tests = results.map((result, i) => ({
    fullName: `test ${i}`,
    result: () => result,
    diagnostic: () => ({ flaky: result.errors !== undefined }),
  }));
  return {
    relativeModuleId: 'src/a.test.ts',
    errors: () => errors,
    children: { allTests: () => tests },
  } as unknown as TestModule;
}
const PASSED = { state: 'passed' };
/** Its first attempt failed. */
const REPEATED = { ...PASSED, errors: [new Error('expected 300 to be less than 250\nby 50\nmore\nand more')] };

test('files that did not load, errors outside of tests and runs of nothing are failures', () => {
  expect(resultsOf([file([PASSED, { state: 'failed' }]), file([PASSED])], [])).toMatchObject({ passed: 2, failed: 1 });
  expect(resultsOf([file([], [new Error('x')]), file([PASSED])], [])).toMatchObject({ passed: 1, failed: 1 });
  expect(resultsOf([file([PASSED])], [new Error('x')])).toMatchObject({ passed: 1, failed: 1 });
  expect(resultsOf([], [])).toMatchObject({ passed: 0, failed: 1 });
});

test('a test that skips itself and says why is no failure; one that was not reached is', () => {
  expect(resultsOf([file([PASSED, { state: 'skipped', note: 'no git here' }])], [])).toMatchObject({
    passed: 1,
    failed: 0,
  });
  expect(resultsOf([file([PASSED, { state: 'skipped' }, { state: 'pending' }])], [])).toMatchObject({
    passed: 1,
    failed: 2,
  });
});

test('a test that passed at its second attempt is named', () => {
  expect(resultsOf([file([PASSED, REPEATED])], [])).toEqual({
    passed: 2,
    failed: 0,
    repeated: ['Passed at the second attempt: src/a.test.ts > test 1: expected 300 to be less than 250 · by 50 · more'],
  });
});
