import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { stopServer } from './process.ts';

const run = promisify(execFile);

/** A folder for one test; its server is stopped and all of it removed at the end of `await using`. */
export async function scratchFolder(name = 'data'): Promise<{ path: string } & AsyncDisposable> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'tradeloom-test-')));
  const path = join(base, name);
  await mkdir(path, { recursive: true });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await stopServer(join(path, 'postgres'));
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Root bypasses permissions, so for root the folder is mounted over itself. */
export async function makeReadOnly(folder: string): Promise<AsyncDisposable> {
  if (process.geteuid!() !== 0) {
    await chmod(folder, 0o500);
    return { [Symbol.asyncDispose]: () => chmod(folder, 0o700) };
  }
  await run('mount', ['--bind', folder, folder]);
  await run('mount', ['-o', 'remount,bind,ro', folder]);
  return mounted(folder);
}

/** Mounts a file system of `megabytes` at the folder. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<AsyncDisposable> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  return mounted(folder);
}

function mounted(folder: string): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await run('umount', [folder]);
    },
  };
}

export function mayMakeReadOnly(): boolean {
  return process.geteuid!() !== 0 || mayMount();
}

/** Mounting takes a root with all its capabilities, which most containers do not have. */
export function mayMount(): boolean {
  if (process.geteuid!() !== 0) return false;
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What a program that starts the embedded server reports about it. */
export interface Report {
  error?: string;
  adopted?: boolean;
  firstStart?: boolean;
}

const PROGRAM = `
  import { startEmbedded } from '${new URL('./embedded.ts', import.meta.url)}';
  const [dataDir, settings] = process.argv.slice(1);
  const say = (report) => console.log(JSON.stringify(report));
  setInterval(() => undefined, 60_000);
  try {
    say(await startEmbedded({ dataDir, log: () => undefined, extraSettings: JSON.parse(settings) }));
  } catch (error) {
    say({ error: error.message });
  }
`;

/**
 * Another program on the data folder. It stays, with its server or its error, until it is killed; `report` is empty
 * when it is killed before it reports.
 */
export function startProgram(
  dataDir: string,
  settings: Record<string, string> = { fsync: 'off' },
): { child: ChildProcess; report: Promise<Report>; kill(): Promise<void> } {
  const args = ['--input-type=module', '-e', PROGRAM, dataDir, JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const report = new Promise<Report>((resolve) => {
    createInterface(child.stdout!)
      .once('line', (line) => resolve(JSON.parse(line) as Report))
      .once('close', () => resolve({}));
  });
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { child, report, kill };
}
