import module from 'node:module';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createWorkerPool, type JobOutcome, type WorkerPool } from './pool.ts';
import type { TestJob } from './testing-thread.ts';

let pool: WorkerPool<TestJob, string>;
afterEach(() => pool.close());

const DONE = { ended: 'done', value: 'done' };

function create(timeLimitMs: number, file = './testing-thread.ts', size = 1): void {
  const resourceLimits = { maxOldGenerationSizeMb: 32 };
  pool = createWorkerPool({ file: new URL(file, import.meta.url), size, timeLimitMs, resourceLimits });
}
const run = (job: TestJob, companyId = 1): Promise<JobOutcome<string>> =>
  pool.run(job, { companyId, priority: 'bulk' });

test.each([
  { job: 'endless', because: 'time', timeLimitMs: 100 },
  { job: 'hungry', because: 'memory', timeLimitMs: 60_000 },
] as const)(
  'a thread that runs out of $because is ended, and the jobs behind it still get their response',
  async (one) => {
    create(one.timeLimitMs);
    const outcomes = await Promise.all([run('fast'), run(one.job), run('fast')]);
    expect(outcomes).toEqual([DONE, { ended: 'killed', because: one.because }, DONE]);
  },
);

test('a job that cannot be cloned harms no other', async () => {
  create(1_000);
  const uncloneable = (() => 1) as unknown as TestJob;
  expect(await Promise.all([run(uncloneable), run('fast')])).toEqual([{ ended: 'killed', because: 'crash' }, DONE]);
});

test('a module that cannot be loaded fails the jobs instead of keeping them waiting', async () => {
  create(100, './no-such-thread.ts');
  const outcome = await Promise.race([run('fast'), new Promise((resolve) => setTimeout(resolve, 2_000))]);
  expect(outcome).toMatchObject({ ended: 'killed' });
});

test('a company whose job killed a thread leaves the others to the rest until the replacement has loaded', async () => {
  create(100, './testing-slow-thread.ts', 2);
  await Promise.all([run('fast', 1), run('fast', 2)]);
  const hostile = [run('endless', 1), run('endless', 1)];
  expect(await hostile[0]).toEqual({ ended: 'killed', because: 'time' });
  const others = run('fast', 2);
  expect(await Promise.race([others, hostile[1]])).toEqual(DONE);
  expect(await hostile[1]).toEqual({ ended: 'killed', because: 'time' });
});

test('a thread loads at a lower priority than the program has, and uses its compile cache', async () => {
  create(1_000);
  const outcome = await run('state');
  expect(outcome).toMatchObject({ ended: 'done' });
  const { priority, cache } = JSON.parse((outcome as { value: string }).value);
  // Elsewhere a priority is that of the whole process.
  expect(priority).toBe(process.platform === 'linux' ? Math.max(5, getPriority()) : getPriority());
  // Below it Node has a folder for each version and each set of V8's flags, which another test of this process may have changed.
  expect(dirname(cache)).toBe(dirname(module.getCompileCacheDir()!));
});
