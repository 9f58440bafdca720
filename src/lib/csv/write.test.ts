import { expect, test } from 'vitest';
import { csvField } from './write.ts';

test.each(['=1', '+1', '-1', '@a', '\ta', '\ra', '＝1', '＋1', '－1', '＠a'])('the text %j is no formula', (text) => {
  expect(csvField(text)).toContain(`'${text}`);
});

test.each([
  ['plain', 'plain'],
  ['1=1', '1=1'],
  [-5, '-5'],
  [null, ''],
])('%j stays as it is', (value, text) => {
  expect(csvField(value)).toBe(text);
});
