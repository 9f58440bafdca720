import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../load/child-process.ts';
import { type Bench, call, fillList, startCampaign, written } from './campaign.ts';
import { READERS, readProducts } from './product-reads.ts';

const FAN_OUT = 1_000_000;
const FAN_OUT_SECONDS = 15;

/** Measures how long it takes to write a campaign's recipients to the ledger, and the latency of product reads meanwhile. */
export async function fanOut(bench: Bench): Promise<void> {
  await ask(bench.server, 'hold sender');
  const list = await fillList(bench, FAN_OUT);
  const idle = await readProducts(bench.target, 5);
  const reading = readProducts(bench.target, 8);
  await pause(1_500);
  const began = performance.now();
  const campaign = await startCampaign(bench, list);
  await written(bench, campaign);
  const took = (performance.now() - began) / 1000;
  const busy = await reading;
  await call(bench, 'POST', `/campaigns/cancel/${campaign}`);
  await ask(bench.server, 'work');
  bench.say(`campaign-fan-out  ${FAN_OUT} recipients in ${took.toFixed(1)} s, goal ${FAN_OUT_SECONDS.toFixed(1)}`);
  bench.say(
    `                  product reads over ${READERS} connections: p99 ${idle.toFixed(2)} ms idle, ${busy.toFixed(2)} ms meanwhile, ratio ${(busy / idle).toFixed(2)}, goal 3.00`,
  );
}
