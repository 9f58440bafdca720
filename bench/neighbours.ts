import { type ChildProcess, fork } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import type { AttackOrder, AttackReport } from './attacker.ts';
import { type Attack, attackNamed, attacks } from './attacks.ts';
import { messageFrom } from './child.ts';
import { Histogram } from './histogram.ts';
import type { Target } from './scenario.ts';
import { STEADY_KINDS, type SteadyKind, type SteadyOrder, type SteadyReport } from './steady.ts';

/** A neighbour's 99th percentile may be so many times what it is alone; where both are below NOTHING_MS, nobody notices. */
const GOAL = 3;
const NOTHING_MS = 5;
const HEALTH_GOAL_MS = 100;
/** The program is compiled as it runs. */
const WARM_UP_SECONDS = 10;
/** What an attack needs to reach its full strength. */
const ATTACK_WARM_UP_SECONDS = 3;
/** Goodput: with so many connections at the best … */
const FEW_CONNECTIONS = [16, 64, 200];
/** … and with ten times as many. */
const MANY_CONNECTIONS = 2_000;
const GOODPUT_GOAL = 0.8;

interface Size {
  contacts: number;
  /** Of the neighbour's requests of each kind, per second. */
  rate: number;
  seconds: number;
  rounds: number;
  /** Of an attack at most. */
  connections: number;
  warmUpSeconds: number;
  /** Between two measurements: what the one before has left is worked off. */
  restSeconds: number;
}

/** Milliseconds of each kind. */
type P99 = Record<SteadyKind, number>;

interface Seen {
  p99: P99;
  /** The slowest health check, in milliseconds. */
  healthMax: number;
  /** The neighbour's requests that were refused or failed. */
  failed: number;
}

interface Bench {
  target: Target;
  client: pg.Client;
  hanging: string;
  size: Size;
  say: (line: string) => void;
}

/** The neighbour's requests at their steady rate, as they are served. */
async function watch({ target, size }: Bench, seconds: number): Promise<Seen> {
  const child = fork(new URL('./steady.ts', import.meta.url));
  const report = messageFrom<SteadyReport>(child, 'The neighbour');
  child.send({ target, rate: size.rate, seconds } satisfies SteadyOrder);
  const seen = await report;
  const quantile = (kind: SteadyKind, q: number): number => new Histogram(seen[kind].counts).quantile(q) / 1000;
  return {
    p99: Object.fromEntries(STEADY_KINDS.map((kind) => [kind, quantile(kind, 0.99)])) as P99,
    healthMax: quantile('health', 1),
    failed: STEADY_KINDS.reduce((sum, kind) => sum + seen[kind].failed, 0),
  };
}

/** The attack at its full strength while `work` lasts. */
async function during<T>(
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

/** Everybody begins with the same: dead rows gone, statistics fresh, nothing left to write to disk. */
async function settle({ client, size }: Bench): Promise<void> {
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  await pause(size.restSeconds * 1_000);
}

async function measure(bench: Bench, attack: Attack): Promise<void> {
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
  const alive = healthMax <= HEALTH_GOAL_MS ? '' : '   above the goal';
  say(`  health max${healthMax.toFixed(1).padStart(18)}${`${HEALTH_GOAL_MS}`.padStart(18)}${alive}`);
}

/** Products created per second, by connections: those beyond what can be done must cost nobody theirs. */
async function overload(bench: Bench): Promise<void> {
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

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Takes connections and never says anything. */
async function hangingServer(): Promise<{ address: string; close(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function bench(only: string[], size: Size): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const hanging = await hangingServer();
  const server = fork(new URL('./server.ts', import.meta.url), [`crowd:${size.contacts}`]);
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const all: Bench = { target, client, hanging: hanging.address, size, say };
    say(`${cpus().length} × ${cpus()[0]?.model ?? ''}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`);
    say(
      `${size.rate}/s of each kind, ${size.rounds} × ${size.seconds} s, beside a company with ${size.contacts} contacts`,
    );
    await watch(all, size.warmUpSeconds);
    const named = only.filter((name) => name !== 'overload').map(attackNamed);
    if (named.length > 0)
      say(
        `  ${'p99 in ms'.padEnd(10)}${['alone', 'beside', 'ratio', 'goal'].map((name) => name.padStart(9)).join('')}`,
      );
    for (const attack of named) await measure(all, attack);
    if (only.includes('overload')) await overload(all);
    await client.end();
  } finally {
    if (server.connected) server.disconnect();
    hanging.close();
  }
}

function wholeNumber(text: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n >= 1 && n <= 1_000_000) return n;
  throw new InvalidArgumentError('It takes a whole number from 1 to 1,000,000.');
}

const ALL = [...attacks.map((attack) => attack.name), 'overload'];
const SMOKE: Size = {
  contacts: 200,
  rate: 5,
  seconds: 1,
  rounds: 1,
  connections: 16,
  warmUpSeconds: 0.3,
  restSeconds: 0,
};

await new Command('neighbours')
  .description(
    'Measure what a company’s requests take while another company does the worst it can. The attacker has a low priority on the processors.',
  )
  .option('--only <names>', `comma-separated: ${ALL.join(', ')}`, (names) => names.split(','), ALL)
  .option('--seconds <n>', 'how long each measurement lasts', wholeNumber, 10)
  .option('--rounds <n>', 'measurements whose median counts', wholeNumber, 3)
  .option('--rate <n>', 'the neighbour’s requests of each kind per second', wholeNumber, 20)
  .option('--contacts <n>', 'contacts of the company that attacks', wholeNumber, 200_000)
  .option('--smoke', 'everything once, too short to say anything')
  .action(
    async (flags: { only: string[]; seconds: number; rounds: number; rate: number; contacts: number; smoke?: true }) =>
      bench(
        flags.only,
        flags.smoke
          ? SMOKE
          : { ...flags, connections: MANY_CONNECTIONS, warmUpSeconds: WARM_UP_SECONDS, restSeconds: 3 },
      ),
  )
  .parseAsync();
