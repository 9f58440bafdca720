import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';
import { type Drain, measureDrain } from '../scenarios/drain.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Target } from '../server/target.ts';
import { ask } from './child-process.ts';
import type { DrainFigure, Figure } from './figures.ts';
import { Histogram } from './histogram.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import { runPgbench } from './pgbench.ts';
import { databaseTimeOf, memoryOf, processorTimeOf } from './process-usage.ts';
import { runLoad } from './run-load.ts';

export const CONNECTIONS = 32;
/** The program is compiled as it runs; a shop's server has usually been running for longer than this. */
const WARM_UP_SECONDS = 8;
const LIMIT_WARM_UP_SECONDS = 1;

export interface Bench {
  target: Target;
  server: ChildProcess;
  /** Connected to the bench's own database. */
  client: pg.Client;
  pgbench: string | null;
  seconds: number;
}

/** The limit is measured before and after, so that a machine that slows down or a table that grows favours neither. */
export async function measure(bench: Bench, scenario: Scenario): Promise<Figure> {
  await scenario.prepare?.(bench.target);
  const before = await measureLimit(bench, scenario);
  const ours = await measureOurs(bench, scenario);
  const after = await measureLimit(bench, scenario);
  const limit = before === null || after === null ? null : (before + after) / 2;
  const rate = ours.rate * (scenario.perRequest ?? 1);
  const histogram = new Histogram(ours.counts);
  const items = histogram.total * (scenario.perRequest ?? 1);
  return {
    scenario: scenario.name,
    title: scenario.title,
    rate,
    p50_ms: histogram.quantile(0.5) / 1000,
    p99_ms: histogram.quantile(0.99) / 1000,
    memory_mib: { began: ours.began.memory, ended: ours.ended.memory },
    processor_us: {
      server: (ours.ended.server - ours.began.server) / items,
      database: (ours.ended.database - ours.began.database) / items,
    },
    limit_title: scenario.limit.title,
    limit,
    ratio: limit === null ? null : rate / limit,
    goal: scenario.goal,
  };
}

export async function measureDrainOf(bench: Bench, each: Drain, measured: Figure[]): Promise<DrainFigure> {
  const { target, client, server } = bench;
  const rate = await measureDrain(each, {
    target,
    client,
    settle: () => settle(bench),
    rest: () => ask(server, 'rest'),
    work: () => ask(server, 'work'),
  });
  return { scenario: each.name, title: each.title, rate, goal: goalOf(each, measured) };
}

function goalOf({ goal }: Drain, measured: Figure[]): number | null {
  if (typeof goal === 'number') return goal;
  const beside = measured.find((figure) => figure.scenario === goal.of.name);
  return beside === undefined ? null : beside.rate * goal.ratio;
}

async function measureLimit(bench: Bench, scenario: Scenario): Promise<number | null> {
  const { pgbench, target, seconds } = bench;
  if (pgbench === null) return null;
  await settle(bench);
  // Background work on rows that pgbench writes would take processor time from it.
  await ask(bench.server, 'rest');
  const load = { script: scenario.limit.script(target), connections: connectionsOf(scenario) };
  await runPgbench(pgbench, target.database, { ...load, seconds: LIMIT_WARM_UP_SECONDS });
  const rate = await runPgbench(pgbench, target.database, { ...load, seconds });
  // Nor should the server do that work afterwards.
  await bench.client.query('truncate outbox');
  await ask(bench.server, 'work');
  return rate * (scenario.limit.perTransaction ?? 1);
}

function connectionsOf(scenario: Scenario): number {
  return scenario.connections ?? CONNECTIONS;
}

/** Memory in MiB and processor time in microseconds at one moment. */
interface Usage {
  memory: number | null;
  server: number;
  database: number;
}

async function usageOf({ server, client }: Bench): Promise<Usage> {
  const pid = server.pid!;
  return { memory: await memoryOf(pid), server: await processorTimeOf(pid), database: await databaseTimeOf(client) };
}

async function measureOurs(bench: Bench, scenario: Scenario): Promise<LoadReport & { began: Usage; ended: Usage }> {
  await settle(bench);
  const order: LoadOrder = {
    scenario: scenario.name,
    target: bench.target,
    connections: connectionsOf(scenario),
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: bench.seconds,
  };
  const { report, warm: began } = await runLoad(order, () => usageOf(bench));
  return { ...report, began, ended: await usageOf(bench) };
}

/** Each side starts from the same state: dead rows gone, statistics fresh, nothing left to write to disk. */
async function settle({ client }: Bench): Promise<void> {
  await client.query("select fold_deltas('counter')");
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
}
