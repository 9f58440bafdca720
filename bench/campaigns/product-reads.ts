import { fork } from 'node:child_process';
import { messageFrom } from '../load/child-process.ts';
import { Histogram } from '../load/histogram.ts';
import type { LoadOrder, LoadReport } from '../load/load.ts';
import type { Target } from '../server/target.ts';

export const READERS = 4;

/** The 99th percentile of product reads over READERS connections, in milliseconds. */
export async function readProducts(target: Target, seconds: number): Promise<number> {
  const load = fork(new URL('../load/load.ts', import.meta.url));
  const report = messageFrom<LoadReport>(load, 'The load');
  const order: LoadOrder = { scenario: 'product-by-id', target, connections: READERS, warmUpSeconds: 1, seconds };
  load.send(order);
  const { failure, counts } = await report;
  if (failure !== null) throw new Error(failure);
  return new Histogram(counts).quantile(0.99) / 1000;
}
