import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANIFEST } from './base-backup.ts';
import { readBackup } from './read-backup.ts';

let folder: string;
let made = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradeloom-read-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

/** A manifest in PostgreSQL's form. */
function manifestOf(files: Record<string, string>): string {
  const rows = Object.entries(files).map(([Path, content]) =>
    JSON.stringify({ Path, Size: content.length, 'Checksum-Algorithm': 'SHA256', Checksum: sha256(content) }),
  );
  const body = `{ "PostgreSQL-Backup-Manifest-Version": 2,\n"Files": [\n${rows.join(',\n')}\n],\n`;
  return `${body}"Manifest-Checksum": "${sha256(body)}"}\n`;
}

async function tarOf(files: Record<string, string>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, Buffer.from(content, 'latin1'));
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive) parts.push(part);
  return Buffer.concat(parts);
}

async function fileOf(content: Buffer): Promise<string> {
  const path = join(folder, `backup-${made++}`);
  await writeFile(path, content);
  return path;
}

/** Of this process. */
async function openFilesIn(place: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return files.filter((file) => file.startsWith(place));
}

const FILES = { PG_VERSION: '18\n', 'large file': 'x'.repeat(200_000), empty: '' };
const WHOLE = await tarOf({ ...FILES, 'pg_wal-is-not-listed': '' });
const GOOD = await tarOf({ ...FILES, [MANIFEST]: manifestOf(FILES) });

describe('reading a backup', () => {
  it.each([
    ['as it is', GOOD],
    ['by gzip', gzipSync(GOOD)],
    ['by zstd', zstdCompressSync(GOOD)],
  ])('writes the files as they were, from an archive compressed %s', async (_how, content) => {
    const target = await mkdtemp(join(folder, 'target-'));
    let version = '';
    const read = await readBackup(await fileOf(content), {
      folder: target,
      onVersion: (major) => {
        version = major;
      },
    });
    expect(read).toEqual({ files: 3, bytes: 200_003 });
    expect(version).toBe('18');
    expect((await readdir(target)).sort()).toEqual(Object.keys(FILES).sort());
    expect(await readFile(join(target, 'large file'), 'utf8')).toBe(FILES['large file']);
  });

  it.each([
    ['a changed byte', Buffer.from(GOOD.toString('latin1').replace('xxy', 'xx').replace('xxxx', 'xxzx'), 'latin1')],
    ['a missing file', tarOf({ PG_VERSION: '18\n', [MANIFEST]: manifestOf(FILES) })],
    ['a file that does not belong', tarOf({ ...FILES, more: '', [MANIFEST]: manifestOf(FILES) })],
    ['a manifest changed with its file', tarOf({ ...FILES, [MANIFEST]: manifestOf(FILES).replace('large', 'LARGE') })],
    ['no manifest', WHOLE],
    ['an end in the middle', GOOD.subarray(0, GOOD.length - 100_000)],
    ['an end in the middle of what gzip made', gzipSync(GOOD).subarray(0, -40)],
    ['an end in the middle of what zstd made', zstdCompressSync(GOOD).subarray(0, -10)],
    ['a byte changed in what zstd made', zstdCompressSync(GOOD).fill(7, 300, 302)],
    ['something else', Buffer.alloc(2_000, 'text')],
  ])('refuses %s', async (_what, content) => {
    await expect(readBackup(await fileOf(await content), { folder: null })).rejects.toThrow(
      /damaged|complete|manifest|no archive|end of file/,
    );
  });

  it('leaves no file open when it ends early, whether the archive is cut off or the reader stops', async () => {
    const target = await mkdtemp(join(folder, 'target-'));
    const large = { ...FILES, 'large file': randomBytes(20_000_000).toString('latin1') };
    const whole = await fileOf(await tarOf(large));
    const abort = new AbortController();
    const onProgress = (done: number): void => {
      if (done > 5_000_000) abort.abort();
    };
    await expect(readBackup(whole, { folder: target, signal: abort.signal, onProgress })).rejects.toThrow('abort');
    expect(await openFilesIn(target)).toEqual([]);
    await rm(target, { recursive: true });
    await mkdir(target);
    const cut = await fileOf(GOOD.subarray(0, GOOD.length - 100_000));
    await expect(readBackup(cut, { folder: target })).rejects.toThrow('not complete');
    expect(await openFilesIn(target)).toEqual([]);
  });

  it.each(['../outside', '/outside', 'a/../../outside'])('writes nothing outside of the folder: %s', async (path) => {
    const target = await mkdtemp(join(folder, 'target-'));
    const files = { [path]: 'here' };
    const archive = await fileOf(await tarOf({ ...files, [MANIFEST]: manifestOf(files) }));
    await expect(readBackup(archive, { folder: target })).rejects.toThrow('leads elsewhere');
  });
});
