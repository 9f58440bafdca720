import { afterEach, expect, test } from 'vitest';
import type { RenderResult } from '../../messaging/compose/liquid/engine.ts';
import type { RenderRequest, TextJob } from '../../messaging/compose/text-jobs.ts';
import { createWorkerPool, type JobOutcome, type WorkerPool } from './pool.ts';

let pool: WorkerPool<TextJob, RenderResult[]>;
afterEach(() => pool.close());

function create(timeLimitMs: number, maxOldGenerationSizeMb = 64): void {
  const file = new URL('../../messaging/compose/liquid/render-thread.ts', import.meta.url);
  pool = createWorkerPool({ file, size: 1, timeLimitMs, resourceLimits: { maxOldGenerationSizeMb } });
}
const job = (text: string, context: RenderRequest['context'] = {}): TextJob => ({
  kind: 'render',
  input: { requests: [{ text, context, html: false }] },
});
const run = (one: TextJob): Promise<JobOutcome<RenderResult[]>> => pool.run(one, { companyId: 1, lane: 'bulk' });
/** Half a second of a processor that nothing inside the thread interrupts, however long the clock says that it took. */
const endless: TextJob = { kind: 'text', input: { html: '<b>'.repeat(160_000) } };
const hungry = job(
  `{% assign a = x | split: "" %}${'{% for i in a reversed %}'.repeat(99)}${'{% endfor %}'.repeat(99)}`,
  { x: 'x'.repeat(500_000) },
);

test('a thread that runs out of time or memory is ended, and the jobs behind it still get their response', async () => {
  create(100, 32);
  await run(job('warm'));
  const [first, second, third, fourth] = await Promise.all([endless, job('two'), hungry, job('four')].map(run));
  expect(first).toEqual({ ended: 'killed', because: 'time' });
  expect(second).toEqual({ ended: 'done', value: [{ ok: true, text: 'two' }] });
  expect(third).toMatchObject({ ended: 'killed' });
  expect(fourth).toEqual({ ended: 'done', value: [{ ok: true, text: 'four' }] });
});

test('a job that cannot be cloned harms no other', async () => {
  create(1_000);
  const uncloneable = Object.assign(job('x'), { broken: () => 1 });
  const outcomes = await Promise.all([uncloneable, job('after')].map(run));
  expect(outcomes).toEqual([
    { ended: 'killed', because: 'crash' },
    { ended: 'done', value: [{ ok: true, text: 'after' }] },
  ]);
});

test('a module that cannot be loaded fails the jobs instead of keeping them waiting', async () => {
  pool = createWorkerPool({
    file: new URL('./no-such-worker.ts', import.meta.url),
    size: 1,
    timeLimitMs: 100,
    resourceLimits: {},
  });
  expect(await Promise.race([run(job('x')), new Promise((resolve) => setTimeout(resolve, 2_000))])).toMatchObject({
    ended: 'killed',
  });
});

test('a company whose job killed a thread leaves the others to the rest until the replacement has loaded', async () => {
  const file = new URL('./testing-slow-thread.ts', import.meta.url);
  const slow = createWorkerPool<{ endless: boolean }, string>({ file, size: 2, timeLimitMs: 100, resourceLimits: {} });
  const run = (companyId: number, endless: boolean) => slow.run({ endless }, { companyId, lane: 'bulk' });
  try {
    await Promise.all([run(1, false), run(2, false)]);
    const hostile = [run(1, true), run(1, true)];
    expect(await hostile[0]).toEqual({ ended: 'killed', because: 'time' });
    const others = run(2, false);
    expect(await Promise.race([others, hostile[1]])).toEqual({ ended: 'done', value: 'done' });
    expect(await hostile[1]).toEqual({ ended: 'killed', because: 'time' });
  } finally {
    await slow.close();
  }
});
