import { expect, test } from 'vitest';
import { withoutMarks } from './letters.ts';

test.each([
  ['Łódź Tea', 'Lodz Tea'],
  ['Ærøskøbing', 'AEroskobing'],
  ['GROẞMANN & großmann', 'GROSSMANN & grossmann'],
  ['İstanbul, ıssız', 'Istanbul, issiz'],
  ['Иван', 'Иван'],
  ['plain', 'plain'],
])('%s without marks is %s', (text, plain) => {
  expect(withoutMarks(text)).toBe(plain);
});
