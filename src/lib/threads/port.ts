import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** Messages from a worker of a pool to its owner: first that it has loaded, then one response for each job. */
export type WorkerMessage<Output> = { ready: true } | { value: Output };

/**
 * Turns this thread into a worker of `createWorkerPool`. The handler must not throw: a throw ends the thread. `movedOf`
 * returns the buffers of a response to transfer instead of copying.
 */
export function serveJobs<Input, Output>(
  handler: (input: Input) => Output | Promise<Output>,
  movedOf: (output: Output) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker thread only');
  port.on('message', async (input: Input) => {
    const value = await handler(input);
    port.postMessage({ value } satisfies WorkerMessage<Output>, movedOf(value));
  });
  yieldProcessor();
  port.postMessage({ ready: true } satisfies WorkerMessage<Output>);
}

/** The `nice` value: with all processors busy, a job gets a third of the time that the main thread gets, which serves everybody. */
const PRIORITY = 5;

/** Lowers the priority of the calling thread. Only on Linux does that apply to a thread and not to the whole process. */
function yieldProcessor(): void {
  if (process.platform === 'linux') setPriority(PRIORITY);
}
