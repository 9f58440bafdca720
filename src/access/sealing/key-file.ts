import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Keys, readKeys, writeKeys } from './keys.ts';

export function keyFileOf(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/** Returns the path of the master key file, which is created if missing. @throws Error if others can read it */
export function provideKeyFile(dataDir: string): string {
  const path = keyFileOf(dataDir);
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    createKeyFile(path, randomBytes(32).toString('base64'));
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others: run chmod 600 on it`);
  }
  return path;
}

/** Creates the file. A crash leaves no partial key, and one that is there is kept: of two programs the first wins. */
export function createKeyFile(path: string, text: string): void {
  const fresh = writeAside(path, text);
  try {
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(fresh);
  }
}

export function readKeyFile(path: string): Keys {
  return readKeys(readFileSync(path, 'utf8').trim(), path);
}

/** Replaces the file atomically: readers never see a partial file, and a crash leaves either the old or the new one. */
export function replaceKeyFile(path: string, keys: Keys): void {
  renameSync(writeAside(path, writeKeys(keys)), path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Returns a function that reads the keys in the file, for a program that runs while they are replaced: with `fresh` it checks whether the
 * file has changed. If the file has disappeared, the keys read before are kept.
 */
export function keyFileReader(path: string): (fresh: boolean) => Keys {
  const stamp = (): string => {
    const { mtimeMs, ino, size } = statSync(path);
    return `${mtimeMs} ${ino} ${size}`;
  };
  let seen = stamp();
  let keys = readKeyFile(path);
  return (fresh) => {
    if (!fresh) return keys;
    try {
      const now = stamp();
      if (now !== seen) {
        keys = readKeyFile(path);
        seen = now;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return keys;
  };
}

/** Writes a file that only its owner can read, next to the path; returns its path. */
function writeAside(path: string, text: string): string {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  // By descriptor, not by name: the folder's owner could replace what the name refers to.
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(file, `${text}\n`, { flush: true });
    fchmodSync(file, 0o600);
    // A file that root creates in a user's folder must belong to that user, who starts the program the next time.
    const { uid, gid } = statSync(dirname(path));
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
  } finally {
    closeSync(file);
  }
  return fresh;
}
