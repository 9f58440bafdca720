import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { ask, databaseTimeOf, memoryOf, messageFrom, processorTimeOf } from './child.ts';
import { type Drain, measureDrain } from './drain.ts';
import { Histogram } from './histogram.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import type { Scenario, Target } from './scenario.ts';
import { drains, measurableNamed, scenarios } from './scenarios.ts';

const CONNECTIONS = 32;
/** The program is compiled as it runs: a shop's server has been running for longer than this. */
const WARM_UP_SECONDS = 8;
const LIMIT_WARM_UP_SECONDS = 1;

/** Rates are per second. */
interface Figure {
  scenario: string;
  title: string;
  rate: number;
  p50_ms: number;
  p99_ms: number;
  /** Of the server's process when the measurement began and when it ended; null where the system does not tell. */
  memory_mib: { began: number | null; ended: number | null };
  /** Processor time of one item: steadier than rates on a machine that does other work as well. */
  processor_us: { server: number; database: number };
  limit_title: string;
  /** null without pgbench. */
  limit: number | null;
  ratio: number | null;
  goal: Scenario['goal'];
}

/** Items per second, or milliseconds of lateness. */
interface DrainFigure {
  scenario: string;
  title: string;
  rate: number;
  /** null where it hangs on a scenario that was not measured. */
  goal: number | null;
}

interface Bench {
  target: Target;
  server: ChildProcess;
  /** To the bench's own database. */
  client: pg.Client;
  pgbench: string | null;
  seconds: number;
}

/** The limit is measured before and after, so that a machine that slows down or a table that grows favours neither. */
async function measure(bench: Bench, scenario: Scenario): Promise<Figure> {
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

async function drain(bench: Bench, each: Drain, measured: Figure[]): Promise<DrainFigure> {
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
  // Background work on what pgbench writes would take the processor from it.
  await ask(bench.server, 'rest');
  const load = { script: scenario.limit.script(target), connections: connectionsOf(scenario) };
  await runPgbench(pgbench, target.database, { ...load, seconds: LIMIT_WARM_UP_SECONDS });
  const rate = await runPgbench(pgbench, target.database, { ...load, seconds });
  // Nor is it ours to do afterwards.
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
  const load = fork(new URL('./load.ts', import.meta.url));
  const report = messageFrom<LoadReport>(load, 'The load');
  const order: LoadOrder = {
    scenario: scenario.name,
    target: bench.target,
    connections: connectionsOf(scenario),
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: bench.seconds,
  };
  load.send(order);
  const began = await Promise.race([sleep(WARM_UP_SECONDS * 1000), report]).then(() => usageOf(bench));
  const measured = await report;
  if (measured.failure !== null) throw new Error(`${scenario.name}: ${measured.failure}`);
  return { ...measured, began, ended: await usageOf(bench) };
}

/** Everybody begins with the same: dead rows gone, statistics fresh, nothing left to write to disk. */
async function settle({ client }: Bench): Promise<void> {
  await client.query('select fold_list_counts()');
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
}

interface Options {
  only: (Scenario | Drain)[];
  seconds: number;
  json: boolean;
}

async function bench(options: Options): Promise<void> {
  const say = options.json ? () => {} : (line: string) => process.stdout.write(`${line}\n`);
  const pgbench = await findPgbench();
  if (pgbench === null) {
    say('There is no pgbench on this machine (Debian: apt install postgresql-contrib): figures come without limits.');
  }
  const needs = [...new Set(options.only.flatMap((scenario) => scenario.needs ?? []))];
  const server = fork(new URL('./server.ts', import.meta.url), needs);
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
    const machine = {
      processors: availableParallelism(),
      model: cpus()[0]?.model ?? '',
      node: process.version,
      postgres: rows[0]!.version,
      connections: CONNECTIONS,
      seconds: options.seconds,
    };
    say(`${machine.processors} × ${machine.model}, Node ${machine.node}, PostgreSQL ${machine.postgres}`);
    say(`${CONNECTIONS} connections where nothing else is said, ${options.seconds} s each, rates per second`);
    const bench = { target, server, client, pgbench, seconds: options.seconds };
    const figures: Figure[] = [];
    const drained: DrainFigure[] = [];
    for (const each of options.only) {
      if ('fill' in each) {
        if (drained.length === 0) say(DRAIN_HEADING);
        const figure = await drain(bench, each, figures);
        drained.push(figure);
        say(drainLineOf(figure));
      } else {
        if (figures.length === 0) say(HEADING);
        const figure = await measure(bench, each);
        figures.push(figure);
        say(lineOf(figure));
      }
    }
    if (options.json) process.stdout.write(`${JSON.stringify({ machine, figures, drains: drained }, null, 2)}\n`);
    await client.end();
  } finally {
    // It stops when it is left alone, whatever ended the run.
    if (server.connected) server.disconnect();
  }
}

const HEADING = `${'scenario'.padEnd(18)}${['ours', 'limit', 'ratio', 'goal', 'p50 ms', 'p99 ms', 'MiB', 'CPU µs'].map((name) => name.padStart(9)).join('')}`;

function lineOf(figure: Figure): string {
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

const DRAIN_HEADING = `${'work'.padEnd(18)}${['ours', 'goal'].map((name) => name.padStart(9)).join('')}`;

function drainLineOf({ scenario, rate, goal, title }: DrainFigure): string {
  const cells = [rate, goal].map((cell) => (cell?.toFixed(0) ?? '–').padStart(9));
  return `${scenario.padEnd(18)}${cells.join('')}   ${title}`;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 600) return seconds;
  throw new InvalidArgumentError('It takes a whole number from 1 to 600.');
}

await new Command('bench')
  .description('Measure the product under load, each figure beside what the machine can do at most.')
  .option(
    '--only <names>',
    `scenarios, comma-separated: ${[...scenarios, ...drains].map((each) => each.name).join(', ')}`,
    (names) => names.split(',').map(measurableNamed),
  )
  .option('--seconds <n>', 'how long each measurement lasts', parseSeconds, 8)
  .option('--json', 'print JSON')
  .action(async (flags: { only?: Options['only']; seconds: number; json?: boolean }) =>
    bench({ only: flags.only ?? [...scenarios, ...drains], seconds: flags.seconds, json: flags.json ?? false }),
  )
  .parseAsync();
