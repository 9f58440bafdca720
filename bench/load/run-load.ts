import { fork } from 'node:child_process';
import { messageFrom } from './child-process.ts';
import type { LoadOrder, LoadReport } from './load.ts';

/** Runs a load in a process of its own. Calls `warm` when the warm-up ends and the measurement begins. Throws if the result is invalid. */
export async function runLoad<Warm>(
  order: LoadOrder,
  warm: () => Promise<Warm>,
): Promise<{ report: LoadReport; warm: Warm }> {
  const load = fork(new URL('./load.ts', import.meta.url));
  const isWarm = messageFrom<'warm'>(load, 'The load');
  load.send(order);
  await isWarm;
  const end = messageFrom<LoadReport>(load, 'The load');
  const [asked, report] = await Promise.all([warm(), end]);
  if (report.failure !== null) throw new Error(`${order.scenario}: ${report.failure}`);
  return { report, warm: asked };
}
