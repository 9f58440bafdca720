import module from 'node:module';
import { dirname, extname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { monotonicMs } from '../../clock.ts';
import { AppError } from '../../errors.ts';
import { FairQueue, type Hold, type Priority } from '../fair-queue.ts';
import type { ThreadStart } from './entry.ts';
import type { WorkerMessage } from './port.ts';
import { timeLeft } from './processor-time.ts';

export interface WorkerPoolOptions {
  /** A module that calls `serveJobs`. */
  file: URL;
  /** Threads at most; they start when first needed and stay. */
  size: number;
  /** Processor time of one job; a thread that exceeds it is ended. On a busy machine the clock may show up to five times as much. */
  timeLimitMs: number;
  resourceLimits: ResourceLimits;
  /** Threads that one company holds at most, where there are several: half of them by default. */
  perCompany?: number;
  /** How long an interactive job waits at most for others. */
  maxWaitMs?: number;
}

/** The thread's first module. Its name ends as this file's does: in the published package it is compiled. */
const ENTRY = new URL(`./entry${extname(import.meta.url)}`, import.meta.url);

/** The folder that the program enabled, without the part that Node adds for its version. */
function compileCache(): string | undefined {
  const folder = module.getCompileCacheDir();
  return folder && dirname(folder);
}

const RETRY_AFTER_SECONDS = 2;

/** The error of a refused job. */
export function tooBusy(): AppError {
  return new AppError('rate_limited', 'Too many texts of this company are being rendered at once', {
    retry_after: RETRY_AFTER_SECONDS,
  });
}

/** The company of a job, and whether somebody waits for it. */
export interface JobOwner {
  companyId: number;
  priority: Priority;
}

/** Interactive jobs of one company that wait at most, and for how long by default: beyond either they are refused. */
export const MAX_WAITING = 100;
const MAX_WAIT_MS = 5_000;
/**
 * How long an interactive job waits at most for its thread to load. It waits once, after a start or a killed thread, and not for others:
 * on a machine whose processors are all busy loading takes several seconds.
 */
const MAX_LOAD_MS = 20_000;

/** A job's usage is not measured before then: most jobs are done by that time. */
const MEASURED_FROM_MS = 50;

export type JobOutcome<Output> =
  | { ended: 'done'; value: Output }
  | { ended: 'killed'; because: 'time' | 'memory' | 'crash' | 'closed' }
  /** An interactive job, and too many of its company wait already, or it waited too long. */
  | { ended: 'refused' };

export interface WorkerPool<Input, Output> {
  /** Waits for a free thread; companies take turns (see fair-queue.ts). Never rejects. */
  run(input: Input, owner: JobOwner): Promise<JobOutcome<Output>>;
  /** Ends the threads; jobs that wait or run come back as killed because closed. */
  close(): Promise<void>;
}

/**
 * One thread runs one job at a time. Jobs are structured-cloned there and back. A thread gets no environment variables. An
 * endless loop or a full heap costs this thread only: it is ended and another is started. A company whose job killed a thread
 * keeps its place until the replacement has loaded; otherwise its next job would take the thread that is left for the others.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const { size: capacity, perCompany: share, maxWaitMs = MAX_WAIT_MS } = options;
  const places = new FairQueue({ capacity, share, maxWaiting: MAX_WAITING, maxWaitMs });
  const threads = new Set<Thread>();
  let closed = false;

  class Thread {
    readonly worker = new Worker(ENTRY, {
      env: {},
      execArgv: [],
      resourceLimits: options.resourceLimits,
      workerData: { file: options.file.href, compileCache: compileCache() } satisfies ThreadStart,
    });
    private isReady = false;
    private job: Job<Input, Output> | null = null;
    /** While a thread loads that replaces one, the place of the company whose job killed that one. */
    private kept: Hold | null;
    private began = 0;
    private timer: NodeJS.Timeout | undefined;

    constructor(kept: Hold | null) {
      this.kept = kept;
      this.worker.on('message', (message: WorkerMessage<Output>) => {
        if ('ready' in message) this.begin();
        else this.finish({ ended: 'done', value: message.value });
      });
      this.worker.on('error', (error: NodeJS.ErrnoException) =>
        this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash'),
      );
      this.worker.on('exit', () => this.end('crash'));
    }

    /** 0 if the thread can run a job at once, 1 once it has loaded, null if it is not free. */
    get rank(): number | null {
      if (this.job !== null || this.kept !== null) return null;
      return this.isReady ? 0 : 1;
    }

    private begin(): void {
      this.isReady = true;
      this.freeKept();
      if (this.job !== null) this.send(this.job);
    }

    private freeKept(): void {
      const { kept } = this;
      this.kept = null;
      kept?.release();
    }

    start(job: Job<Input, Output>): void {
      this.job = job;
      if (this.isReady) this.send(job);
      else if (job.priority === 'interactive')
        this.timer = setTimeout(() => this.finish({ ended: 'refused' }), MAX_LOAD_MS);
    }

    private send(job: Job<Input, Output>): void {
      clearTimeout(this.timer);
      this.began = monotonicMs();
      this.timer = setTimeout(() => void this.watch(job), MEASURED_FROM_MS);
      try {
        this.worker.postMessage(job.input);
      } catch {
        // The input cannot be cloned: the fault of this job, not of the thread.
        this.finish({ ended: 'killed', because: 'crash' });
      }
    }

    /** Ends the thread when the job has used up its time. The measurement takes 0.2 ms and works during an endless loop, too. */
    private async watch(job: Job<Input, Output>, before?: NodeJS.CpuUsage): Promise<void> {
      let usage: NodeJS.CpuUsage;
      try {
        usage = await this.worker.cpuUsage(before);
      } catch {
        // The thread has ended by itself, and its job with it.
        return;
      }
      if (this.job !== job) return;
      const used = before === undefined ? MEASURED_FROM_MS : MEASURED_FROM_MS + (usage.user + usage.system) / 1_000;
      const left = timeLeft(options.timeLimitMs, { used, passed: monotonicMs() - this.began });
      if (left <= 0) return this.end('time');
      this.timer = setTimeout(() => void this.watch(job, before ?? usage), Math.max(5, left));
    }

    private finish(outcome: JobOutcome<Output>): void {
      clearTimeout(this.timer);
      const { job } = this;
      this.job = null;
      job?.settle(outcome);
      job?.place.release();
    }

    end(because: 'time' | 'memory' | 'crash' | 'closed'): void {
      if (!threads.delete(this)) return;
      clearTimeout(this.timer);
      this.freeKept();
      void this.worker.terminate();
      const { job } = this;
      this.job = null;
      job?.settle({ ended: 'killed', because });
      // A thread that cannot even start is not replaced, or it would be started endlessly.
      if (job !== null && this.isReady && !closed) threads.add(new Thread(job.place));
      else job?.place.release();
    }
  }

  /** There is one for each place: whoever holds a place gets it. */
  function freeThread(): Thread {
    const free = [...threads].filter(({ rank }) => rank !== null).toSorted((a, b) => a.rank! - b.rank!);
    const thread = free[0] ?? new Thread(null);
    threads.add(thread);
    return thread;
  }

  return {
    async run(input, { companyId, priority }) {
      let place: Hold;
      try {
        place = await places.take(companyId, { priority });
      } catch {
        return closed ? { ended: 'killed', because: 'closed' } : { ended: 'refused' };
      }
      if (closed) {
        place.release();
        return { ended: 'killed', because: 'closed' };
      }
      return new Promise((settle) => freeThread().start({ input, priority, place, settle }));
    },
    async close() {
      closed = true;
      places.close(new Error('The threads are closed'));
      const ending = [...threads];
      for (const thread of ending) thread.end('closed');
      await Promise.all(ending.map((thread) => thread.worker.terminate()));
    },
  };
}

interface Job<Input, Output> {
  input: Input;
  priority: Priority;
  place: Hold;
  settle(outcome: JobOutcome<Output>): void;
}
