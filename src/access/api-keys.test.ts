import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API_KEY_PATTERN, displayOf, hashApiKey, isWellFormed, newApiKey } from './api-keys.ts';

describe('API keys', () => {
  it('have the published form and their own checksum', () => {
    for (let i = 0; i < 200; i++) {
      const key = newApiKey();
      expect(key).toMatch(API_KEY_PATTERN);
      expect(isWellFormed(key)).toBe(true);
    }
  });

  it('are never the same twice', () => {
    const keys = Array.from({ length: 2_000 }, newApiKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('use the whole alphabet evenly', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 500; i++) for (const c of newApiKey().slice(8, 48)) counts.set(c, (counts.get(c) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 20,000 draws from 62: about 323 each, with a standard deviation of 18.
    for (const count of counts.values()) expect(Math.abs(count - 323)).toBeLessThan(130);
  });

  it('show a typing error without the database: any one changed character breaks the checksum', () => {
    const key = newApiKey();
    fc.assert(
      fc.property(fc.integer({ min: 8, max: key.length - 1 }), fc.constantFrom(...'0Aaz9'), (at, c) => {
        fc.pre(key[at] !== c);
        expect(isWellFormed(key.slice(0, at) + c + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'tl_live_', 'x', `${'0'.repeat(54)}`, 'TL_LIVE_'.padEnd(54, '0')])('take %j for none', (text) => {
    expect(isWellFormed(text)).toBe(false);
  });

  it('are stored as 32 bytes and shown as twelve characters', () => {
    const key = newApiKey();
    expect(hashApiKey(key)).toHaveLength(32);
    expect(displayOf(key)).toBe(key.slice(0, 12));
  });
});
