import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('a rate spreads messages evenly, however many ask at once', async () => {
  const pace = createPace(100);
  const began = performance.now();
  await Promise.all(Array.from({ length: 21 }, pace));
  expect(performance.now() - began).toBeGreaterThan(195);
});

test('without a rate nobody waits', async () => {
  const pace = createPace(null);
  const began = performance.now();
  for (let i = 0; i < 1_000; i++) await pace();
  expect(performance.now() - began).toBeLessThan(200);
});
