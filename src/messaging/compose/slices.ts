import type { JobOutcome } from '../../lib/threads/pool.ts';

/** Maximum size of a job's result in bytes; a single larger mail fails. */
export const MOST_BYTES = 4 * 1024 * 1024;

export type Killed = { killed: 'time' | 'memory' | 'crash' | 'closed' };

export function isKilled(result: unknown): result is Killed {
  return typeof result === 'object' && result !== null && 'killed' in result;
}

/**
 * Processes items in jobs of several; a job returns results for as many items as its time allowed, but for at least one. If a job is
 * killed, its items are processed one by one, so that only the one at fault fails. Yields the results as they arrive.
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
