import { expect, test } from 'vitest';
import { normaliseState, normaliseZip, zipWithin } from './address.ts';

test('postal codes are compared without white space, case and the American +4', () => {
  expect(normaliseZip(' sw1a 1aa', 'GB')).toBe('SW1A1AA');
  expect(normaliseZip('10001-1234', 'US')).toBe('10001');
  expect(normaliseZip('10001-123', 'BR')).toBe('10001-123');
  expect(normaliseState(' ny ', 'US')).toBe('NY');
  expect(normaliseState('Texas', 'US')).toBe('TX');
  expect(normaliseState('elsewhere', 'US')).toBe('ELSEWHERE');
  expect(normaliseState(null, 'US')).toBe('');
});

test.each([
  ['10005', '10000', '10010', true],
  ['10010', '10000', '10010', true],
  ['10011', '10000', '10010', false],
  ['9', '10', '20', false], // as text, 9 would come after 10
  ['02134', '2000', '2199', true],
  ['K1A0B1', 'k1a', 'K1Z', true],
  ['K2A0B1', 'K1A', 'K1Z', false],
  ['', '10000', '10010', false],
])('%s within %s to %s: %s', (zip, from, to, within) => {
  expect(zipWithin(zip, from, to)).toBe(within);
});
