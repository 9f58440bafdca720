import { describe, expect, it } from 'vitest';
import { masterKeyFrom } from '../master-key.ts';
import { type Keys, readKeys, withNewKey, withoutOlder, writeKeys } from './keys.ts';

const first = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString('base64');
const of = (keys: Keys) => masterKeyFrom(() => keys);

describe('a master key that is replaced', () => {
  it('keeps the key of links and hashes, and opens what older ones sealed until they are taken out', () => {
    const old = readKeys(first, 'it');
    const both = readKeys(writeKeys(withNewKey(old)), 'it');
    const alone = readKeys(writeKeys(withoutOlder(both)), 'it');
    const [before, after] = [of(old).seal('secret'), of(both).seal('secret')];
    expect([before[0], after[0], both.version, alone.version]).toEqual([1, 2, 2, 2]);
    expect([of(both).open(before), of(both).open(after), of(alone).open(after)]).toEqual([
      'secret',
      'secret',
      'secret',
    ]);
    expect(() => of(alone).open(before)).toThrow('version 1 of the master key, which is not set');
    expect(() => of(old).open(after)).toThrow('version 2 of the master key, which is not set');
    for (const keys of [both, alone, withNewKey(alone)]) expect(keys.tokenKey.equals(old.tokenKey)).toBe(true);
    expect(writeKeys(alone)).not.toContain(first);
  });

  it.each([
    '2:',
    `2:${first}`,
    `token:${first}`,
    `x:${first},token:${first}`,
    `0:${first},token:${first}`,
    `256:${first},token:${first}`,
    `${first},${first}`,
  ])('is not %j', (text) => {
    expect(() => readKeys(text, 'the text')).toThrow('the text ');
  });

  it('can be replaced until a version is no byte any more', () => {
    const last = { ...readKeys(first, 'it'), version: 255, byVersion: new Map([[255, Buffer.from(first, 'base64')]]) };
    expect(() => withNewKey(last)).toThrow('254 times');
  });
});
