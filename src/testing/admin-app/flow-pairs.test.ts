import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asKind,
  flawsOf,
  KINDS,
  newPair,
  objectOf,
  type Pair,
  pairsOf,
} from '../../../admin/src/pages/flows/steps/pairs.ts';

const pair = (fields: Partial<Pair>): Pair => ({ ...newPair(), ...fields });

describe('an object that is edited as rows', () => {
  test('comes back as it was, whatever JSON its values are', () => {
    const name = fc.string({ minLength: 1 }).filter((one) => one.trim() !== '');
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, noNullPrototype: true }),
        (value) => {
          const plain = JSON.parse(JSON.stringify(value));
          const pairs = pairsOf(plain);
          expect(flawsOf(pairs).size).toBe(0);
          expect(JSON.stringify(objectOf(pairs))).toBe(JSON.stringify(plain));
        },
      ),
    );
  });

  test('keeps the types that are chosen', () => {
    const pairs = [
      pair({ name: 'a', kind: 'text', text: '42' }),
      pair({ name: 'b', kind: 'number', text: '4,5' }),
      pair({ name: 'c', kind: 'boolean', text: 'true' }),
      pair({ name: 'd', kind: 'json', text: '[1, {"e": null}]' }),
      pair({ name: 'f' }),
      pair({}),
    ];
    expect(objectOf(pairs)).toEqual({ a: '42', b: 4.5, c: true, d: [1, { e: null }], f: '' });
    expect(objectOf([pair({}), pair({ kind: 'boolean', text: 'false' })])).toBeUndefined();
  });

  test.each([
    [[{ text: 'x' }], ['no_name']],
    [[{ name: 'a' }, { name: 'a' }], ['name_twice']],
    [[{ name: 'a', kind: 'number', text: '1.2.3' }], ['no_number']],
    [[{ name: 'a', kind: 'number', text: '' }], ['no_number']],
    [[{ name: 'a', kind: 'number', text: '0x10' }], ['no_number']],
    [[{ name: 'a', kind: 'number', text: '1e999' }], ['no_number']],
    [[{ name: 'a', kind: 'json', text: '{' }], ['no_json']],
    [[{ name: 'a', kind: 'json', text: 'null' }], []],
    [[{}, {}], []],
  ] as [Partial<Pair>[], string[]][])('%# names what cannot be taken over', (pairs, flaws) => {
    expect([...flawsOf(pairs.map(pair)).values()]).toEqual(flaws);
  });

  test('takes rows over beside one with a flaw, whose value stays as it was', () => {
    const pairs = [
      pair({ name: 'a', text: 'new' }),
      pair({ name: 'b', kind: 'json', text: '{' }),
      pair({ name: 'c', kind: 'number', text: 'x' }),
      pair({ name: 'a', text: 'twice' }),
      pair({ text: 'nameless' }),
    ];
    expect(objectOf(pairs, { a: 'old', b: [1] })).toEqual({ a: 'new', b: [1] });
    expect(objectOf(pairs.slice(2, 3))).toBeUndefined();
  });

  test('keeps the typed text when its type is changed and changed back', () => {
    for (const kind of KINDS) {
      const text = pair({ name: 'a', text: '42' });
      if (kind !== 'boolean') expect(asKind(asKind(text, kind), 'text').text).toBe('42');
      expect(flawsOf([asKind(text, kind)]).size).toBe(0);
    }
    expect(asKind(pair({ text: 'true' }), 'boolean').text).toBe('true');
    expect(asKind(pair({ text: 'a "quote"' }), 'json').text).toBe('"a \\"quote\\""');
  });
});
