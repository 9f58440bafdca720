import { createVitest, type Reporter, type TestCase, type TestModule, type TestSuite, type Vitest } from 'vitest/node';

/** What the process that runs the tests is asked. */
export interface Order {
  files: string[];
  /** Files that have changed since, with their folders. */
  changed: string[];
}

/** What it replies: the name of the first test that failed, or null. */
export interface Verdict {
  failed: string | null;
}

/**
 * Keeps one Vitest and its database over many runs: what a run loads is compiled once. Runs in the folder whose tests it
 * runs, in a process of its own that can be ended with all that it started.
 */
async function main(): Promise<void> {
  const failures = new Failures();
  let vitest: Vitest | undefined;
  process.on('message', async (order: Order) => {
    vitest ??= await createVitest('test', {
      watch: false,
      bail: 1,
      maxWorkers: 1,
      silent: true,
      reporters: [failures],
      testTimeout: 60_000,
      hookTimeout: 60_000,
    });
    for (const file of order.changed) vitest.invalidateFile(file);
    failures.begin();
    const { unhandledErrors } = await vitest.runTestSpecifications(await vitest.globTestSpecifications(order.files));
    if (unhandledErrors.length > 0) failures.add('an error outside of all tests');
    const verdict: Verdict = { failed: failures.first() };
    process.send!(verdict);
  });
  process.once('disconnect', async () => {
    await vitest?.close();
    process.exit();
  });
}

/** What failed in the present run: the results that Vitest returns are also those of earlier ones. */
class Failures implements Reporter {
  private failed: string[] = [];
  private modules = 0;

  begin(): void {
    this.failed = [];
    this.modules = 0;
  }

  add(name: string): void {
    this.failed.push(name);
  }

  first(): string | null {
    return this.failed[0] ?? (this.modules === 0 ? 'no test file was run' : null);
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') this.add(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestSuiteResult(suite: TestSuite): void {
    if (suite.errors().length > 0) this.add(`${suite.module.relativeModuleId}: ${suite.fullName}`);
  }

  onTestModuleEnd(module: TestModule): void {
    this.modules++;
    if (module.errors().length > 0) this.add(`${module.relativeModuleId}: a part outside of its tests`);
  }
}

await main();
