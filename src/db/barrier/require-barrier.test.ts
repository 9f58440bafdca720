import { expect, test } from 'vitest';
import { requireBarrier } from './require-barrier.ts';

const connection = { host: '/nowhere' };
const log = { warn: () => {} } as unknown as Parameters<typeof requireBarrier>[2];

test('production refuses a barrier with gaps, and names the first three', () => {
  const work = { connection, barrier: true, gaps: ['a', 'b', 'c', 'd'] };
  const config = { mode: 'production', withoutBarrier: false } as const;
  expect(() => requireBarrier(work, config, log)).toThrow('incomplete: a; b; c. Allow');
  expect(() => requireBarrier({ ...work, gaps: [] }, config, log)).not.toThrow();
  expect(() => requireBarrier(work, { ...config, withoutBarrier: true }, log)).not.toThrow();
});
