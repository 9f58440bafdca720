import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { WorkerMessage } from './worker-port.ts';

export interface WorkerPoolOptions {
  /** A module that calls `serveJobs`. */
  file: URL;
  /** Threads at most; they start when first needed and stay. */
  size: number;
  /** From the hand-over of a job to its answer; then the thread is ended whatever it does. */
  timeLimitMs: number;
  resourceLimits: ResourceLimits;
}

export type JobOutcome<Output> =
  | { ended: 'answered'; value: Output }
  | { ended: 'killed'; because: 'time' | 'memory' | 'crash' | 'closed' };

export interface WorkerPool<Input, Output> {
  /** Waits for a free thread, first come first served. Never rejects. */
  run(input: Input): Promise<JobOutcome<Output>>;
  /** Ends the threads; jobs that wait or run come back as killed because closed. */
  close(): Promise<void>;
}

interface Job<Input, Output> {
  input: Input;
  settle(outcome: JobOutcome<Output>): void;
}

/**
 * One thread, one job at a time. Jobs are structured-cloned there and back. A thread gets no environment variables. An
 * endless loop and a full heap cost this thread only: it is ended and the next job starts another.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const waiting: Job<Input, Output>[] = [];
  const threads = new Set<Thread>();
  let closed = false;

  class Thread {
    readonly worker = new Worker(options.file, { env: {}, execArgv: [], resourceLimits: options.resourceLimits });
    ready = false;
    job: Job<Input, Output> | null = null;
    timer: NodeJS.Timeout | undefined;

    constructor() {
      this.worker.on('message', (message: WorkerMessage<Output>) => {
        if ('ready' in message) this.ready = true;
        else this.finish({ ended: 'answered', value: message.value });
        assign();
      });
      this.worker.on('error', (error: NodeJS.ErrnoException) =>
        this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash'),
      );
      this.worker.on('exit', () => this.end('crash'));
    }

    start(job: Job<Input, Output>): void {
      this.job = job;
      this.timer = setTimeout(() => this.end('time'), options.timeLimitMs);
      try {
        this.worker.postMessage(job.input);
      } catch {
        // The input cannot be cloned: this job's fault, not the thread's.
        this.finish({ ended: 'killed', because: 'crash' });
        queueMicrotask(assign);
      }
    }

    finish(outcome: JobOutcome<Output>): void {
      clearTimeout(this.timer);
      const { job } = this;
      this.job = null;
      job?.settle(outcome);
    }

    end(because: 'time' | 'memory' | 'crash' | 'closed'): void {
      if (!threads.delete(this)) return;
      // One that cannot even start fails the job that it was started for, or it would be started again without end.
      if (!this.ready && !closed) this.job = waiting.shift() ?? null;
      this.finish({ ended: 'killed', because });
      void this.worker.terminate();
      assign();
    }
  }

  function assign(): void {
    if (closed) return;
    for (const thread of threads) {
      if (!thread.ready || thread.job) continue;
      const job = waiting.shift();
      if (!job) return;
      thread.start(job);
    }
    const starting = [...threads].filter((thread) => !thread.ready).length;
    for (let needed = waiting.length - starting; needed > 0 && threads.size < options.size; needed -= 1) {
      threads.add(new Thread());
    }
  }

  return {
    run(input) {
      return new Promise((settle) => {
        if (closed) return settle({ ended: 'killed', because: 'closed' });
        waiting.push({ input, settle });
        assign();
      });
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.settle({ ended: 'killed', because: 'closed' });
      const ending = [...threads];
      for (const thread of ending) thread.end('closed');
      await Promise.all(ending.map((thread) => thread.worker.terminate()));
    },
  };
}
