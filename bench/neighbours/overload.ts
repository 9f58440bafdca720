import { setTimeout as pause } from 'node:timers/promises';
import { Histogram } from '../load/histogram.ts';
import { type Bench, during, settle } from './attack-run.ts';
import { attackNamed } from './attacks.ts';

/** Goodput: with so many connections at the best … */
const FEW_CONNECTIONS = [16, 64, 200];
/** … and with ten times as many. */
export const MANY_CONNECTIONS = 2_000;
const GOODPUT_GOAL = 0.8;

/** Measures products created per second, by connections: those beyond the capacity must not reduce the total. */
export async function overload(bench: Bench): Promise<void> {
  const { size, say } = bench;
  const attack = attackNamed('connections');
  const goodput = async (connections: number): Promise<number> => {
    await settle(bench);
    const { report } = await during(bench, attack, connections, () => pause(size.seconds * 1_000));
    const created = (report.statuses[201] ?? 0) / report.seconds;
    const refused = (report.statuses[429] ?? 0) / report.seconds;
    const others = Object.entries(report.statuses).filter(([status]) => status !== '201' && status !== '429');
    const p99 = new Histogram(report.counts).quantile(0.99) / 1000;
    const rest = others.map(([status, n]) => `, ${n} × ${status}`).join('');
    say(
      `  ${`${connections}`.padStart(5)} connections: ${created.toFixed(0)} created/s, p99 ${p99.toFixed(0)} ms, ${refused.toFixed(0)} refused/s${rest}`,
    );
    return created;
  };
  say('overload: products created per second');
  const few: number[] = [];
  for (const connections of FEW_CONNECTIONS.filter((n) => n <= size.connections)) few.push(await goodput(connections));
  const most = await goodput(Math.min(MANY_CONNECTIONS, 2 * size.connections));
  const ratio = most / Math.max(...few);
  say(`  ratio ${ratio.toFixed(2)}, goal ${GOODPUT_GOAL}${ratio >= GOODPUT_GOAL ? '' : '   below the goal'}`);
}
