import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFree } from './slug.ts';

/** Returns the slug found if `taken` are taken, and the number of queries. */
async function search(taken: ReadonlySet<string>): Promise<{ slug: string; queries: number }> {
  let queries = 0;
  const slug = await findFree('mug', async (slugs) => {
    queries += 1;
    return new Set(slugs.filter((one) => taken.has(one)));
  });
  return { slug, queries };
}

const numbered = (numbers: Iterable<number>) => new Set([...numbers].map((n) => (n === 1 ? 'mug' : `mug-${n}`)));
const upTo = (n: number) => numbered(Array.from({ length: n }, (_, i) => i + 1));

test.each([
  [new Set<string>(), 'mug'],
  [new Set(['mug']), 'mug-2'],
  [new Set(['mug', 'mug-2', 'mug-4']), 'mug-3'],
  [new Set(['mug-2']), 'mug'],
  [upTo(31), 'mug-32'],
])('the first free one among a few', async (taken, slug) => {
  expect(await search(taken)).toEqual({ slug, queries: 1 });
});

test.each([32, 33, 63, 64, 65, 1_000, 40_001])('%s that are taken are followed by the next', async (n) => {
  const { slug, queries } = await search(upTo(n));
  expect(slug).toBe(`mug-${n + 1}`);
  expect(queries).toBeLessThanOrEqual(5);
});

test('whatever is taken, the one found is free and follows one that is taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.array(fc.integer({ min: 1, max: 300 })), async (n, gaps) => {
      const taken = upTo(n);
      for (const gap of gaps) taken.delete(gap === 1 ? 'mug' : `mug-${gap}`);
      const { slug } = await search(taken);
      expect(taken.has(slug)).toBe(false);
      const found = slug === 'mug' ? 1 : Number(slug.slice(4));
      if (found > 1) expect(taken.has(found === 2 ? 'mug' : `mug-${found - 1}`)).toBe(true);
    }),
  );
});
