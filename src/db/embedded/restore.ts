import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readBackup } from '../backup/read-backup.ts';
import { type Account, checkReachable, giveFolder, serverAccount } from './account.ts';
import { clusterEntries, DRAFT, flushFolder, removeDrafts } from './cluster.ts';
import { explainRefusal, lockDataFolder, openDataFolder, openTheWay, socketFolder } from './folder.ts';
import { stopServer } from './process.ts';
import { locateProgram, type PostgresProgram } from './program.ts';
import { bringUp } from './server.ts';
import { connectionAt } from './server-plan.ts';
import { serverArguments } from './settings.ts';
import { type Recovery, recoverySettings, requireArchive } from './wal-archive.ts';

export interface RestoreOptions extends Recovery {
  dataDir: string;
  backup: string;
  onProgress?: (done: number, total: number) => void;
  /** Called when the files are in place and PostgreSQL starts to replay its WAL. */
  onRecovery?: () => void;
  /** Called when PostgreSQL has recovered the database, before it gets its place. What it throws ends the restore. */
  onRecovered?: () => void;
  /** Ends the restore like a failure. */
  signal?: AbortSignal;
}

/** A large archive takes hours to replay. */
const RECOVERY_TIMEOUT_MS = 24 * 60 * 60_000;

/**
 * Makes the embedded database of a data folder from a backup. It is moved into place when every file was verified and
 * PostgreSQL has recovered it; a restore that fails leaves nothing of it, and of one that was killed the next restore or
 * start removes what it left.
 * @throws Error whose message is a sentence for the operator, with what to do
 */
export async function restoreEmbedded(options: RestoreOptions): Promise<{ files: number; bytes: number }> {
  if (options.archive !== null) await requireArchive(options.archive);
  const program = await locateProgram(`${process.platform}-${process.arch}`);
  let unlock = () => {};
  let draft: string | undefined;
  try {
    const dataDir = await openDataFolder(options.dataDir);
    unlock = lockDataFolder(dataDir);
    await refuseExisting(join(dataDir, 'postgres'));
    const account = await serverAccount(await stat(dataDir));
    await openTheWay(dataDir, account);
    for (const place of [dataDir, dirname(program.postgres)]) await checkReachable(place, account);
    if (options.archive !== null) await checkReachable(options.archive, account);
    await removeDrafts(dataDir);
    draft = await mkdtemp(join(dataDir, DRAFT));
    const read = await readBackup(options.backup, {
      folder: draft,
      onVersion: (major) => checkVersion(major, program),
      onProgress: options.onProgress,
      signal: options.signal,
    });
    await writeFile(join(draft, 'recovery.signal'), '');
    await giveFolder(draft, account);
    options.onRecovery?.();
    await recover(dataDir, draft, program, account, options);
    options.onRecovered?.();
    await rename(draft, join(dataDir, 'postgres'));
    draft = undefined;
    await flushFolder(dataDir);
    return read;
  } catch (error) {
    if (draft !== undefined) {
      await stopServer(draft).catch(() => {});
      await rm(draft, { recursive: true, force: true });
    }
    throw explainRefusal(error, resolve(options.dataDir));
  } finally {
    unlock();
  }
}

async function refuseExisting(folder: string): Promise<void> {
  if ((await clusterEntries(folder)).length === 0) return;
  throw new Error(
    `${folder} holds a database already: stop the program and move that away (mv ${folder} ${folder}.old), or restore ` +
      'into another data folder with --data-dir.',
  );
}

function checkVersion(major: string, program: PostgresProgram): void {
  if (major === program.major) return;
  throw new Error(
    `The backup is of PostgreSQL ${major}, and this Tradeloom brings ${program.major}: restore it with the Tradeloom ` +
      'that made it.',
  );
}

async function recover(
  dataDir: string,
  folder: string,
  program: PostgresProgram,
  account: Account,
  recovery: RestoreOptions,
): Promise<void> {
  const host = socketFolder(dataDir, account);
  await bringUp({
    dataDir,
    folder,
    logFile: join(dataDir, 'postgres.log'),
    account,
    program: program.postgres,
    args: serverArguments(folder, host, recoverySettings(recovery)),
    connection: connectionAt(host),
    startTimeoutMs: RECOVERY_TIMEOUT_MS,
    signal: recovery.signal,
  }).catch((error: Error) => {
    throw /recovery ended before configured recovery target was reached/.test(error.message)
      ? new Error(
          `The archive ends before ${recovery.until!.toISOString()}: restore an earlier moment, or leave --until out.`,
        )
      : error;
  });
  await stopServer(folder);
}
