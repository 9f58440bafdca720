import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, inject } from 'vitest';
import { monotonicMs } from '../clock.ts';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded/embedded.ts';
import { stopServer } from '../db/embedded/process.ts';
import { dataRoot } from './data-root.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'src', 'main.ts');

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Lines about database servers that were left on this machine, which are not in `stderr`. */
  left: string[];
}

/** What a start says of database servers that other programs left on this machine: no affair of most tests. */
const OF_OTHERS = /^A PostgreSQL server that no program uses still runs on .*\n/gm;

/** A `tradeloom start` in a process of its own. */
export interface Program {
  process: ChildProcess;
  /** http://127.0.0.1:port */
  origin: string;
  /** What the terminal shows. */
  stdout(): string;
  /** Sends a signal and waits for the end. */
  end(signal: Signal): Promise<Outcome>;
  /** The same, and to all processes that the start made, as a terminal does on Ctrl-C: only of one with `group`. */
  endGroup(signal: Signal): Promise<Outcome>;
}

type Signal = 'SIGTERM' | 'SIGINT' | 'SIGKILL';

/** Settings of the machine that runs the tests must not reach the programs under test. */
function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, TRADELOOM_PRINT_SECRETS: '1', ...own };
}

/** Runs one command to its end: in this process, since a process of its own takes longer to start than most commands take. */
export async function tradeloom(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  // This one ends its process.
  if (args[0] === 'start') return tradeloomProcess(args, env);
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  await before;
  const outcome = { stdout: '', stderr: '' };
  const restored = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = (chunk: string | Uint8Array, encoding?: unknown, callback?: unknown) => {
      outcome[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      for (const done of [encoding, callback]) if (typeof done === 'function') process.nextTick(done);
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  const { env: all, exitCode } = process;
  process.env = environment(env);
  process.exitCode = undefined;
  try {
    const { run } = await import('../cli/program.ts');
    return { code: await run(args), left: [], ...outcome };
  } finally {
    process.env = all;
    process.exitCode = exitCode;
    for (const restore of restored) restore();
    resolve();
  }
}

/** Commands in this process run one after the other: each has the environment and the output of the process for itself. */
let last: Promise<void> = Promise.resolve();

/** Runs one command to its end, in a process of its own, as a terminal does. */
export async function tradeloomProcess(
  args: string[],
  env: Record<string, string> = {},
  main: string = MAIN,
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...args], { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  return outcomeOf(child);
}

/** Starts a server on a free port and waits until it is ready. Throws what it said when it ends instead. */
export async function startProgram(
  args: string[],
  env: Record<string, string> = {},
  main: string = MAIN,
): Promise<Program> {
  return startBy([process.execPath, main, 'start', '--port', '0', ...args], env);
}

/** Starts a program that only works in the background, of which nothing tells that it is ready. */
export function startWorkerProgram(
  env: Record<string, string>,
  main: string = MAIN,
  flags: string[] = [],
): Pick<Program, 'end'> {
  const args = [main, 'start', '--role', 'worker', ...flags];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = outcomeOf(child);
  return {
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** The same by `npm start` in a checkout, in a process group of its own. */
export async function npmStart(env: Record<string, string>, cwd = ROOT): Promise<Program> {
  return startBy(['npm', 'start'], { PORT: '0', ...env }, { group: true, cwd });
}

async function startBy(
  [command, ...words]: string[],
  env: Record<string, string>,
  { group = false, cwd = ROOT } = {},
): Promise<Program> {
  const child = spawn(command!, words, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: group,
  });
  const ended = outcomeOf(child);
  let stdout = '';
  child.stdout.on('data', (chunk: string) => {
    stdout += chunk;
  });
  void ended.catch(() => {});
  const deadline = monotonicMs() + 120_000;
  let origin: string | undefined;
  while (origin === undefined) {
    if (child.exitCode !== null || monotonicMs() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The program did not start: ${JSON.stringify(await ended)}`);
    }
    origin = /^Admin app +(http:\/\/\S+)\/admin\//m.exec(stdout)?.[1];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    process: child,
    origin,
    stdout: () => stdout,
    async end(signal) {
      child.kill(signal);
      return ended;
    },
    async endGroup(signal) {
      if (!group) throw new Error('The program has no process group of its own');
      process.kill(-child.pid!, signal);
      return ended;
    },
  };
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const outcome = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      outcome[name] += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const { stdout, stderr } = outcome;
  return { code, stdout, stderr: stderr.replace(OF_OTHERS, ''), left: stderr.match(OF_OTHERS) ?? [] };
}

/**
 * An empty data folder, whose database is ended and removed when the file's tests are done. With `serverRuns` its server runs all the
 * while, so that the commands of a test share it instead of starting and ending one each. With `prepared` it has the database that a
 * first start makes, without a row: for tests of something else than the first start.
 */
export function temporaryDataFolder({ serverRuns = false, prepared = false } = {}): string {
  const folder = mkdtempSync(join(dataRoot(), 'tradeloom-program-'));
  if (prepared) copyPreparedDatabase(folder);
  let server: EmbeddedPostgres | undefined;
  if (serverRuns) {
    beforeAll(async () => {
      server = await startEmbedded({ dataDir: folder, log: () => {}, extraSettings: { fsync: 'off' } });
    });
  }
  afterAll(async () => {
    await server?.stop();
    await stopServer(join(folder, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Gives a data folder the database that a first start makes, without a row; leaves it to the first start with TEST_DATABASE_URL. */
export function copyPreparedDatabase(folder: string): void {
  const cluster = inject('preparedCluster');
  if (cluster === null) return;
  cpSync(cluster, join(folder, 'postgres'), { recursive: true });
  chmodSync(join(folder, 'postgres'), 0o700);
}
