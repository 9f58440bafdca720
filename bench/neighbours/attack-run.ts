import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { messageFrom } from '../load/child-process.ts';
import { Histogram } from '../load/histogram.ts';
import type { LoopFigures } from '../server/loop-figures.ts';
import type { Target } from '../server/target.ts';
import type { Attack } from './attack.ts';
import type { AttackOrder, AttackReport } from './attacker.ts';
import { STEADY_KINDS, type SteadyKind, type SteadyOrder, type SteadyReport } from './steady.ts';

/** Seconds that an attack needs to reach its full strength. */
const ATTACK_WARM_UP_SECONDS = 3;

export interface Size {
  contacts: number;
  /** The neighbour's requests of each kind per second. */
  rate: number;
  seconds: number;
  rounds: number;
  /** Maximum number of an attack's connections. */
  connections: number;
  warmUpSeconds: number;
  /** Pause between two measurements, in which leftover work is done. */
  restSeconds: number;
}

/** Milliseconds of each kind. */
type P99 = Record<SteadyKind, number>;

export interface Seen {
  loop: LoopFigures;
  p99: P99;
  /** The slowest health check, in milliseconds. */
  healthMax: number;
  /** The neighbour's requests that were refused or failed. */
  failed: number;
}

export interface Bench {
  target: Target;
  client: pg.Client;
  hanging: string;
  size: Size;
  say: (line: string) => void;
  /** Returns what the server's event loop did since the last call. */
  loop: () => Promise<LoopFigures>;
}

/** Sends the neighbour's requests at their steady rate and records how they are served. */
export async function watch({ target, size, loop }: Bench, seconds: number): Promise<Seen> {
  const child = fork(new URL('./steady.ts', import.meta.url));
  const report = messageFrom<SteadyReport>(child, 'The neighbour');
  child.send({ target, rate: size.rate, seconds } satisfies SteadyOrder);
  await loop();
  const seen = await report;
  const quantile = (kind: SteadyKind, q: number): number => new Histogram(seen[kind].counts).quantile(q) / 1000;
  return {
    loop: await loop(),
    p99: Object.fromEntries(STEADY_KINDS.map((kind) => [kind, quantile(kind, 0.99)])) as P99,
    healthMax: quantile('health', 1),
    failed: STEADY_KINDS.reduce((sum, kind) => sum + seen[kind].failed, 0),
  };
}

/** Runs `work` while the attack is at its full strength. */
export async function during<T>(
  { target, size }: Bench,
  attack: Attack,
  connections: number,
  work: () => Promise<T>,
): Promise<{ outcome: T; report: AttackReport }> {
  const attacker = fork(new URL('./attacker.ts', import.meta.url));
  try {
    attacker.send({ attack: attack.name, target, connections } satisfies AttackOrder);
    await pause(Math.min(ATTACK_WARM_UP_SECONDS, size.warmUpSeconds) * 1_000);
    attacker.send('measure');
    const outcome = await work();
    return { outcome, report: await endOf(attacker) };
  } finally {
    attacker.kill();
  }
}

async function endOf(attacker: ChildProcess): Promise<AttackReport> {
  const report = messageFrom<AttackReport>(attacker, 'The attacker');
  attacker.send('end');
  return report;
}

/** Each side starts from the same state: dead rows gone, statistics fresh, nothing left to write to disk. */
export async function settle({ client, size }: Bench): Promise<void> {
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  await pause(size.restSeconds * 1_000);
}
