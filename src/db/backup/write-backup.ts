import { createHash } from 'node:crypto';
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

/** Writes a backup to a file, which gets its name when it is complete and on disk. */
export async function writeBackup(
  connection: ConnectionSettings,
  path: string,
  options: BaseBackupOptions,
): Promise<WrittenBackup> {
  const draft = `${path}.partial`;
  // Overwrites a draft that an interrupted backup left.
  const out = createWriteStream(draft, { mode: 0o600, flush: true });
  try {
    const written = await streamBackup(connection, out, compressionOf(path), options);
    await rename(draft, path);
    await flushFolder(dirname(path));
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
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
  await pipeline(archive, compressor(compression), counted, out);
  return { ...(await summary), bytes, sha256: hash.digest('hex') };
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
