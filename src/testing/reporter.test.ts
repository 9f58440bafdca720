import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { resultsOf } from './reporter.ts';

/** A test file with these results. */
function file(results: { state: string; note?: string }[], errors: unknown[] = []) {
  const tests = results.map((result) => ({ result: () => result }));
  return { errors: () => errors, children: { allTests: () => tests } } as unknown as TestModule;
}
const PASSED = { state: 'passed' };

test('files that did not load, errors outside of tests and runs of nothing are failures', () => {
  expect(resultsOf([file([PASSED, { state: 'failed' }]), file([PASSED])], [])).toEqual({ passed: 2, failed: 1 });
  expect(resultsOf([file([], [new Error('x')]), file([PASSED])], [])).toEqual({ passed: 1, failed: 1 });
  expect(resultsOf([file([PASSED])], [new Error('x')])).toEqual({ passed: 1, failed: 1 });
  expect(resultsOf([], [])).toEqual({ passed: 0, failed: 1 });
});

test('a test that skips itself and says why is no failure; one that was not reached is', () => {
  expect(resultsOf([file([PASSED, { state: 'skipped', note: 'no git here' }])], [])).toEqual({ passed: 1, failed: 0 });
  expect(resultsOf([file([PASSED, { state: 'skipped' }, { state: 'pending' }])], [])).toEqual({ passed: 1, failed: 2 });
});

test('tests that were not chosen by name are no failures', () => {
  expect(resultsOf([file([PASSED, { state: 'skipped' }])], [], true)).toEqual({ passed: 1, failed: 0 });
});
