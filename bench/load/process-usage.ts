import { readdir, readFile, writeFile } from 'node:fs/promises';
import type pg from 'pg';

/** Resident memory of a process in MiB; null where the system does not provide it. */
export async function memoryOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}

/** Peak memory in MiB since `resetPeak`; null where the system does not provide it. */
export async function peakOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+)/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}

/** Resets the peak of a process to its present memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {});
}

/** Microseconds of processor time that a process has used in all its threads; 0 where the system does not provide it. */
export async function processorTimeOf(pid: number): Promise<number> {
  const { user, system } = await statOf(pid);
  return user + system;
}

/** The same for a PostgreSQL server: all its processes, including those that have ended. */
export async function databaseTimeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = (await statOf(rows[0]!.pid)).parent;
  const processes = await readdir('/proc').catch(() => []);
  const stats = await Promise.all(processes.filter((name) => /^\d+$/.test(name)).map((name) => statOf(Number(name))));
  const { user, system, ended } = await statOf(postmaster);
  const children = stats.filter(({ parent }) => parent === postmaster);
  return children.reduce((sum, child) => sum + child.user + child.system, user + system + ended);
}

/** Processor time in microseconds: in the program, in the system, of children that have ended. */
async function statOf(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may contain anything; times are in hundredths of a second.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map((ticks) => ticks * 10_000);
  return { parent: fields[1] ?? 0, user, system, ended: endedUser + endedSystem };
}
