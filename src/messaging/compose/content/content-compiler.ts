import { extname } from 'node:path';
import { createTextCache } from '../../../lib/text-cache.ts';
import { createWorkerPool, type JobOwner, tooBusy } from '../../../lib/threads/pool.ts';
import { MAX_TEMPLATE } from '../liquid/limits.ts';
import type { MjmlResult } from '../mjml/compile-thread.ts';

/** HTML that still carries its Liquid, with what the MJML compiler complained about; or why there is none. */
export type CompiledContent =
  | { ok: true; html: string; warnings: string[] }
  /** `passing`: the compiler was ended; the same content may compile another time. */
  | { ok: false; error: string; passing: boolean };

export interface ContentCompiler {
  /**
   * HTML is returned as it is, MJML compiled (20 ms, remembered). Liquid goes through untouched; between MJML elements
   * it belongs into `mj-raw`. Rejects with rate_limited alone, where somebody waits for it and too many of the company do.
   */
  compile(source: string, owner: JobOwner): Promise<CompiledContent>;
  close(): Promise<void>;
}

/** MJML is content whose first element, after white space, comments and an XML declaration, is `mjml`. */
export function isMjml(source: string): boolean {
  const space = /[\s\ufeff]*/y;
  let at = 0;
  for (;;) {
    space.lastIndex = at;
    at += space.exec(source)![0].length;
    const closer = source.startsWith('<!--', at) ? '-->' : source.startsWith('<?xml', at) ? '?>' : null;
    if (closer === null) return /^<mjml[\s>]/i.test(source.slice(at, at + 6));
    const end = source.indexOf(closer, at);
    if (end < 0) return false;
    at = end + closer.length;
  }
}

/** One company holds one of them: another's MJML is compiled meanwhile. */
const COMPILER_THREADS = 2;

/**
 * The compiler takes 0.4 s to load and may be given hostile text, so it lives in a thread of its own, started with the
 * first MJML and ended when a compilation takes more than five seconds.
 */
export function createContentCompiler({ timeLimitMs = 5_000 } = {}): ContentCompiler {
  const pool = createWorkerPool<string, MjmlResult>({
    file: new URL(`../mjml/compile-thread${extname(import.meta.url)}`, import.meta.url),
    size: COMPILER_THREADS,
    timeLimitMs,
    // The first job of a thread waits for the compiler to load, each may take the time limit.
    maxWaitMs: 15_000,
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  });
  const compiled = createTextCache<CompiledContent>(200, 8 * 1024 * 1024);

  async function compileMjml(source: string, owner: JobOwner): Promise<CompiledContent> {
    const outcome = await pool.run(source, owner);
    if (outcome.ended === 'refused') throw tooBusy();
    if (outcome.ended === 'killed') return { ok: false, error: WHY_KILLED[outcome.because], passing: true };
    const result = outcome.value;
    if ('error' in result) return { ok: false, error: result.error, passing: false };
    if (result.html.length > MAX_TEMPLATE) return tooLong('The compiled MJML');
    return { ok: true, html: result.html, warnings: result.warnings };
  }

  return {
    async compile(source, owner) {
      if (source.length > MAX_TEMPLATE) return tooLong('The content');
      if (!isMjml(source)) return { ok: true, html: source, warnings: [] };
      const known = compiled.get(source);
      if (known !== undefined) return known;
      // Not before it is known: whoever came second would wait in the lane, and for the time limit, of another company.
      const result = await compileMjml(source, owner);
      if (result.ok || !result.passing) compiled.set(source, result);
      return result;
    },
    close: () => pool.close(),
  };
}

const WHY_KILLED = {
  time: 'The MJML takes too long to compile',
  memory: 'The MJML takes too much memory to compile',
  crash: 'The MJML could not be compiled',
  closed: 'The compiler was shut down',
};

function tooLong(what: string): CompiledContent {
  return { ok: false, error: `${what} is longer than ${MAX_TEMPLATE / 1024} KiB`, passing: false };
}
