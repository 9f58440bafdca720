import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkReachable, serverAccount } from './account.ts';
import { scratchFolder } from './fixtures.ts';

const root = process.geteuid!() === 0;
const self = { uid: process.geteuid!(), gid: process.getegid!() };
const stranger = { uid: 54_321, gid: 54_321 };

describe('the account of the server', () => {
  if (!root) {
    it('is that of the program', async () => {
      expect(await serverAccount(stranger)).toEqual({ ...self, wrapper: [], identity: {} });
    });
    return;
  }

  it("is the data's owner when root starts it on another user's data", async () => {
    expect(await serverAccount(stranger)).toEqual({ ...stranger, wrapper: [], identity: stranger });
  });

  it("never has root's powers", async () => {
    const { uid, wrapper } = await serverAccount(self);
    expect(uid !== 0 || wrapper[0] === 'unshare').toBe(true);
  });

  it('must be able to come to the folder, or the error names the place and the fix', async () => {
    await using scratch = await scratchFolder();
    const account = { ...stranger, wrapper: [], identity: stranger };
    const closed = join(scratch.path, '..');
    await checkReachable(tmpdir(), account);
    await expect(checkReachable(scratch.path, account)).rejects.toThrow(
      `user 54321 without them cannot enter ${closed} on the way to ${scratch.path}: move that to another place`,
    );
  });
});
