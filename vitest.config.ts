import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst, TIMED } from './src/testing/test-files.ts';

// Threads that the app starts in a test load the same libraries again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url));

const shared = {
  pool: 'forks',
  // Files share what they import: a fifth less of the processor. Each has a database and a server of its own.
  isolate: false,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is waited for comes soon on an idle machine, and later beside two other files.
  expect: { poll: { timeout: 30_000, interval: 50 } },
} as const;

export default defineConfig({
  test: {
    globalSetup: ['src/testing/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'suite',
          include: [
            'src/**/*.test.ts',
            'bench/**/*.test.ts',
            'release/**/*.test.ts',
            'packaging/**/*.test.ts',
            'client/**/*.test.ts',
            'examples/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...TIMED],
          // Tests wait for programs, timers and pages a third of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      // When nothing else runs.
      { test: { ...shared, name: 'timed', include: [...TIMED], maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
