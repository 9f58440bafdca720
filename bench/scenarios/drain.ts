import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Need, Target } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

/** Work of the server's workers: accumulated while they rest, then timed until it is all done. */
export interface Drain {
  name: string;
  title: string;
  /** Runs once, before everything else: creates what the work needs in addition to the shops. */
  prepare?(target: Target, client: pg.Client): Promise<void>;
  /** Creates the work; returns the number of items. */
  fill(target: Target, client: pg.Client): Promise<number>;
  /** Whether nothing is left. Polled while the workers work, so it has to be cheap. */
  done(target: Target, client: pg.Client): Promise<boolean>;
  needs?: Need;
  /** Where lateness is measured instead of a rate: that of the last round, in milliseconds. */
  late?(): number;
  /** The goal: items per second, or their ratio to the rate of a scenario of the same run; for lateness, the milliseconds allowed. */
  goal: number | { ratio: number; of: Scenario };
}

/** The first round is not measured: the program is not warm yet. */
const ROUNDS = 4;
/** A lateness round lasts as long as its load. */
const LATENESS_ROUNDS = 2;
const LOOK_AGAIN_MS = 5;
const PATIENCE_MS = 300_000;

/** What the measurement needs from the runner. */
export interface DrainHands {
  target: Target;
  client: pg.Client;
  /** Resets to a common state. */
  settle(): Promise<void>;
  rest(): Promise<void>;
  work(): Promise<void>;
}

/** Items per second over all rounds except the first, or lateness. */
export async function measureDrain(drain: Drain, hands: DrainHands): Promise<number> {
  const { target, client } = hands;
  await drain.prepare?.(target, client);
  let items = 0;
  let ms = 0;
  const rounds = drain.late === undefined ? ROUNDS : LATENESS_ROUNDS;
  for (let round = 0; round < rounds; round++) {
    await hands.rest();
    const filled = await drain.fill(target, client);
    await hands.settle();
    const began = performance.now();
    await hands.work();
    while (!(await drain.done(target, client))) {
      if (performance.now() - began > PATIENCE_MS) throw new Error(`${drain.name}: the work finds no end`);
      await sleep(LOOK_AGAIN_MS);
    }
    if (round === 0) continue;
    items += filled;
    ms += performance.now() - began;
  }
  return drain.late?.() ?? (items * 1000) / ms;
}
