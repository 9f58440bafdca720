import { extname } from 'node:path';
import { isKilled, JobItems, type Killed } from '../../lib/threads/job-items.ts';
import { createWorkerPool, type JobOutcome, type JobOwner, tooBusy } from '../../lib/threads/pool.ts';
import type { Design } from '../../marketing/templates/design/schema.ts';
import type { BounceReport } from '../feedback/bounce-report.ts';
import type { RenderFailure } from './liquid/engine.ts';
import type { RenderResult } from './liquid/render.ts';
import {
  type Annotated,
  type ClickedLink,
  type MessageJob,
  type MissingNames,
  type PackedMessages,
  type PreviewJob,
  type PreviewResult,
  type RenderedMessage,
  type RenderRequest,
  type TextJob,
  type TextJobs,
  type TextKind,
  type TextOutput,
  unpack,
} from './thread/jobs.ts';

/**
 * Runs slow work on texts that users wrote in threads. Companies take turns. In the interactive lane (everything but `render` in the bulk
 * lane) calls reject with rate_limited while too much of the company's own work is waiting.
 */
export interface Renderer {
  /** Composes the first messages of a batch, at least one; or returns the links that need names first. */
  renderMessages(job: MessageJob): Promise<JobOutcome<RenderedMessage[] | MissingNames>>;
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
  /** Returns a description with tags as safe HTML, and the beginning of its text; null if that takes too long. */
  showDescription(companyId: number, text: string): Promise<{ html: string; text: string } | null>;
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
const TEXT_LIMIT_MS = 800;
/** A job with messages stops itself after 0.3 s, once its current message is done; what it cannot interrupt (HTML to text) is killed here. */
const MESSAGES_LIMIT_MS = 3_000;
/** If a thread is killed before its job is done, each request of the job is rendered again on its own. */
const REQUESTS_PER_JOB = 25;

export interface RendererOptions {
  /** Maximum number of threads that compose messages. One company may use half of them. */
  messageThreads?: number;
  /** Maximum number of threads for everything else. */
  textThreads: number;
}

/**
 * Messages have threads of their own, so that a preview never waits for a batch. They run a program of their own, because one for both
 * loads in up to 1.6 times the time and takes 6 to 8 MB more in each thread.
 */
export function createRenderer({ textThreads, messageThreads = 1 }: RendererOptions): Renderer {
  const texts = createWorkerPool<TextJob, TextOutput>({
    file: new URL(`./thread/texts${extname(import.meta.url)}`, import.meta.url),
    size: textThreads,
    timeLimitMs: TEXT_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  const messages = createWorkerPool<MessageJob, PackedMessages | MissingNames>({
    file: new URL(`./thread/messages${extname(import.meta.url)}`, import.meta.url),
    size: messageThreads,
    timeLimitMs: MESSAGES_LIMIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

  async function run<Kind extends TextKind>(
    kind: Kind,
    input: TextJobs[Kind]['input'],
    owner: JobOwner,
  ): Promise<JobOutcome<TextJobs[Kind]['output']>> {
    const job = { kind, input } as TextJob;
    return (await texts.run(job, owner)) as JobOutcome<TextJobs[Kind]['output']>;
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
  ): Promise<(Result | Killed)[]> {
    const results: (Result | Killed)[] = [];
    const rest = new JobItems(items);
    while (rest.next.length > 0) {
      const outcome = await job([...rest.next]);
      if (outcome.ended === 'refused') throw tooBusy();
      results.push(...rest.settle(outcome).map(({ result }) => result));
    }
    return results;
  }

  return {
    async renderMessages(job) {
      const outcome = await messages.run(job, { companyId: job.companyId, priority: 'bulk' });
      if (outcome.ended !== 'done') return outcome;
      if (!('missing' in outcome.value)) return { ended: 'done', value: unpack(outcome.value) };
      // Threads return bytes as a Uint8Array.
      const missing = outcome.value.missing.map((link) => ({ ...link, hash: Buffer.from(link.hash) }));
      return { ended: 'done', value: { missing } };
    },
    async render(requests, owner) {
      const jobs: Promise<(RenderResult | Killed)[]>[] = [];
      for (let at = 0; at < requests.length; at += REQUESTS_PER_JOB) {
        const batch = requests.slice(at, at + REQUESTS_PER_JOB);
        jobs.push(runSome(batch, (some) => run('render', { requests: some }, owner)));
      }
      return (await Promise.all(jobs)).flat().map(orFailure);
    },
    preview: (companyId, job) =>
      runNow('preview', job, companyId, (why) => ({ ok: false, field: 'content', failure: why })),
    async syntaxFailures(companyId, templates) {
      const owner = { companyId, priority: 'interactive' } as const;
      const results = await runSome(templates, (some) => run('syntax', { templates: some }, owner));
      return results.map(orFailure);
    },
    textFromHtml: (companyId, html) => runNow('text', { html }, companyId, () => ''),
    async sanitiseDescriptions(companyId, texts) {
      const owner = { companyId, priority: 'bulk' } as const;
      const results = await runSome(texts, (some) => run('descriptions', { texts: some }, owner));
      return results.map((result) => {
        if (!isKilled(result)) return result;
        if (result.killed === 'closed') throw new Error('The renderer was shut down');
        return null;
      });
    },
    showDescription: (companyId, text) => runNow<'description', null>('description', { text }, companyId, () => null),
    annotate: (companyId, html, links) => runNow<'clicks', null>('clicks', { html, links }, companyId, () => null),
    compileDesign: (companyId, design) => runNow<'design', null>('design', { design }, companyId, () => null),
    readBounceMail: (companyId, mail) => runNow('bounces', { mail }, companyId, () => []),
    async close() {
      await Promise.all([texts.close(), messages.close()]);
    },
  };
}

function orFailure<Result>(result: Result | Killed): Result | RenderFailure {
  return isKilled(result) ? failureOf(result.killed) : result;
}

const FAILURES: Record<Killed['killed'], Pick<RenderFailure, 'error' | 'exceeded'>> = {
  time: { error: 'The template takes too long to render', exceeded: 'time' },
  memory: { error: 'The output of the template or a list in it is too large', exceeded: 'size' },
  crash: { error: 'The template could not be rendered', exceeded: 'interrupted' },
  closed: { error: 'The renderer was shut down', exceeded: 'interrupted' },
};

/** Returns why a template failed whose thread was killed. */
export function failureOf(because: Killed['killed']): RenderFailure {
  return { ok: false, line: null, column: null, ...FAILURES[because] };
}
