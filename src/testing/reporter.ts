import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import { DefaultReporter, type TestModule } from 'vitest/node';
import { commandToRepeat } from './random/seed.ts';

/**
 * What a run of the tests prints: a line for each file, the failures at the end with the commands that repeat them, and
 * last, for people and for programs that read logs, `N passed, N failed`.
 */
export default class Reporter extends DefaultReporter {
  override printTestModule(module: TestModule): void {
    const { state, tests, failed, skipped, seconds } = summaryOf(module);
    const counts = [`${tests} tests`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
    this.log(
      ` ${state === 'failed' ? '✗' : '✓'} ${this.nameOf(module)} (${counts.filter(Boolean).join(', ')}) ${seconds} s`,
    );
  }

  override onTestRunEnd(...run: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...run);
    const [modules, errors] = run;
    for (const note of skipNotesOf(modules)) this.log(`SKIPPED: ${note}`);
    const { passed, failed } = resultsOf(modules, errors, this.ctx.config.testNamePattern !== undefined);
    const files = modules.filter((module) => !module.ok()).map((module) => this.nameOf(module));
    if (files.length > 0) this.log(`Repeat what failed: ${commandToRepeat(files)}\n`);
    if (failed > 0) process.exitCode = 1;
    // Printed after all other output.
    process.once('exit', () => writeSync(1, `${passed} passed, ${failed} failed\n`));
  }

  private nameOf(module: TestModule): string {
    return relative(this.ctx.config.root, module.moduleId);
  }
}

function summaryOf(module: TestModule) {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  const count = (state: string): number => tests.filter((one) => one === state).length;
  return {
    state: module.state(),
    tests: tests.length,
    failed: count('failed'),
    skipped: count('skipped'),
    seconds: (module.diagnostic().duration / 1000).toFixed(1),
  };
}

/** Why tests were skipped, each reason once. */
function skipNotesOf(modules: readonly Pick<TestModule, 'children'>[]): Set<string> {
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  return new Set(
    tests.flatMap((test) => {
      const result = test.result();
      return result.state === 'skipped' && result.note !== undefined ? [result.note] : [];
    }),
  );
}

/**
 * A file that did not load and an error outside of all tests count as failures, and so does a run in which no test ran.
 * A test that skips itself with a reason counts as neither; one that was not reached has failed, unless only some are chosen by name.
 */
export function resultsOf(
  modules: readonly Pick<TestModule, 'errors' | 'children'>[],
  errors: readonly unknown[],
  isChoice = false,
): { passed: number; failed: number } {
  let passed = 0;
  let failed = errors.length;
  for (const module of modules) {
    if (module.errors().length > 0) failed++;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed++;
      else if (result.state !== 'skipped' || (result.note === undefined && !isChoice)) failed++;
    }
  }
  return passed === 0 && failed === 0 ? { passed, failed: 1 } : { passed, failed };
}
