import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * The last line of a run, for people and for programs that read logs: `N passed, N failed`. Before it stand the tests that passed at
 * their second attempt only, with what failed at the first.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { passed, failed, repeated } = resultsOf(modules, errors);
    if (failed > 0) process.exitCode = 1;
    // After everything else that is still printed.
    process.once('exit', () => {
      for (const line of repeated) writeSync(1, `${line}\n`);
      writeSync(1, `${passed} passed, ${failed} failed\n`);
    });
  }
}

/**
 * A file that did not load and an error outside of all tests count as failures, and so does a run in which nothing ran. A test that
 * skips itself and says why is neither; one that was not reached has failed.
 */
export function resultsOf(
  modules: readonly Pick<TestModule, 'errors' | 'children' | 'relativeModuleId'>[],
  errors: readonly unknown[],
): { passed: number; failed: number; repeated: string[] } {
  let passed = 0;
  let failed = errors.length;
  const repeated: string[] = [];
  for (const module of modules) {
    if (module.errors().length > 0) failed++;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed++;
      else if (result.state !== 'skipped' || result.note === undefined) failed++;
      if (test.diagnostic()?.flaky) {
        const message = result.errors?.[0]?.message.split('\n').slice(0, 3).join(' · ');
        repeated.push(`Passed at the second attempt: ${module.relativeModuleId} > ${test.fullName}: ${message}`);
      }
    }
  }
  return { passed, failed: passed === 0 && failed === 0 ? 1 : failed, repeated };
}
