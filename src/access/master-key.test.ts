import { chmodSync, chownSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadMasterKey } from './master-key.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'master-key-'));
const someKey = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString('base64');

describe('the master key', () => {
  it('is created once, readable by its owner alone, and opens its sealed values after a restart', () => {
    const dir = folder();
    const sealed = loadMasterKey(dir, null).seal('whsec');
    expect(statSync(join(dir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(loadMasterKey(dir, null).open(sealed)).toBe('whsec');
  });

  it('belongs to the owner of its folder, also where root makes it', () => {
    const dir = folder();
    // Only root can test this with another user's file.
    const uid = process.geteuid!() || 4_321;
    chownSync(dir, uid, process.getegid!());
    loadMasterKey(dir, null);
    expect(statSync(join(dir, 'master.key')).uid).toBe(uid);
  });

  it('that others can read is refused', () => {
    const dir = folder();
    loadMasterKey(dir, null);
    chmodSync(join(dir, 'master.key'), 0o640);
    expect(() => loadMasterKey(dir, null)).toThrow('chmod 600');
  });

  it.each(['', 'short', Buffer.alloc(32).toString('base64'), Buffer.alloc(31, 'abcdefghij').toString('base64')])(
    'is not %j',
    (text) => {
      expect(() => loadMasterKey(folder(), text)).toThrow('32 random bytes');
    },
  );

  it('in a damaged file is refused, not replaced', () => {
    const dir = folder();
    writeFileSync(join(dir, 'master.key'), '', { mode: 0o600 });
    expect(() => loadMasterKey(dir, null)).toThrow('32 random bytes');
    expect(readFileSync(join(dir, 'master.key'), 'utf8')).toBe('');
  });

  it('seals the same secret differently each time, and notices every changed bit', () => {
    const key = loadMasterKey(folder(), someKey);
    const sealed = key.seal('secret ä');
    expect(key.seal('secret ä').equals(sealed)).toBe(false);
    expect(key.open(sealed)).toBe('secret ä');
    expect(sealed.includes('secret')).toBe(false);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(() => key.open(changed)).toThrow();
    }
    expect(() => loadMasterKey(folder(), null).open(sealed)).toThrow('does not open with this master key');
  });

  it('gives a key for tokens that is not itself', () => {
    const { tokenKey } = loadMasterKey(folder(), someKey);
    expect(tokenKey).toHaveLength(32);
    expect(tokenKey.toString('base64')).not.toBe(someKey);
    expect(loadMasterKey(folder(), someKey).tokenKey.equals(tokenKey)).toBe(true);
  });
});
