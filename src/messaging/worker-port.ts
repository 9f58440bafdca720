import { parentPort } from 'node:worker_threads';

/** What a worker of a pool says to its owner: first that it has loaded, then one answer for each job. */
export type WorkerMessage<Output> = { ready: true } | { value: Output };

/** Turns this thread into a worker of `createWorkerPool`. The handler must not throw: a throw ends the thread. */
export function serveJobs<Input, Output>(handler: (input: Input) => Output | Promise<Output>): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker thread only');
  const send = (message: WorkerMessage<Output>) => port.postMessage(message);
  port.on('message', async (input: Input) => send({ value: await handler(input) }));
  send({ ready: true });
}
