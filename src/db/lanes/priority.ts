import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type pg from 'pg';

/** The `nice` value: with all processors busy, such a server process gets a third of the time that another one gets. */
const LOWER = 5;

/**
 * Lowers the priority of the server process of a connection, where it runs on this machine and may be changed: that of
 * the embedded server, connected by its socket, on Linux. Elsewhere the operator's own settings apply.
 */
export async function lowerPriority(settings: pg.ClientConfig, pid: number | null): Promise<void> {
  if (pid === null || process.platform !== 'linux' || settings.host?.startsWith('/') !== true) return;
  if (!(await isServerProcess(pid))) return;
  try {
    setPriority(pid, LOWER);
  } catch (error) {
    // A server of another account, or a process that has ended meanwhile: nothing to do.
    if (!['EACCES', 'EPERM', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The process id may belong to another machine or container whose socket folder is shared with this one. */
async function isServerProcess(pid: number): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.startsWith('postgres: ');
}
