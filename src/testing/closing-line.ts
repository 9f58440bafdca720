import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** The last line of a run, for people and for programs that read logs: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { passed, failed } = resultsOf(modules, errors);
    if (failed > 0) process.exitCode = 1;
    // Printed after all other output.
    process.once('exit', () => writeSync(1, `${passed} passed, ${failed} failed\n`));
  }
}

/**
 * A file that did not load and an error outside of all tests count as failures, and so does a run in which no test ran.
 * A test that skips itself with a reason counts as neither; one that was not reached has failed.
 */
export function resultsOf(
  modules: readonly Pick<TestModule, 'errors' | 'children'>[],
  errors: readonly unknown[],
): { passed: number; failed: number } {
  let passed = 0;
  let failed = errors.length;
  for (const module of modules) {
    if (module.errors().length > 0) failed++;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed++;
      else if (result.state !== 'skipped' || result.note === undefined) failed++;
    }
  }
  return passed === 0 && failed === 0 ? { passed, failed: 1 } : { passed, failed };
}
