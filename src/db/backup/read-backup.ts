import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, type Extract, extract } from 'tar-stream';
import { MANIFEST } from './base-backup.ts';
import { decompressor, recognised } from './compression.ts';
import { compareWithManifest, type SeenFile } from './manifest.ts';

export interface ReadOptions {
  /** Where the files are written; null only checks them. */
  folder: string | null;
  /** Called as soon as the archive's PostgreSQL is known, with its major version. */
  onVersion?: (major: string) => void;
  /** Called with the number of bytes of the file read so far. */
  onProgress?: (done: number, total: number) => void;
  /** Ends the reading. */
  signal?: AbortSignal;
}

/** Limit for the manifest, which a damaged archive may claim to be of any size: a cluster of a million files has 150 MB. */
const MAX_MANIFEST = 256 * 1024 ** 2;
/** Small files are written at once, however many parts they arrive in. */
const CHUNK = 1024 ** 2;

/**
 * Reads a backup through to its end and compares every file with the manifest, in constant memory.
 * @returns how many files and bytes it holds
 * @throws Error that says what is wrong with it
 */
export async function readBackup(path: string, options: ReadOptions): Promise<{ files: number; bytes: number }> {
  const source = await openBackup(path);
  const compression = recognised(source.start);
  let done = 0;
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      done += chunk.length;
      options.onProgress?.(done, source.size);
      yield chunk;
    }
  }
  const stream = createReadStream(path, { highWaterMark: CHUNK });
  const archive = extract();
  // What is being written is not touched any more once this returns or throws.
  const [piped, read] = await Promise.allSettled([
    pipeline(stream, counted, decompressor(compression), archive, { signal: options.signal }),
    readEntries(archive, options),
  ]);
  if (read.status === 'rejected') {
    // Where one ends the other with it, the other's error says why.
    throw explained(piped.status === 'rejected' && !isPremature(piped.reason) ? piped.reason : read.reason);
  }
  if (piped.status === 'rejected') throw explained(piped.reason);
  const { manifest, seen } = read.value;
  if (manifest === undefined) throw new Error('The archive has no manifest: `tradeloom backup` did not make it');
  compareWithManifest(manifest, seen);
  return { files: seen.size, bytes: [...seen.values()].reduce((sum, { size }) => sum + size, 0) };
}

function isPremature(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Says what is wrong with the file, in place of the libraries' words. */
function explained(cause: NodeJS.ErrnoException): Error {
  const { code = '', message } = cause;
  if (code.startsWith('Z_') || /zstd/i.test(code)) {
    return new Error('The backup is damaged: it cannot be decompressed', { cause });
  }
  if (message === 'Unexpected end of data') {
    return new Error('The archive is not complete: it ends in the middle', { cause });
  }
  if (message.startsWith('Invalid tar header')) return new Error('This is no archive, or it is damaged', { cause });
  return cause;
}

/** Reads the files of the archive and, if a folder is given, writes them there. */
async function readEntries(
  archive: Extract,
  { folder, onVersion }: ReadOptions,
): Promise<{ manifest: Buffer | undefined; seen: Map<string, SeenFile> }> {
  const seen = new Map<string, SeenFile>();
  let manifest: Buffer | undefined;
  for await (const entry of archive) {
    const { name, type } = entry.header;
    checkPath(name);
    if (type === 'directory') {
      if (folder !== null) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
      entry.resume();
    } else if (type !== 'file') {
      throw new Error('The archive has an entry that is neither a file nor a folder');
    } else if (name === MANIFEST) {
      manifest = await collect(entry, MAX_MANIFEST);
    } else if (name === 'PG_VERSION') {
      const content = await collect(entry, 16);
      onVersion?.(content.toString('latin1').trim());
      seen.set(name, await readFile(name, [content], folder));
    } else {
      seen.set(name, await readFile(name, entry, folder));
    }
  }
  return { manifest, seen };
}

async function readFile(
  name: string,
  content: AsyncIterable<Buffer> | Buffer[],
  folder: string | null,
): Promise<SeenFile> {
  const hash = createHash('sha256');
  const handle = folder === null ? null : await open(join(folder, name), 'wx', 0o600);
  let size = 0;
  try {
    for await (const part of content) {
      hash.update(part);
      size += part.length;
      await handle?.writeFile(part);
    }
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  return { size, checksum: hash.digest('hex') };
}

/** Returns the whole content of a small file. */
async function collect(entry: Entry, limit: number): Promise<Buffer> {
  const { name, size = 0 } = entry.header;
  if (size > limit) throw new Error(`The backup is damaged: ${name} is too large`);
  const parts: Buffer[] = [];
  for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

async function openBackup(path: string): Promise<{ start: Buffer; size: number }> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`There is no file ${path}`, { cause: error }) : error;
  });
  try {
    const start = Buffer.alloc(4);
    await handle.read(start, 0, 4, 0);
    return { start, size: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
}

/** Nothing is written outside of the folder, whatever an archive says. */
function checkPath(path: string): void {
  const parts = path.replace(/\/$/, '').split('/');
  if (path.startsWith('/') || parts.some((part) => part === '..' || part === '')) {
    throw new Error(`The archive has a name that leads elsewhere: ${path}`);
  }
}
