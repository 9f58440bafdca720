import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ConnectionSettings } from '../pool.ts';
import { type BaseBackup, type BaseBackupOptions, takeBaseBackup } from './base-backup.ts';
import { type Compression, compressionOf, compressor } from './compression.ts';

export interface WrittenBackup extends BaseBackup {
  /** Size and checksum of the file as it was written. */
  bytes: number;
  sha256: string;
}

/** Why a file cannot be written, by the code of the file system. */
const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a file is in the way',
  EISDIR: 'a folder is in the way',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it exceeds the maximum file size of the disk',
  EIO: 'the disk has failed',
};

/**
 * Writes a backup to a file, which gets its name when it is complete and on disk; after a failure nothing of it is left.
 * @throws Error that names the file and the reason if it cannot be written
 */
export async function writeBackup(
  connection: ConnectionSettings,
  path: string,
  options: BaseBackupOptions,
): Promise<WrittenBackup> {
  const draft = `${path}.partial`;
  // Overwrites a draft that an interrupted backup left.
  const out = createWriteStream(draft, { mode: 0o600, flush: true });
  try {
    // Before PostgreSQL is asked. From then on the pipeline hears of errors.
    await once(out, 'open');
    const written = await streamBackup(connection, out, compressionOf(path), options);
    await rename(draft, path);
    await flushFolder(dirname(path));
    return written;
  } catch (error) {
    out.destroy();
    // A draft that cannot be removed hides no reason.
    await rm(draft, { force: true }).catch(() => {});
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    // A connection to PostgreSQL fails with the same codes.
    const reason = syscall === 'connect' ? undefined : REASONS[code];
    throw reason ? new Error(`The backup ${path} cannot be written: ${reason}`, { cause: error }) : error;
  }
}

/** The same as `writeBackup`, to a stream such as standard output. */
export async function streamBackup(
  connection: ConnectionSettings,
  out: Writable,
  compression: Compression,
  options: BaseBackupOptions,
): Promise<WrittenBackup> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const { archive, summary } = await takeBaseBackup(connection, options);
  await pipeline(archive, compressor(compression), counted, out, { signal: options.signal });
  return { ...(await summary), bytes, sha256: hash.digest('hex') };
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
