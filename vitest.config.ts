import { defineConfig } from 'vitest/config';
import { LongestFirst } from './src/testing/longest-first.ts';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'bench/**/*.test.ts',
      'release/**/*.test.ts',
      'packaging/**/*.test.ts',
      'client/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    globalSetup: ['src/testing/global-setup.ts'],
    pool: 'forks',
    // Files share what they import: a fifth less of the processor. Each has a database and a server of its own.
    isolate: false,
    // Tests wait for programs, timers and pages a third of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Of 9,000 tests, one or two in a run wait longer than they may because of what else the machine does. The closing line names them.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes soon on an idle machine, and later beside two other files.
    expect: { poll: { timeout: 30_000, interval: 50 } },
  },
});
