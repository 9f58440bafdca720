import { chmod, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from './fixtures.ts';
import { explainRefusal, makeSocketFolder, socketFolder } from './folder.ts';

const account = { uid: process.geteuid!(), gid: process.getegid!(), wrapper: [], identity: {} };

describe('the folder of the socket', () => {
  it('is short, needs no quoting, and is the same each time, whatever the data folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (path) => {
        const folder = socketFolder(`/${path}`, account);
        expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(80);
        expect(folder).toMatch(/^[\w/. -]+$/);
        expect(socketFolder(`/${path}`, account)).toBe(folder);
      }),
    );
  });

  it('differs between two data folders with long paths', () => {
    const long = `/${'x'.repeat(100)}`;
    expect(socketFolder(`${long}/a`, account)).not.toBe(socketFolder(`${long}/b`, account));
  });

  it("is closed to everybody but the server's user, even when it was open before", async () => {
    await using scratch = await scratchFolder();
    const path = join(scratch.path, 'socket');
    await mkdir(path);
    await chmod(path, 0o777);
    await makeSocketFolder(path, '/elsewhere', account);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it('is refused when it is a link, which anybody may have laid under /tmp', async () => {
    await using scratch = await scratchFolder();
    const path = join(scratch.path, 'link');
    await mkdir(join(scratch.path, 'target'));
    await symlink('target', path);
    await expect(makeSocketFolder(path, '/elsewhere', account)).rejects.toThrow(/belongs to another user. Remove it/);
  });

  it('is refused when it is another user’s', async () => {
    await using scratch = await scratchFolder();
    const stranger = { ...account, uid: account.uid + 1 };
    await expect(makeSocketFolder(scratch.path, '/elsewhere', stranger)).rejects.toThrow(/belongs to another user/);
  });
});

describe('a refusal of the file system', () => {
  it.each([
    ['ENOSPC', /is full: free some space and start again. No data is lost/],
    ['EDQUOT', /is full/],
    ['EROFS', /is read-only: choose another with --data-dir/],
    ['EACCES', /may not write in the data folder \/data: start Tradeloom as its owner/],
    ['ENOENT', /cannot be made: choose a place where this user may write/],
    ['ENOTDIR', /a file is in the way/],
  ])('%s becomes a sentence with the fix', (code, sentence) => {
    const refusal = Object.assign(new Error(`${code}: open`), { code });
    expect(String(explainRefusal(refusal, '/data'))).toMatch(sentence);
  });

  it('of another kind, or an error that is a sentence already, passes unchanged', () => {
    const error = new Error('A sentence.');
    expect(explainRefusal(error, '/data')).toBe(error);
  });
});
