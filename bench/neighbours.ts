import { fork } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { loopFiguresOf, messageFrom } from './load/child-process.ts';
import { type Bench, type Size, watch } from './neighbours/attack-run.ts';
import { attackNamed, attacks } from './neighbours/attacks.ts';
import { measure } from './neighbours/latency.ts';
import { MANY_CONNECTIONS, overload } from './neighbours/overload.ts';
import type { Target } from './server/target.ts';

/** The program is compiled as it runs. */
const WARM_UP_SECONDS = 10;

/** A server that accepts connections and never responds. */
async function hangingServer(): Promise<{ address: string; close(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function bench(only: string[], size: Size): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const hanging = await hangingServer();
  const server = fork(new URL('./server/server.ts', import.meta.url), [`crowd:${size.contacts}`]);
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const all: Bench = { target, client, hanging: hanging.address, size, say, loop: () => loopFiguresOf(server) };
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
