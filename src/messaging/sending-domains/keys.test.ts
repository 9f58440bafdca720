import { expect, test } from 'vitest';
import { createDomainKeyMaker } from './keys.ts';

test('keys are made one at a time, companies in turn, and a company waits with few', async () => {
  const makeKey = createDomainKeyMaker();
  const made: number[] = [];
  const refused: string[] = [];
  const make = (companyId: number): Promise<unknown> =>
    makeKey(companyId).then(
      () => made.push(companyId),
      (error: { code: string }) => refused.push(error.code),
    );
  await Promise.all([...Array.from({ length: 10 }, () => make(1)), make(2)]);
  expect(made).toEqual([1, 2, 1, 1, 1, 1, 1]);
  expect(refused).toEqual(Array(4).fill('rate_limited'));
});
