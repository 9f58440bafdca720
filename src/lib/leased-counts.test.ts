import { expect, test } from 'vitest';
import { type Leased, takeLeased } from './leased-counts.ts';

/** Leases `sizes` one after the other. */
function leaser(sizes: number[]) {
  const leased: Leased = { unused: 0, asking: undefined };
  let asked = 0;
  const lease = async (): Promise<void> => {
    leased.unused += sizes[asked++]!;
  };
  const take = () => takeLeased(leased, lease, () => asked === sizes.length);
  return { leased, take, asked: () => asked };
}

test('callers that find nothing left share a lease, and lease again when it is too small for all', async () => {
  const { leased, take, asked } = leaser([2, 2]);
  expect(await Promise.all([take(), take(), take()])).toEqual([true, true, true]);
  expect([asked(), leased.unused]).toEqual([2, 1]);
});

test('the last ones are taken before the others are refused', async () => {
  const { take } = leaser([1, 0]);
  expect(await take()).toBe(true);
  expect(await take()).toBe(false);
});
