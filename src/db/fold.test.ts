import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText } from './fold.ts';

describe('folded text', () => {
  test.each([
    ['Renée', 'renee'],
    ['GROSSMANN', 'grossmann'],
    ['Großmann', 'grossmann'],
    ['Łódź', 'lodz'],
    ['Ærøskøbing', 'aeroskobing'],
    ['ﬁnance', 'finance'],
    ['Ｗｉｄｅ', 'wide'],
    ['İstanbul', 'istanbul'],
    ['ИВАН', 'иван'],
    ['  a \t b\n', 'a b'],
    ['', ''],
  ])('%j is %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  test('is folded: folding again changes nothing, nor does case or a decomposed form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldText(text);
        expect(foldText(folded)).toBe(folded);
        expect(foldText(text.normalize('NFD'))).toBe(folded);
      }),
    );
  });
});
