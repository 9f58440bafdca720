import { extname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { isVetted, type RenderFailure, type RenderResult, renderTemplate } from './liquid-engine.ts';
import type { RenderJob } from './liquid-worker.ts';
import { LruCache } from './lru.ts';
import { createWorkerPool } from './worker-pool.ts';

export type RenderRequest = RenderJob;

export interface Renderer {
  /**
   * Renders each request; the results are in the same order. A template that cannot be rendered is a result, never a
   * rejection. Contexts are plain JSON, not changed, and not kept.
   */
  render(requests: readonly RenderRequest[]): Promise<RenderResult[]>;
  /** Ends the threads. Renderings under way come back as failures. */
  close(): Promise<void>;
}

/** The engine gives up after 300 ms by itself; what it cannot interrupt is ended here, so that a second is never reached. */
const HARD_LIMIT_MS = 700;
/** A big batch of quick templates gives way to other work this often. */
const SLICE_MS = 10;
/** This many time-outs in a row, and a template is not tried again: one bad template must not hold the threads for a day. */
const STRIKES = 3;

/** A vetted template that runs into its time limit so many times in a row moves to the threads for good. */
const OVERRUNS = 3;

/** What is known of a template: where it runs, and how many times in a row it used up its time there and here. */
interface Standing {
  inProcess: boolean;
  overruns: number;
  strikes: number;
}

function failure(error: string, exceeded: RenderFailure['exceeded']): RenderFailure {
  return { ok: false, error, line: null, column: null, exceeded };
}

/**
 * Renders vetted templates here and all others in a pool of `workers` threads. Vetted means that their cost is bounded
 * by what can be read off them; should one run into its limits all the same, it moves to the threads.
 */
export function createRenderer({ workers }: { workers: number }): Renderer {
  const pool = createWorkerPool<RenderJob, RenderResult>({
    file: new URL(`./liquid-worker${extname(import.meta.url)}`, import.meta.url),
    size: workers,
    timeLimitMs: HARD_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  const standings = { html: new LruCache<Standing>(500, 8_000_000), text: new LruCache<Standing>(500, 8_000_000) };

  function standingOf({ text, html }: RenderRequest): Standing {
    const known = standings[html ? 'html' : 'text'].get(text);
    if (known) return known;
    const standing = { inProcess: isVetted(text, html), overruns: 0, strikes: 0 };
    standings[html ? 'html' : 'text'].set(text, standing);
    return standing;
  }

  async function renderInThread(request: RenderRequest, standing: Standing): Promise<RenderResult> {
    if (standing.strikes >= STRIKES) {
      return failure(
        `The template ran out of time ${STRIKES} times in a row and is not tried again until changed`,
        'time',
      );
    }
    const outcome = await pool.run({ text: request.text, context: request.context, html: request.html });
    const result = outcome.ended === 'answered' ? outcome.value : failureOf(outcome.because);
    standing.strikes = !result.ok && result.exceeded === 'time' ? standing.strikes + 1 : 0;
    return result;
  }

  function renderOne(request: RenderRequest): RenderResult | Promise<RenderResult> {
    const standing = standingOf(request);
    if (standing.inProcess) {
      const result = renderTemplate(request.text, request.context, { html: request.html });
      if (result.ok || result.exceeded === null) {
        standing.overruns = 0;
        return result;
      }
      // Once or twice it may have been the machine, which had this thread wait.
      standing.overruns += 1;
      if (result.exceeded === 'size' || standing.overruns >= OVERRUNS) standing.inProcess = false;
    }
    return renderInThread(request, standing);
  }

  return {
    async render(requests) {
      const results: (RenderResult | Promise<RenderResult>)[] = [];
      let sliceEnd = monotonicMs() + SLICE_MS;
      for (const request of requests) {
        results.push(renderOne(request));
        if (monotonicMs() < sliceEnd) continue;
        await nextTurn();
        sliceEnd = monotonicMs() + SLICE_MS;
      }
      return Promise.all(results);
    },
    close: () => pool.close(),
  };
}

function failureOf(because: 'time' | 'memory' | 'crash' | 'closed'): RenderFailure {
  if (because === 'closed') return failure('The renderer was shut down', null);
  if (because === 'memory') return failure('The template makes too much text or too long lists', 'size');
  if (because === 'crash') return failure('The template could not be rendered', null);
  return failure('The template takes too long to render', 'time');
}
