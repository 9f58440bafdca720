import { extname } from 'node:path';
import { createWorkerPool, type JobOutcome, type JobOwner, tooBusy } from '../../../lib/threads/pool.ts';
import type { Design } from '../../../marketing/templates/design/schema.ts';
import type { BounceReport } from '../../feedback/bounce-report.ts';
import type { Annotated, ClickedLink } from '../links/annotate.ts';
import { inSlices, isKilled } from '../slices.ts';
import type { PreviewJob, PreviewResult, RenderRequest, TextJob, TextJobs, TextKind } from '../text-jobs.ts';
import type { RenderResult } from './engine.ts';
import type { RenderFailure } from './failures.ts';

/**
 * Runs slow work on texts that users wrote in threads. Companies take turns. In the interactive lane (everything but `render` in the bulk
 * lane) calls reject with rate_limited while too much of the company's own work is waiting.
 */
export interface Renderer {
  /**
   * Renders each request; the results are in the same order. A template that cannot be rendered is a result, never a rejection. Contexts
   * are plain JSON and neither changed nor kept.
   */
  render(requests: readonly RenderRequest[], owner: JobOwner): Promise<RenderResult[]>;
  /** Renders a draft and makes the result safe to show. */
  preview(companyId: number, job: PreviewJob): Promise<PreviewResult>;
  /** Returns, for each template, why it can never be rendered, as far as that shows without data; null if it may be rendered. */
  syntaxFailures(companyId: number, templates: string[]): Promise<(RenderFailure | null)[]>;
  /** Extracts the readable text of HTML. */
  textFromHtml(companyId: number, html: string): Promise<string>;
  /** See `sanitiseDescription`; null for each text that takes too long. */
  sanitiseDescriptions(companyId: number, texts: readonly string[]): Promise<(string | null)[]>;
  /** See `annotate`; null if that takes too long. */
  annotate(companyId: number, html: string, links: ClickedLink[]): Promise<Annotated | null>;
  /** See `compileDesign`; null if that takes too long. */
  compileDesign(companyId: number, design: Design): Promise<string | null>;
  /** See `readBounceMail`. */
  readBounceMail(companyId: number, mail: Buffer): Promise<BounceReport[]>;
  /** Ends the threads. Renderings in progress return failures. */
  close(): Promise<void>;
}

/** Processor time. The engine stops itself after 300 ms of it; what it cannot interrupt is killed here, so that nothing uses a whole second. */
const HARD_LIMIT_MS = 800;
/** If a thread is killed before its slice is done, each request of the slice is rendered again on its own. */
const REQUESTS_PER_JOB = 25;

function failure(error: string, exceeded: RenderFailure['exceeded']): RenderFailure {
  return { ok: false, error, line: null, column: null, exceeded };
}

/** `workers`: maximum number of threads. One company may use half of them. */
export function createRenderer({ workers }: { workers: number }): Renderer {
  const pool = createWorkerPool<TextJob, TextJobs[TextKind]['output']>({
    file: new URL(`./render-thread${extname(import.meta.url)}`, import.meta.url),
    size: workers,
    timeLimitMs: HARD_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });

  async function run<Kind extends TextKind>(
    kind: Kind,
    input: TextJobs[Kind]['input'],
    owner: JobOwner,
  ): Promise<JobOutcome<TextJobs[Kind]['output']>> {
    const job = { kind, input } as TextJob;
    return (await pool.run(job, owner)) as JobOutcome<TextJobs[Kind]['output']>;
  }

  /** For callers that wait: `killed` returns the result if the thread was killed. */
  async function runNow<Kind extends TextKind, Killed = TextJobs[Kind]['output']>(
    kind: Kind,
    input: TextJobs[Kind]['input'],
    companyId: number,
    killed: (why: RenderFailure) => Killed,
  ): Promise<TextJobs[Kind]['output'] | Killed> {
    const outcome = await run(kind, input, { companyId, priority: 'interactive' });
    if (outcome.ended === 'refused') throw tooBusy();
    return outcome.ended === 'done' ? outcome.value : killed(failureOf(outcome.because));
  }

  /** For kinds of job that process as many items as their time allows. */
  async function runSome<Item, Result>(
    items: readonly Item[],
    job: (some: Item[]) => Promise<JobOutcome<Result[]>>,
  ): Promise<(Result | RenderFailure)[]> {
    const results: (Result | RenderFailure)[] = [];
    const slices = inSlices<Item, Result>(items, async (some) => {
      const outcome = await job([...some]);
      if (outcome.ended === 'refused') throw tooBusy();
      return outcome;
    });
    for await (const slice of slices) {
      for (const { result } of slice) results.push(isKilled(result) ? failureOf(result.killed) : result);
    }
    return results;
  }

  return {
    async render(requests, owner) {
      const chunks: Promise<RenderResult[]>[] = [];
      for (let at = 0; at < requests.length; at += REQUESTS_PER_JOB) {
        const chunk = requests.slice(at, at + REQUESTS_PER_JOB);
        chunks.push(runSome(chunk, (some) => run('render', { requests: some }, owner)));
      }
      return (await Promise.all(chunks)).flat();
    },
    preview: (companyId, job) =>
      runNow('preview', job, companyId, (why) => ({ ok: false, field: 'content', failure: why })),
    syntaxFailures(companyId, templates) {
      const owner = { companyId, priority: 'interactive' } as const;
      return runSome(templates, (some) => run('syntax', { templates: some }, owner));
    },
    textFromHtml: (companyId, html) => runNow('text', { html }, companyId, () => ''),
    async sanitiseDescriptions(companyId, texts) {
      const results: (string | null)[] = [];
      const owner = { companyId, priority: 'bulk' } as const;
      for await (const slice of inSlices(texts, (some) => run('descriptions', { texts: [...some] }, owner))) {
        for (const { result } of slice) {
          if (isKilled(result) && result.killed === 'closed') throw new Error('The renderer was shut down');
          results.push(isKilled(result) ? null : result);
        }
      }
      return results;
    },
    annotate: (companyId, html, links) => runNow<'clicks', null>('clicks', { html, links }, companyId, () => null),
    compileDesign: (companyId, design) => runNow<'design', null>('design', { design }, companyId, () => null),
    readBounceMail: (companyId, mail) => runNow('bounces', { mail }, companyId, () => []),
    close: () => pool.close(),
  };
}

export function failureOf(because: 'time' | 'memory' | 'crash' | 'closed'): RenderFailure {
  if (because === 'closed') return failure('The renderer was shut down', 'interrupted');
  if (because === 'memory') return failure('The output of the template or a list in it is too large', 'size');
  if (because === 'crash') return failure('The template could not be rendered', 'interrupted');
  return failure('The template takes too long to render', 'time');
}
