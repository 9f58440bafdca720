import { expect, test } from 'vitest';
import { drawn } from '../testing-pictures.ts';
import { createResizer } from './resizer.ts';

test('one company has one process, so that the pictures of others do not wait for its', async () => {
  const resizer = createResizer();
  const [large, small] = [await drawn(4_000, 4_000), await drawn(10, 10)];
  const ended: string[] = [];
  const begun = [
    ...[1, 2, 3].map(() => resizer.resize(large, 1).then(() => ended.push('first company'))),
    resizer.resize(small, 2).then(() => ended.push('second company')),
  ];
  await Promise.all(begun);
  resizer.close();
  expect(ended.indexOf('second company')).toBeLessThan(2);
});

test('rejects pictures that wait too long or are too many', async () => {
  const resizer = createResizer({ maxWaitMs: 50 });
  const picture = await drawn(3_000, 3_000);
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => resizer.resize(picture, 1)));
  resizer.close();
  expect(outcomes[0]!.status).toBe('fulfilled');
  const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
  expect(refused.length).toBeGreaterThan(9);
  expect(new Set(refused)).toEqual(new Set(['rate_limited']));
});

test('a picture that takes too long costs its process and nothing else', async () => {
  const resizer = createResizer({ timeLimitMs: 30 });
  await expect(resizer.resize(await drawn(100, 100), 1)).rejects.toThrow('cannot be read');
  resizer.close();
});

test('waiting requests fail when the program stops', async () => {
  const resizer = createResizer();
  const picture = await drawn(3_000, 3_000);
  const all = Promise.allSettled([resizer.resize(picture, 1), resizer.resize(picture, 1)]);
  resizer.close();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
