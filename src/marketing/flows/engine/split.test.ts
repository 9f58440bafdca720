import { expect, test } from 'vitest';
import { pickVariant } from './split.ts';

const variants = [
  { key: 'a', weight: 1 },
  { key: 'b', weight: 1 },
  { key: 'c', weight: 2 },
];
const picked = (step: { flowId: number; stepId: string }, contacts: number[]): string =>
  contacts.map((contactId) => pickVariant(variants, step, contactId)).join('');
const first16 = Array.from({ length: 16 }, (_, n) => n);

test('a contact has the variant that it had in every version before', () => {
  expect(
    picked(
      { flowId: 7, stepId: 'split' },
      first16.map((n) => n + 1),
    ),
  ).toBe('baccacbcccccacac');
  expect(
    picked(
      { flowId: 8, stepId: 'other' },
      first16.map((n) => 1_000_003 * n + 1),
    ),
  ).toBe('caacbccbbccccccb');
});

test('without a weight there is nothing to pick', () => {
  expect(() => pickVariant([{ key: 'a', weight: 0 }], { flowId: 1, stepId: 's' }, 1)).toThrow('weight');
});
