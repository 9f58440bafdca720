import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { arrayAsText } from './array-text.ts';
import { sql } from './sql.ts';

const server = testServer();

test('arrays arrive element by element as they were sent', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', '"', '\\', ',', '{', '}', ' ', '\n', '\t', "'", 'NULL', '💧'),
  });
  // A number as text has no sign when it is zero; pg writes none either.
  const real = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
  const elements = fc.record({
    texts: fc.array(fc.option(text)),
    numbers: fc.array(fc.option(fc.oneof(fc.maxSafeInteger(), real))),
    booleans: fc.array(fc.option(fc.boolean())),
  });
  await fc.assert(
    fc.asyncProperty(elements, async ({ texts, numbers, booleans }) => {
      const [row] = await server.app.db.query<{ t: unknown; n: (number | null)[]; b: unknown }>(sql`
        select ${texts}::text[] as t, ${numbers}::float8[] as n, ${booleans}::boolean[] as b`);
      expect(row).toEqual({ t: texts, n: numbers, b: booleans });
    }),
    { numRuns: 100 },
  );
});

test('what it does not know is left as it is', () => {
  for (const value of [null, 5, 'a', [new Date(0)], ['a', Buffer.from('a')], [['a']], [1, { a: 1 }]]) {
    expect(arrayAsText(value)).toBe(value);
  }
});
