import module from 'node:module';
import { dirname, extname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { monotonicMs } from '../../clock.ts';
import { AppError } from '../../errors.ts';
import { createFairQueue, type Lane } from '../fair-queue.ts';
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
  /** How long an interactive job waits at most, for others or for its thread to load. */
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
  lane: Lane;
}

/** Interactive jobs of one company that wait at most, and for how long by default: beyond either they are refused. */
export const MAX_WAITING = 100;
const MAX_WAIT_MS = 5_000;

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

interface Job<Input, Output> {
  input: Input;
  companyId: number;
  settle(outcome: JobOutcome<Output>): void;
}

/**
 * One thread runs one job at a time. Jobs are structured-cloned there and back. A thread gets no environment variables. An
 * endless loop or a full heap costs this thread only: it is ended and another is started. A company whose job killed a thread
 * keeps its place until the replacement has loaded; otherwise its next job would take the thread that is left for the others.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const waiting = createFairQueue<Job<Input, Output>>({ maxWaiting: MAX_WAITING });
  const threads = new Set<Thread>();
  const perCompany = options.perCompany ?? Math.max(1, options.size >> 1);
  const running = new Map<number, number>();
  let closed = false;

  const count = (companyId: number, change: 1 | -1): void => {
    const held = (running.get(companyId) ?? 0) + change;
    if (held === 0) running.delete(companyId);
    else running.set(companyId, held);
  };
  const mayRun = (companyId: number): boolean => (running.get(companyId) ?? 0) < perCompany;

  class Thread {
    readonly worker = new Worker(ENTRY, {
      env: {},
      execArgv: [],
      resourceLimits: options.resourceLimits,
      workerData: { file: options.file.href, compileCache: compileCache() } satisfies ThreadStart,
    });
    ready = false;
    job: Job<Input, Output> | null = null;
    began = 0;
    /** The company whose job killed the thread before this one: until this one is ready it counts as that company's. */
    replacesOf: number | null;
    timer: NodeJS.Timeout | undefined;

    constructor(replacesOf: number | null) {
      this.replacesOf = replacesOf;
      this.worker.on('message', (message: WorkerMessage<Output>) => {
        if ('ready' in message) this.begin();
        else this.finish({ ended: 'done', value: message.value });
        assign();
      });
      this.worker.on('error', (error: NodeJS.ErrnoException) =>
        this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash'),
      );
      this.worker.on('exit', () => this.end('crash'));
    }

    begin(): void {
      this.ready = true;
      this.freeReplaced();
    }

    freeReplaced(): void {
      if (this.replacesOf !== null) count(this.replacesOf, -1);
      this.replacesOf = null;
    }

    start(job: Job<Input, Output>): void {
      this.job = job;
      this.began = monotonicMs();
      count(job.companyId, 1);
      this.timer = setTimeout(() => void this.watch(job), MEASURED_FROM_MS);
      try {
        this.worker.postMessage(job.input);
      } catch {
        // The input cannot be cloned: the fault of this job, not of the thread.
        this.finish({ ended: 'killed', because: 'crash' });
        queueMicrotask(assign);
      }
    }

    /** Ends the thread when the job has used up its time. The measurement takes 0.2 ms and works during an endless loop, too. */
    async watch(job: Job<Input, Output>, before?: NodeJS.CpuUsage): Promise<void> {
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

    finish(outcome: JobOutcome<Output>): void {
      clearTimeout(this.timer);
      const { job } = this;
      this.job = null;
      if (job === null) return;
      count(job.companyId, -1);
      waiting.charge(job.companyId, monotonicMs() - this.began);
      job.settle(outcome);
    }

    end(because: 'time' | 'memory' | 'crash' | 'closed'): void {
      if (!threads.delete(this)) return;
      this.freeReplaced();
      const companyId = this.job?.companyId ?? null;
      // A thread that cannot even start fails the job that it was started for, or it would be restarted endlessly.
      if (!this.ready && !closed) waiting.take()?.item.settle({ ended: 'killed', because });
      this.finish({ ended: 'killed', because });
      void this.worker.terminate();
      if (companyId !== null && !closed) {
        count(companyId, 1);
        threads.add(new Thread(companyId));
      }
      assign();
    }
  }

  function assign(): void {
    if (closed) return;
    for (const thread of threads) {
      if (!thread.ready || thread.job) continue;
      const next = waiting.take(mayRun);
      if (next === undefined) break;
      thread.start(next.item);
    }
    const free = [...threads].filter((thread) => !thread.ready || !thread.job).length;
    for (let needed = waiting.size - free; needed > 0 && threads.size < options.size; needed -= 1) {
      threads.add(new Thread(null));
    }
  }

  return {
    run(input, { companyId, lane }) {
      return new Promise((resolve) => {
        if (closed) return resolve({ ended: 'killed', because: 'closed' });
        let patience: NodeJS.Timeout | undefined;
        const job: Job<Input, Output> = {
          input,
          companyId,
          settle(outcome) {
            clearTimeout(patience);
            resolve(outcome);
          },
        };
        if (!waiting.add(job, companyId, lane)) return resolve({ ended: 'refused' });
        if (lane === 'interactive') {
          patience = setTimeout(() => {
            if (waiting.remove(job)) resolve({ ended: 'refused' });
          }, options.maxWaitMs ?? MAX_WAIT_MS);
        }
        assign();
      });
    },
    async close() {
      closed = true;
      for (const job of waiting.clear()) job.settle({ ended: 'killed', because: 'closed' });
      const ending = [...threads];
      for (const thread of ending) thread.end('closed');
      await Promise.all(ending.map((thread) => thread.worker.terminate()));
    },
  };
}
