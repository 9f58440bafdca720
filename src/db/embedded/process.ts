import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { monotonicMs } from '../../clock.ts';

/** A PostgreSQL server that lives on a data folder, no matter who started it. */
export interface ServerProcess {
  pid: number;
  socketFolder: string;
  /** `stopping` includes the time in which it waits for its last clients. */
  status: 'starting' | 'ready' | 'stopping';
}

const STOP_TIMEOUT_MS = 30_000;

/**
 * Finds the server on a cluster's folder, by the file that PostgreSQL itself keeps there. After a crash that file is
 * stale and its number may by now be another process's, so the process must also have been started on this very folder.
 * @param folder the cluster's folder, as passed to the server
 */
export async function findServer(folder: string): Promise<ServerProcess | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await servesFolder(pid, folder))) return undefined;
  const status = lines[7]?.trim();
  return {
    pid,
    socketFolder: lines[4] ?? '',
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
}

/**
 * Ends the server on a folder, if there is one: open transactions are rolled back and a checkpoint is written. A server
 * that has not ended after 30 s is killed; its data is safe and is recovered at the next start.
 */
export async function stopServer(folder: string): Promise<void> {
  for (const kind of ['SIGINT', 'SIGQUIT'] as const) {
    const server = await findServer(folder);
    if (!server) return;
    signal(server, kind);
    const deadline = monotonicMs() + STOP_TIMEOUT_MS;
    while (monotonicMs() < deadline) {
      if (!(await servesFolder(server.pid, folder))) return;
      await sleep(10);
    }
  }
  throw new Error(`The PostgreSQL server on ${folder} does not stop: end its process by hand.`);
}

/** `SIGINT` is PostgreSQL's fast shutdown, `SIGQUIT` its immediate one. A server that is gone already is no error. */
export function signal(server: ServerProcess, kind: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(server.pid, kind);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** False for a process that has ended but was not reaped, too: its command line is empty. */
async function servesFolder(pid: number, folder: string): Promise<boolean> {
  return `${await commandLine(pid)} `.includes(` -D ${folder} `);
}

async function commandLine(pid: number): Promise<string> {
  const words =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
      : promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout.trim());
  // No such process, or one that this user may not look at.
  return words.catch(() => '');
}
