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

/** The file with the master key; it is made where there is none. @throws Error where others can read it */
export function provideKeyFile(dataDir: string): string {
  const path = keyFileOf(dataDir);
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    // Written aside and then named: a start that is killed here leaves no half key, and of two programs the first wins.
    const fresh = writeAside(path, randomBytes(32).toString('base64'));
    try {
      linkSync(fresh, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(fresh);
    }
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others: run chmod 600 on it`);
  }
  return path;
}

export function readKeyFile(path: string): Keys {
  return readKeys(readFileSync(path, 'utf8').trim(), path);
}

/** At once: nobody finds half of it, and a crash leaves what was there or what is there now. */
export function replaceKeyFile(path: string, keys: Keys): void {
  renameSync(writeAside(path, writeKeys(keys)), path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * The keys of the file as they are now, for a program that runs while they are replaced: `fresh` looks whether the file is another
 * one. A file that cannot be read any more leaves what was read.
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

/** Writes a file for its owner alone beside the path; gives its path. */
function writeAside(path: string, text: string): string {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  // By its descriptor, not by its name: what is behind that the folder's owner could change meanwhile.
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(file, `${text}\n`, { flush: true });
    fchmodSync(file, 0o600);
    // What root makes in somebody's folder is theirs: they start the next time.
    const { uid, gid } = statSync(dirname(path));
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
  } finally {
    closeSync(file);
  }
  return fresh;
}
