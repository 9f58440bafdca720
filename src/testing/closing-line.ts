import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * The last line of a run, for people and for programs that read logs: `N passed, N failed`. A file that did not load and
 * an error outside of all tests count as failures, and so does a run in which nothing ran.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++;
        else failed++;
      }
    }
    if (passed === 0 && failed === 0) failed = 1;
    if (failed > 0) process.exitCode = 1;
    // After everything else that is still printed.
    process.once('exit', () => writeSync(1, `${passed} passed, ${failed} failed\n`));
  }
}
