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
  port.postMessage({ ready: true } satisfies WorkerMessage<Output>);
}
