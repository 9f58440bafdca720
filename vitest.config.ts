import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ALL, COMPLETE, LongestFirst, TIMED } from './src/testing/test-files.ts';
// Chooses the seed before workers start.
import './src/testing/random/seed.ts';

// Threads that the app starts in a test load the same libraries again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url));

const shared = {
  pool: 'forks',
  // Files share what they import: a fifth less of the processor.
  isolate: false,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  setupFiles: './src/testing/random/fast-check.ts',
  // What is waited for comes soon on an idle machine, and later beside two other files.
  expect: { poll: { timeout: 30_000, interval: 50 } },
} as const;

// Tests wait for programs, timers and pages a third of the time.
const WORKERS = 3;

/** `npm test` runs the first project, `npm run test:all` all three. */
export default defineConfig({
  test: {
    globalSetup: ['src/testing/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['./src/testing/reporter.ts'],
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ALL,
          exclude: ['**/node_modules/**', ...COMPLETE, ...TIMED],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'complete',
          include: COMPLETE.map((pattern) => pattern.replace(/\*\*$/, '**/*.test.ts')),
          exclude: ['**/node_modules/**', ...TIMED],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...shared, name: 'timed', include: [...TIMED], maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
