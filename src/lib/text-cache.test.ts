import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextCache } from './text-cache.ts';

test('never holds more than it may, always the most recently used, and never a wrong value', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'bb', 'ccc', 'dddd', 'eeeee', 'x'.repeat(11)),
    write: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = createTextCache<number>(3, 10);
      // The model: pairs from the least to the most recently used.
      let model: [string, number][] = [];
      for (const [index, { key, write }] of steps.entries()) {
        const known = model.find(([name]) => name === key);
        if (!write) expect(cache.get(key)).toBe(known?.[1]);
        if (!write && !known) continue;
        model = model.filter(([name]) => name !== key);
        if (write) cache.set(key, index);
        if (key.length <= 10) model.push([key, write ? index : known![1]]);
        while (model.length > 3 || model.reduce((sum, [name]) => sum + name.length, 0) > 10) model.shift();
      }
      for (const [key, value] of model) expect(cache.get(key)).toBe(value);
    }),
  );
});
