import { once } from 'node:events';
import { lchown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, spawnAs } from './account.ts';
import { diskFull } from './folder.ts';
import { stopServer } from './process.ts';
import type { PostgresProgram } from './program.ts';
import { DATABASE } from './server-plan.ts';

/** Prefix of the folder of a cluster that is being made next to its final place. */
export const DRAFT = 'postgres.new-';
const TIMEOUT_MS = 60_000;

/**
 * Makes sure that `<dataDir>/postgres` holds a database cluster of this major version. A new cluster is made in a
 * folder next to it and renamed when it is complete and on disk, so that an interruption leaves nothing half made. The
 * caller holds the lock of the data folder.
 * @param sync false skips the flush to disk (tests)
 * @returns true when the cluster was made now
 */
export async function prepareCluster(
  dataDir: string,
  program: PostgresProgram,
  account: Account,
  sync: boolean,
): Promise<boolean> {
  const folder = join(dataDir, 'postgres');
  await removeDrafts(dataDir);
  const major = await clusterVersion(folder);
  if (major === program.major) return false;
  if (major !== undefined) {
    throw new Error(
      `The data in ${folder} was made by PostgreSQL ${major}, and this Tradeloom brings ${program.major}: start the ` +
        'Tradeloom that made it, write the database out with pg_dump, and restore that into a new data folder with this one.',
    );
  }
  const draft = await mkdtemp(join(dataDir, DRAFT));
  await lchown(draft, account.uid, account.gid);
  try {
    await initdb(draft, program, account, sync);
    await createDatabase(draft, program, account, sync);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (/No space left on device|Disk quota exceeded/.test(String(error))) throw new Error(diskFull(dataDir));
    throw error;
  }
  await rename(draft, folder);
  await flushFolder(dataDir);
  return true;
}

/** What is in a cluster's folder: nothing, too, when the folder does not exist. */
export async function clusterEntries(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** The major version that made the cluster; undefined when there is no folder or an empty one. */
async function clusterVersion(folder: string): Promise<string | undefined> {
  const entries = await clusterEntries(folder);
  if (entries.length === 0) return undefined;
  if (entries.includes('PG_VERSION')) return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  throw new Error(
    `${folder} holds files, but no PostgreSQL data: move them away, or choose another folder with --data-dir.`,
  );
}

/**
 * Removes the drafts of interrupted starts and restores. The server of a restore that was killed may run on its draft. An initdb that
 * outlived its program may still write there: then the next start removes it.
 */
export async function removeDrafts(dataDir: string): Promise<void> {
  for (const entry of await readdir(dataDir)) {
    if (!entry.startsWith(DRAFT)) continue;
    const draft = join(dataDir, entry);
    await stopServer(draft)
      .then(() => rm(draft, { recursive: true, force: true }))
      .catch(() => undefined);
  }
}

/**
 * The builtin locale sorts by code point and knows upper and lower case of all of Unicode, the same on every machine.
 * pg_trgm still uses the C library's character classes; a system without a UTF-8 locale has none of them, and trigrams
 * there consist of ASCII letters only.
 */
async function initdb(folder: string, program: PostgresProgram, account: Account, sync: boolean): Promise<void> {
  const args = [
    ...['--pgdata', folder, '--username', DATABASE, '--encoding=UTF8', '--data-checksums'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...['--auth-local=trust', '--auth-host=reject', '--no-instructions'],
    ...(sync ? [] : ['--no-sync']),
  ];
  const characterTypes = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const first = await output(account, program.initdb, [...args, `--lc-ctype=${characterTypes}`]);
  if (first.succeeded) return;
  const { succeeded, text } = first.text.includes('invalid locale name')
    ? await output(account, program.initdb, args)
    : first;
  if (!succeeded) throw new Error(`PostgreSQL could not make its data folder. Its last words: ${text}`);
}

/** Uses PostgreSQL's single-user mode, so that the cluster is complete before it gets its name. */
async function createDatabase(
  folder: string,
  program: PostgresProgram,
  account: Account,
  sync: boolean,
): Promise<void> {
  const args = ['--single', '-D', folder, '-c', 'exit_on_error=on', '-c', `fsync=${sync ? 'on' : 'off'}`, 'postgres'];
  const { succeeded, text } = await output(account, program.postgres, args, `CREATE DATABASE ${DATABASE}\n`);
  if (!succeeded) throw new Error(`PostgreSQL could not create its database. Its last words: ${text}`);
}

/** Runs a program to its end, at most a minute; `text` is the last 2,000 characters of what it wrote. */
async function output(
  account: Account,
  program: string,
  args: string[],
  input = '',
): Promise<{ succeeded: boolean; text: string }> {
  const child = spawnAs(account, program, args, { stdio: 'pipe', timeout: TIMEOUT_MS });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  // A program that ends early does not read it; its own message says more than the broken pipe.
  child.stdin!.on('error', () => undefined).end(input);
  try {
    const [code] = await once(child, 'close');
    return { succeeded: code === 0, text: text.trim() };
  } catch (error) {
    return { succeeded: false, text: (error as Error).message };
  }
}

export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
