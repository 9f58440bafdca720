import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Target } from '../server/target.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** Finds the system's pgbench: on the PATH, or where Debian installs it (the newest); null when there is none. */
export async function findPgbench(): Promise<string | null> {
  const versions = await readdir(DEBIAN).catch((): string[] => []);
  const elsewhere = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin/pgbench'));
  for (const program of ['pgbench', ...elsewhere]) {
    const runs = run(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (await runs) return program;
  }
  return null;
}

/**
 * Runs a script on the scenario's own server, over the same socket, with prepared statements.
 * @returns transactions per second
 * @throws Error with pgbench's output when a transaction fails
 */
export async function runPgbench(
  pgbench: string,
  database: Target['database'],
  load: { script: string; connections: number; seconds: number },
): Promise<number> {
  const running = run(pgbench, [
    ...['--host', database.host, '--port', String(database.port), '--username', database.user],
    ...['--no-vacuum', '--protocol', 'prepared', '--file', '-'],
    ...['--client', String(load.connections), '--jobs', '2', '--time', String(load.seconds)],
    database.database,
  ]);
  running.child.stdin!.end(load.script);
  const { stdout } = await running;
  const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  const failed = Number(/^number of failed transactions: (\d+)/m.exec(stdout)?.[1] ?? 0);
  if (!(rate > 0) || failed > 0) throw new Error(`pgbench failed: ${stdout}`);
  return rate;
}
