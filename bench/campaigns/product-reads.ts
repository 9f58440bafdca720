import { Histogram } from '../load/histogram.ts';
import type { LoadOrder } from '../load/load.ts';
import { runLoad } from '../load/run-load.ts';
import type { Target } from '../server/target.ts';

export const READERS = 4;

/** The 99th percentile of product reads over READERS connections, in milliseconds. */
export async function readProducts(target: Target, seconds: number): Promise<number> {
  const order: LoadOrder = { scenario: 'product-by-id', target, connections: READERS, warmUpSeconds: 1, seconds };
  const { report } = await runLoad(order, async () => {});
  return new Histogram(report.counts).quantile(0.99) / 1000;
}
