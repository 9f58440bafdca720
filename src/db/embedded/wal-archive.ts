import { access, constants, lchown, mkdir, stat } from 'node:fs/promises';
import type { Account } from './account.ts';

/** How much committed data the archive may lack at most under light load; a full segment is archived at once. */
const TIMEOUT = '60s';

/** Creates the archive's folder if need be, writable for the server. */
export async function prepareArchive(folder: string, account: Account): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined && process.geteuid!() === 0) await lchown(folder, account.uid, account.gid);
  if (!(await stat(folder)).isDirectory()) throw new Error(`TRADELOOM_WAL_ARCHIVE: ${folder} is no folder`);
}

/** Checks the archive that a recovery reads: without it, PostgreSQL would recover the backup alone. */
export async function requireArchive(folder: string): Promise<void> {
  const reason = await stat(folder)
    .then(async (found) => {
      if (!found.isDirectory()) return 'it is no folder';
      await access(folder, constants.R_OK | constants.X_OK);
      return null;
    })
    .catch(({ code, message }: NodeJS.ErrnoException) => (code === 'ENOENT' ? 'the folder does not exist' : message));
  if (reason === null) return;
  throw new Error(
    `The archive of the log of transactions ${folder} (--wal, TRADELOOM_WAL_ARCHIVE) cannot be read: ${reason}`,
  );
}

/**
 * PostgreSQL's settings that copy each WAL segment to a folder, compressed: a segment of 16 MB that was begun in a
 * quiet minute takes some 20 kB. One that is there already, from before a crash, must be identical.
 */
export function archiveSettings(folder: string): Record<string, string> {
  const target = `${quoted(folder)}/%f.gz`;
  const compare = `gzip -dc ${target} | cmp -s - "%p"`;
  const write =
    `gzip -1 -c "%p" > ${target}.partial && sync ${target}.partial && ` +
    `mv ${target}.partial ${target} && sync ${quoted(folder)}`;
  return {
    archive_mode: 'on',
    archive_timeout: TIMEOUT,
    archive_command: `if [ -f ${target} ]; then ${compare}; else ${write}; fi`,
  };
}

export interface Recovery {
  /** The archive to continue from where the backup ends; null for the backup alone. */
  archive: string | null;
  /** Recovery stops before anything committed later; null recovers everything. */
  until: Date | null;
}

/**
 * PostgreSQL's settings for a recovery that ends on a new timeline, so that what is written afterwards can be
 * distinguished from what the original wrote.
 */
export function recoverySettings({ archive, until }: Recovery): Record<string, string> {
  return {
    restore_command: archive === null ? 'false' : restoreCommand(archive),
    recovery_target_timeline: archive === null ? 'current' : 'latest',
    recovery_target_action: 'promote',
    ...(until === null ? {} : { recovery_target_time: until.toISOString().replace('Z', '+00') }),
    // Nobody queries it before it is recovered.
    hot_standby: 'off',
    archive_mode: 'off',
  };
}

/** Also finds segments that a command of the operator's own archived uncompressed. */
function restoreCommand(folder: string): string {
  const source = `${quoted(folder)}/%f`;
  return `if [ -f ${source}.gz ]; then gzip -dc ${source}.gz > "%p"; else cp ${source} "%p"; fi`;
}

/** Quotes for the shell, and for PostgreSQL, which expands what follows a percent sign. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}
