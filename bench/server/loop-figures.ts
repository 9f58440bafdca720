import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { processorMs } from '../../src/lib/threads/processor-time.ts';

/** What the event loop did since the last call. */
export interface LoopFigures {
  wallMs: number;
  /** Processor time of the main thread, which other work on the machine does not affect. */
  cpuMs: number;
  /** Pauses by garbage collection. */
  collections: number;
  collectionMs: number;
  longestCollectionMs: number;
  /** The longest time that a task waited for the event loop; on a busy machine also for a processor. */
  longestBlockMs: number;
}

const RESOLUTION_MS = 1;

/** Observes the event loop of this process; returns a function that returns the figures. */
export function observeLoop(): () => LoopFigures {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let pauses: number[] = [];
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.push(duration);
  });
  collections.observe({ entryTypes: ['gc'] });
  let since = performance.now();
  let before = processorMs();
  return () => {
    const now = performance.now();
    const used = processorMs();
    const figures: LoopFigures = {
      wallMs: now - since,
      cpuMs: used - before,
      collections: pauses.length,
      collectionMs: pauses.reduce((sum, ms) => sum + ms, 0),
      longestCollectionMs: Math.max(0, ...pauses),
      // The histogram counts whole periods of its timer.
      longestBlockMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    };
    since = now;
    before = used;
    pauses = [];
    delay.reset();
    return figures;
  };
}
