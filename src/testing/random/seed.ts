import { systemClock } from '../../clock.ts';

/**
 * Seed of all random choices in tests, which changes daily, so that each day tries other ones. It is stored in the environment: workers of
 * a run that goes on past midnight have the same. TEST_SEED sets it.
 */
process.env.TEST_SEED ??= systemClock.now().toISOString().slice(0, 10).replaceAll('-', '');
export const SEED = Number(process.env.TEST_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is ${process.env.TEST_SEED}; it takes a whole number.`);

/** The command that makes the same random choices in these test files again. */
export function commandToRepeat(files: readonly string[]): string {
  return `TEST_SEED=${SEED} npx vitest run ${files.join(' ')}`;
}

/**
 * Returns a generator of whole numbers from 0 to below `below` that depend on the seed and on `salt` alone (mulberry32). Each use has a
 * salt of its own, so that generators of one file differ.
 */
export function random(salt: number, seed = SEED): (below: number) => number {
  let state = (Math.imul(seed, 1_000_003) + salt) | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/**
 * How often a test repeats random choices: `few` times in the suite, since tomorrow's seed makes other ones, and `all` before a release
 * (RANDOM_ROUNDS=all).
 */
export function rounds(few: number, all: number): number {
  return process.env.RANDOM_ROUNDS === 'all' ? all : few;
}
