import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type pg from 'pg';

/** Of `nice`: with all processors busy, such a server process gets a third of the time that another one gets. */
const LOWER = 5;

/**
 * Lowers the priority of the server process behind a connection, where it runs on this machine and may be changed: the embedded
 * server's, connected by its socket, on Linux. Elsewhere the operator's own settings hold.
 */
export async function lowerPriority(settings: pg.ClientConfig, pid: number | null): Promise<void> {
  if (pid === null || process.platform !== 'linux' || settings.host?.startsWith('/') !== true) return;
  if (!(await isServerProcess(pid))) return;
  try {
    setPriority(pid, LOWER);
  } catch (error) {
    // Another account's server. One that has ended meanwhile needs nothing.
    if (!['EACCES', 'EPERM', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The number may be that of another machine's or container's process, whose socket folder is shared with this one. */
async function isServerProcess(pid: number): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.startsWith('postgres: ');
}
