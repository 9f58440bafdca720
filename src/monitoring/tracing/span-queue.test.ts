import { afterEach, expect, test } from 'vitest';
import { createBatcher } from '../../db/batching/batcher.ts';
import { inSpan, isTracing, runningSpan, startSpan, useTracer, within } from '../../lib/tracing/spans.ts';
import { spansEnded } from './measures.ts';
import { createOtelTracing } from './otel.ts';
import { SpanQueue } from './span-queue.ts';
import { contextOf, traceparentFrom } from './trace-context.ts';
import { startTracing } from './tracing.ts';

/** What tracing costs if it is off, and if the collector is unreachable. */
afterEach(() => useTracer(null));

const outcomes = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await spansEnded.get()).values.map(({ labels, value }) => [String(labels.outcome), value]));
const since = async (before: Record<string, number>): Promise<Record<string, number>> => {
  const now = await outcomes();
  return Object.fromEntries(Object.keys(now).map((name) => [name, now[name]! - before[name]!]));
};
const SETTINGS = { sampler: 'parentbased_always_on', samplerArg: 1, serviceName: 'test' } as const;
type Exported = Parameters<SpanQueue['onEnd']>[0];
const SPAN = {} as Exported;

test('a queue that is full drops spans and counts them; what waits is exported once the collector responds', async () => {
  const before = await outcomes();
  let respond: ((result: { code: number }) => void) | undefined;
  const sizes: number[] = [];
  const queue = new SpanQueue({
    exporter: {
      export: (spans, done) => {
        sizes.push(spans.length);
        respond = done;
      },
      shutdown: async () => {},
    },
    most: 4,
    perExport: 2,
  });
  for (let i = 0; i < 9; i++) queue.onEnd(SPAN);
  // Two are being exported, four are queued.
  expect(await since(before)).toEqual({ exported: 0, failed: 0, dropped: 3 });
  const flushed = queue.forceFlush();
  respond!({ code: 1 });
  await expect.poll(() => sizes.length).toBe(2);
  respond!({ code: 0 });
  await expect.poll(() => sizes.length).toBe(3);
  respond!({ code: 0 });
  await flushed;
  expect(sizes).toEqual([2, 2, 2]);
  expect(await since(before)).toEqual({ exported: 4, failed: 2, dropped: 3 });
  queue.onEnd(SPAN);
  await queue.shutdown();
  queue.onEnd(SPAN);
  expect(await since(before)).toEqual({ exported: 4, failed: 2, dropped: 5 });
});

test('an unreachable collector delays a stop no longer than allowed', async () => {
  const { tracer, shutdown } = createOtelTracing({ ...SETTINGS, endpoint: 'http://127.0.0.1:9/v1/traces' }, '1', 'all');
  const before = await outcomes();
  tracer.start('lost', {})!.end();
  const began = performance.now();
  await shutdown(300);
  expect(performance.now() - began).toBeLessThan(5_000);
  await expect.poll(() => since(before)).toMatchObject({ exported: 0 });
});

test('without an endpoint there are no spans and no context, and OpenTelemetry is not loaded', async () => {
  const tracing = await startTracing(null, 'all');
  expect(isTracing()).toBe(false);
  expect(startSpan('none', { parent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' })).toBeNull();
  expect(within(null, () => runningSpan())).toBeNull();
  await tracing.close(0);
});

test('a span is made only in a trace that is recorded', async () => {
  const { tracer, shutdown } = createOtelTracing({ ...SETTINGS, endpoint: 'http://127.0.0.1:9/v1/traces' }, '1', 'all');
  useTracer(tracer);
  expect(startSpan('nobody asked')).toBeNull();
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-';
  expect(startSpan('not sampled', { parent: `${parent}00` })).toBeNull();
  const span = startSpan('sampled', { parent: `${parent}01` })!;
  expect(span.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  await within(span, async () => {
    await inSpan('child', {}, async () => expect(runningSpan()!.traceId).toBe(span.traceId));
    span.end();
    // Work that a request leaves to a timer is not part of the request.
    expect(startSpan('after the end')).toBeNull();
  });
  await shutdown(0);
});

test('a batch runs in the trace of its first traced request, or without a trace', async () => {
  const { tracer, shutdown } = createOtelTracing({ ...SETTINGS, endpoint: 'http://127.0.0.1:9/v1/traces' }, '1', 'all');
  useTracer(tracer);
  const ranIn: (string | undefined)[] = [];
  const batcher = createBatcher<number, number>({
    key: (item) => item,
    run: async (_key, items) => {
      ranIn.push(runningSpan()?.traceId);
      return items.map((value) => ({ ok: true, value }));
    },
    maxSize: 10,
    maxInFlight: 2,
  });
  const span = tracer.start('request', {})!;
  const other = tracer.start('request', {})!;
  await Promise.all([
    within(null, () => batcher.submit(1)),
    within(span, () => batcher.submit(1)),
    within(other, () => batcher.submit(1)),
    // Belongs to another company, so it gets its own batch, which must not be attributed to the traced request.
    within(null, () => batcher.submit(2)),
  ]);
  expect(ranIn).toEqual([span.traceId, undefined]);
  await shutdown(0);
});

test('a traceparent is taken as W3C Trace Context says', () => {
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(traceparentFrom(contextOf(good)!)).toBe(good);
  expect(contextOf(good.replace(/^00/, '01').concat('-more'))).not.toBeNull();
  for (const bad of [
    '',
    'x',
    `${good}-more`,
    good.replace(/^00/, 'ff'),
    good.toUpperCase(),
    good.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    good.replace('00f067aa0ba902b7', '0'.repeat(16)),
  ])
    expect(contextOf(bad), bad).toBeNull();
});
