import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MANIFEST } from './base-backup.ts';
import { decompressor, recognised } from './compression.ts';
import { compareWithManifest, type SeenFile } from './manifest.ts';
import { type Entry, readTar, type Sink } from './tar.ts';

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
  const seen = new Map<string, SeenFile>();
  let manifest: Buffer | undefined;
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
  let reading: Promise<void> | undefined;
  const read = (chunks: AsyncIterable<Buffer>): Promise<void> => {
    reading = readTar(chunks, async (entry) => {
      checkPath(entry.path);
      if (entry.type === 'folder') return folder(entry, options.folder);
      if (entry.path === MANIFEST) {
        return collect(entry, MAX_MANIFEST, (content) => {
          manifest = content;
        });
      }
      if (entry.path === 'PG_VERSION') {
        return both(
          await file(entry, options.folder, seen),
          collect(entry, 16, (content) => options.onVersion?.(content.toString('latin1').trim())),
        );
      }
      return file(entry, options.folder, seen);
    });
    return reading;
  };
  const { signal } = options;
  await pipeline(stream, counted, decompressor(compression), read, { signal }).catch(
    async (error: NodeJS.ErrnoException) => {
      // What is being written is not touched any more once this is thrown.
      await reading?.catch(() => {});
      throw error.code?.startsWith('Z_') || /zstd/i.test(error.code ?? '')
        ? new Error('The backup is damaged: it cannot be decompressed', { cause: error })
        : error;
    },
  );
  if (manifest === undefined) throw new Error('The archive has no manifest: `tradeloom backup` did not make it');
  compareWithManifest(manifest, seen);
  return { files: seen.size, bytes: [...seen.values()].reduce((sum, { size }) => sum + size, 0) };
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

async function folder({ path }: Entry, into: string | null): Promise<Sink> {
  if (into !== null) await mkdir(join(into, path), { recursive: true, mode: 0o700 });
  return { write: async () => {}, end: async () => {}, abandon: async () => {} };
}

async function file(entry: Entry, into: string | null, seen: Map<string, SeenFile>): Promise<Sink> {
  const hash = createHash('sha256');
  const handle: FileHandle | null = into === null ? null : await open(join(into, entry.path), 'wx', 0o600);
  return {
    async write(part) {
      hash.update(part);
      await handle?.writeFile(part);
    },
    async end() {
      seen.set(entry.path, { size: entry.size, checksum: hash.digest('hex') });
      await handle?.sync();
      await handle?.close();
    },
    abandon: async () => handle?.close(),
  };
}

/** Collects the whole content of a small file. */
function collect(entry: Entry, limit: number, use: (content: Buffer) => void): Sink {
  if (entry.size > limit) throw new Error(`The backup is damaged: ${entry.path} is too large`);
  const parts: Buffer[] = [];
  return {
    write: async (part) => void parts.push(Buffer.from(part)),
    end: async () => use(Buffer.concat(parts)),
    abandon: async () => {},
  };
}

function both(one: Sink, other: Sink): Sink {
  return {
    write: async (part) => {
      await one.write(part);
      await other.write(part);
    },
    end: async () => {
      await one.end();
      await other.end();
    },
    abandon: async () => {
      await one.abandon();
      await other.abandon();
    },
  };
}
