import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, lchown, mkdir, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Account } from './account.ts';

/** The address of a Unix socket holds 104 bytes on macOS and 108 on Linux, less `/.s.PGSQL.5432` and a reserve. */
const MAX_SOCKET_FOLDER = 80;
/** SQLite accepts paths up to 512 bytes, PostgreSQL up to 1,024; the names of their files need some of them. */
const MAX_DATA_FOLDER = 480;
const LOCK_FILE = 'postgres.lock';
/** A program killed a moment ago may not have released the lock yet. */
const LOCK_WAIT_MS = 1_000;
const SQLITE_BUSY = 5;

/** Another program has the data folder, for as long as it runs. */
export class DataFolderInUse extends Error {
  constructor(dataDir: string) {
    super(
      `Another Tradeloom program already uses the data folder ${dataDir}: stop it first, or give this one a folder ` +
        'of its own with --data-dir.',
    );
  }
}

/**
 * Creates the data folder if need be.
 * @returns its real path, the same for every program that comes by another link
 */
export async function openDataFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const dataDir = await realpath(path);
  if (Buffer.byteLength(dataDir) > MAX_DATA_FOLDER) {
    throw new Error(`The path of the data folder is longer than ${MAX_DATA_FOLDER} bytes: choose one with --data-dir.`);
  }
  return dataDir;
}

/**
 * Locks the data folder for this process alone, until the returned function is called or the process dies. The lock is
 * an SQLite transaction on an empty file: the one kernel lock that Node offers without a native module. Unlike a pid
 * file it is released on kill -9, and unlike a lock inside PostgreSQL it exists before the server does, so that initdb
 * and the removal of stale files are safe. (Closing the file anywhere else in this process would release it.)
 */
export function lockDataFolder(dataDir: string): () => void {
  const path = join(dataDir, LOCK_FILE);
  const file = new DatabaseSync(path, { open: false, timeout: LOCK_WAIT_MS });
  try {
    file.open();
    // Without a journal file it writes nothing, so that a full disk is no obstacle.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    if (file.isOpen) file.close();
    const { errcode, message } = cause as Error & { errcode: number };
    if (errcode === SQLITE_BUSY) throw new DataFolderInUse(dataDir);
    throw new Error(
      `${path} cannot be locked (${message}): make this user its owner, or choose another folder with --data-dir.`,
      { cause },
    );
  }
  return () => file.close();
}

/** The same for a folder that a program has used; does nothing to another. */
export function lockIfUsed(dataDir: string): () => void {
  return existsSync(join(dataDir, LOCK_FILE)) ? lockDataFolder(dataDir) : () => {};
}

/**
 * For root only: lets `account` through the data folder by way of the group, so that nobody else gets in, and makes it
 * the owner of the lock file, so that the data's owner can start without root the next time.
 */
export async function openTheWay(dataDir: string, account: Account): Promise<void> {
  if (process.geteuid!() !== 0) return;
  const { uid, mode } = await stat(dataDir);
  if (uid !== account.uid && !(mode & 0o001)) {
    await lchown(dataDir, uid, account.gid);
    await chmod(dataDir, (mode & 0o707) | 0o010);
  }
  await lchown(join(dataDir, LOCK_FILE), account.uid, account.gid);
}

/**
 * Returns the folder of the server's socket: the data folder, where nobody else can reach it, unless its path is too
 * long or has characters that PostgreSQL's lists of folders would need quoted. Then a folder under /tmp, not
 * os.tmpdir(), which differs between two shells.
 * @returns a path of at most 80 bytes, the same for every program on this data folder
 */
export function socketFolder(dataDir: string, account: Account): string {
  const inside = join(dataDir, 'run');
  if (inside.length <= MAX_SOCKET_FOLDER && /^[\w/. -]+$/.test(inside)) return inside;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return `/tmp/tradeloom-${account.uid}-${hash}`;
}

/**
 * Makes the folder, or checks that an existing one is a real folder of `account` alone: whoever reaches the socket is
 * the database's superuser, and anybody may have made a folder of that name under /tmp.
 */
export async function makeSocketFolder(path: string, dataDir: string, account: Account): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  const folder = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => undefined);
  try {
    const owned = (await folder?.stat())?.uid === account.uid;
    if (!folder || !(owned || made || path.startsWith(`${dataDir}/`))) {
      throw new Error(
        `${path}, the folder of PostgreSQL's socket, belongs to another user. Remove it and start again.`,
      );
    }
    await folder.chown(account.uid, account.gid);
    await folder.chmod(0o700);
  } finally {
    await folder?.close();
  }
}

/** Explains in one sentence what the file system's refusal means for the data folder; returns any other error unchanged. */
export function explainRefusal(error: unknown, dataDir: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const sentence = {
    ENOSPC: diskFull(dataDir),
    EDQUOT: diskFull(dataDir),
    EROFS: `The data folder ${dataDir} is read-only: choose another with --data-dir, or mount it writable.`,
    EACCES: notAllowed(dataDir),
    EPERM: notAllowed(dataDir),
    // Node's error for a folder that it cannot create with its parents, on a read-only disk for example.
    ENOENT: `The data folder ${dataDir} cannot be made: choose a place where this user may write, with --data-dir.`,
    ENOTDIR: notFolder(dataDir),
    EEXIST: notFolder(dataDir),
  }[code];
  return sentence ? new Error(sentence, { cause: error }) : error;
}

export function diskFull(dataDir: string): string {
  return `The disk that holds the data folder ${dataDir} is full: free some space and start again. No data is lost.`;
}

function notAllowed(dataDir: string): string {
  return `This user may not write in the data folder ${dataDir}: start Tradeloom as its owner, or choose another folder with --data-dir.`;
}

function notFolder(dataDir: string): string {
  return `The data folder ${dataDir} cannot be made, since a file is in the way: choose another with --data-dir.`;
}
