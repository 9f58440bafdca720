import type { LoopFigures } from '../server/loop-figures.ts';
import type { Attack } from './attack.ts';
import { type Bench, during, type Seen, settle, watch } from './attack-run.ts';
import { STEADY_KINDS } from './steady.ts';

/** Limit of a neighbour's 99th percentile, as a multiple of its value without the attack; below NOTHING_MS nobody notices it. */
const GOAL = 3;
const NOTHING_MS = 5;
const HEALTH_GOAL_MS = 100;

/** Prints the neighbour's latency alone and during the attack: the medians of the rounds. */
export async function measure(bench: Bench, attack: Attack): Promise<void> {
  const { target, client, hanging, size, say } = bench;
  await attack.prepare?.(target, client, hanging);
  const idle: Seen[] = [];
  const attacked: Seen[] = [];
  const statuses: Record<string, number> = {};
  let seconds = 0;
  for (let round = 0; round < size.rounds; round++) {
    await settle(bench);
    idle.push(await watch(bench, size.seconds));
    const { outcome, report } = await during(bench, attack, Math.min(attack.connections, size.connections), () =>
      watch(bench, size.seconds),
    );
    attacked.push(outcome);
    seconds += report.seconds;
    for (const [status, n] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + n;
  }
  const healthMax = Math.max(...attacked.map((seen) => seen.healthMax));
  const failed = attacked.reduce((sum, seen) => sum + seen.failed, 0);
  const byStatus = Object.entries(statuses).map(([status, n]) => `${(n / seconds).toFixed(1)}/s ${status}`);
  say(`${attack.name}: ${attack.title}`);
  say(`  responses to the attacker: ${byStatus.join(', ') || 'none'}; the neighbour’s that failed: ${failed}`);
  for (const kind of STEADY_KINDS) {
    const alone = median(idle.map(({ p99 }) => p99[kind]));
    const beside = median(attacked.map(({ p99 }) => p99[kind]));
    const within = beside <= Math.max(GOAL * alone, NOTHING_MS);
    const cells = [alone.toFixed(1), beside.toFixed(1), (beside / alone).toFixed(1), GOAL.toFixed(1)];
    say(`  ${kind.padEnd(10)}${cells.map((cell) => cell.padStart(9)).join('')}${within ? '' : '   above the goal'}`);
  }
  sayLoop(say, 'alone', idle);
  sayLoop(say, 'beside', attacked);
  const alive = healthMax <= HEALTH_GOAL_MS ? '' : '   above the goal';
  say(`  health max${healthMax.toFixed(1).padStart(18)}${`${HEALTH_GOAL_MS}`.padStart(18)}${alive}`);
}

/** Per second, except for the longest. */
function sayLoop(say: Bench['say'], name: string, seen: Seen[]): void {
  const sum = (of: (loop: LoopFigures) => number): number => seen.reduce((total, { loop }) => total + of(loop), 0);
  const seconds = sum(({ wallMs }) => wallMs) / 1_000;
  const most = (of: (loop: LoopFigures) => number): string => Math.max(...seen.map(({ loop }) => of(loop))).toFixed(0);
  const each = (of: (loop: LoopFigures) => number): string => (sum(of) / seconds).toFixed(0);
  say(
    `  event loop ${name.padEnd(7)} ${each((loop) => loop.cpuMs)} ms of the processor, longest block ${most((loop) => loop.longestBlockMs)} ms; ${each((loop) => loop.collections)} collections of garbage in ${each((loop) => loop.collectionMs)} ms, longest ${most((loop) => loop.longestCollectionMs)} ms`,
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
