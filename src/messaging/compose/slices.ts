import type { JobOutcome } from '../../lib/threads/pool.ts';

/** What a job gives back at most, in bytes; a mail that is larger by itself fails. */
export const MOST_BYTES = 4 * 1024 * 1024;

export type Killed = { killed: 'time' | 'memory' | 'crash' | 'closed' };

export function isKilled(result: unknown): result is Killed {
  return typeof result === 'object' && result !== null && 'killed' in result;
}

/**
 * Does items by jobs of several; a job gives the results of as many as it had time for, at least one. Where a job is
 * killed its items are done one by one, so that only the one at fault comes to harm. Gives the results as they come.
 */
export async function* inSlices<Item, Result>(
  items: readonly Item[],
  run: (some: readonly Item[]) => Promise<JobOutcome<Result[]>>,
): AsyncGenerator<{ item: Item; result: Result | Killed }[]> {
  let rest = items;
  let alone = 0;
  while (rest.length > 0) {
    const some = alone > 0 ? rest.slice(0, 1) : rest;
    const outcome = await run(some);
    if (outcome.ended === 'done') {
      const done = outcome.value;
      if (done.length === 0) throw new Error('A render job returned no results');
      yield done.map((result, i) => ({ item: some[i]!, result }));
      rest = rest.slice(done.length);
      alone -= 1;
      continue;
    }
    const killed = outcome.ended === 'killed' ? outcome.because : 'closed';
    if (killed === 'closed') {
      yield rest.map((item) => ({ item, result: { killed } }));
      return;
    }
    if (some.length > 1) {
      alone = some.length;
      continue;
    }
    yield [{ item: some[0]!, result: { killed } }];
    rest = rest.slice(1);
    alone -= 1;
  }
}
