import { extname } from 'node:path';
import { createTextCache } from '../../../lib/text-cache.ts';
import { createWorkerPool, type JobOwner, tooBusy } from '../../../lib/threads/pool.ts';
import { MAX_TEMPLATE } from '../liquid/limits.ts';
import type { MjmlResult } from './compile-thread.ts';

/** HTML that still contains its Liquid, with the warnings of the MJML compiler; or why compilation failed. */
export type CompiledContent =
  | { ok: true; html: string; warnings: string[] }
  /** `passing`: the compiler was killed; the same content may compile another time. */
  | { ok: false; error: string; passing: boolean };

export interface ContentCompiler {
  /**
   * Returns HTML unchanged and compiles MJML (20 ms, cached). Liquid passes through untouched; between MJML elements it must be inside
   * `mj-raw`. Rejects only with rate_limited: in the interactive lane, while too many of the company's jobs wait.
   */
  compile(source: string, owner: JobOwner): Promise<CompiledContent>;
  close(): Promise<void>;
}

/** Whether the content is MJML: its first element, after white space, comments and an XML declaration, is `mjml`. */
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

/** One company uses at most one of them, so that another's MJML can compile meanwhile. */
const COMPILER_THREADS = 2;

/**
 * The compiler takes 0.4 s to load and may receive hostile text, so it runs in threads of its own. A thread starts with the first MJML and
 * is killed when a compilation exceeds five seconds.
 */
export function createContentCompiler({ timeLimitMs = 5_000 } = {}): ContentCompiler {
  const pool = createWorkerPool<string, MjmlResult>({
    file: new URL(`./compile-thread${extname(import.meta.url)}`, import.meta.url),
    size: COMPILER_THREADS,
    timeLimitMs,
    // Each job before it may use the full time limit.
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
      // Caches only finished results: sharing a pending one would make a company wait in another's lane and under its time limit.
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
