import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../house/sources.ts';
import type { Mutant } from './mutate.ts';

/** A mutant that no test needs to notice, and why. */
export interface Known {
  path: string;
  before: string;
  after: string;
  reason: string;
}

const FILE = 'src/testing/mutants/known-survivors.json';

export function readKnown(): Known[] {
  return JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Known[];
}

/** Returns why the mutant may survive; undefined if it may not. Lines may move. */
export function reasonFor(known: readonly Known[], { path, before, after }: Mutant): string | undefined {
  return known.find((one) => one.path === path && one.before === before && one.after === after)?.reason;
}

/** Returns the entries whose line is no longer in the file. */
export function outdated(known: readonly Known[], path: string, mutants: readonly Mutant[]): Known[] {
  return known.filter((one) => one.path === path && !mutants.some((mutant) => reasonFor([one], mutant) !== undefined));
}
