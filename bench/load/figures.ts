import type { Scenario } from '../scenarios/scenario.ts';

/** Rates are per second. */
export interface Figure {
  scenario: string;
  title: string;
  rate: number;
  p50_ms: number;
  p99_ms: number;
  /** Of the server's process at the beginning and at the end of the measurement; null where the system does not provide it. */
  memory_mib: { began: number | null; ended: number | null };
  /** Processor time per item: more stable than rates on a machine that has other work as well. */
  processor_us: { server: number; database: number };
  limit_title: string;
  /** null without pgbench. */
  limit: number | null;
  ratio: number | null;
  goal: Scenario['goal'];
}

/** Items per second, or milliseconds of lateness. */
export interface DrainFigure {
  scenario: string;
  title: string;
  rate: number;
  /** null where it depends on a scenario that was not measured. */
  goal: number | null;
}

export const HEADING = `${'scenario'.padEnd(18)}${['ours', 'limit', 'ratio', 'goal', 'p50 ms', 'p99 ms', 'MiB', 'CPU µs'].map((name) => name.padStart(9)).join('')}`;

export function lineOf(figure: Figure): string {
  const { rate, limit, ratio, goal, p50_ms, p99_ms, memory_mib, processor_us } = figure;
  const cells = [
    rate.toFixed(0),
    limit?.toFixed(0) ?? '–',
    ratio?.toFixed(2) ?? '–',
    typeof goal === 'number' ? goal.toFixed(2) : `${goal.p99Ms} ms`,
    p50_ms.toFixed(2),
    p99_ms.toFixed(2),
    `${memory_mib.began ?? '–'}→${memory_mib.ended ?? '–'}`,
    `${processor_us.server.toFixed(0)}+${processor_us.database.toFixed(0)}`,
  ];
  return `${figure.scenario.padEnd(18)}${cells.map((cell) => cell.padStart(9)).join('')}   ${figure.title} / ${figure.limit_title}`;
}

export const DRAIN_HEADING = `${'work'.padEnd(18)}${['ours', 'goal'].map((name) => name.padStart(9)).join('')}`;

export function drainLineOf({ scenario, rate, goal, title }: DrainFigure): string {
  const cells = [rate, goal].map((cell) => (cell?.toFixed(0) ?? '–').padStart(9));
  return `${scenario.padEnd(18)}${cells.join('')}   ${title}`;
}
