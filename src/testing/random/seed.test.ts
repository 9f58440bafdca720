import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandToRepeat, random, SEED } from './seed.ts';

const MODULE = fileURLToPath(new URL('seed.ts', import.meta.url));

function seedIn(env: Record<string, string>): string {
  const program = `import { SEED } from ${JSON.stringify(MODULE)}; process.stdout.write(String(SEED));`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' });
}

it('is the day in UTC, or what TEST_SEED says', () => {
  const days = [0, 1].map((later) => new Date(Date.now() + 1_000 * later).toISOString().slice(0, 10));
  expect(days.map((day) => day.replaceAll('-', ''))).toContain(seedIn({}));
  expect(seedIn({ TEST_SEED: '42' })).toBe('42');
  expect(commandToRepeat(['a.test.ts', 'b.test.ts'])).toBe(`TEST_SEED=${SEED} npx vitest run a.test.ts b.test.ts`);
});

it('is the seed of fast-check', () => {
  expect(fc.readConfigureGlobal()).toMatchObject({ seed: SEED });
});

it('decides the random choices, which differ by their salt', () => {
  const first = (salt: number, seed?: number): number[] => {
    const pick = random(salt, seed);
    return Array.from({ length: 20 }, () => pick(1_000));
  };
  expect(first(1)).toEqual(first(1));
  expect(first(1)).not.toEqual(first(2));
  expect(first(1, 5)).not.toEqual(first(1, 6));
  expect(first(1).every((one) => Number.isInteger(one) && one >= 0 && one < 1_000)).toBe(true);
});
