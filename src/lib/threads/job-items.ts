import type { JobOutcome } from './pool.ts';

/** An item whose job was killed, although the item was alone in it. */
export type Killed = { killed: 'time' | 'memory' | 'crash' | 'closed' };

export function isKilled(result: unknown): result is Killed {
  return typeof result === 'object' && result !== null && 'killed' in result;
}

/**
 * Items that are processed in jobs of several. A job returns results for as many of its first items as its time allowed, but for at least
 * one. If a job is killed, its items are processed one by one, so that only the one at fault fails.
 */
export class JobItems<Item> {
  private rest: readonly Item[];
  /** How many of the first items are processed one by one. */
  private alone = 0;

  constructor(items: readonly Item[]) {
    this.rest = items;
  }

  /** The items without a result. */
  get left(): readonly Item[] {
    return this.rest;
  }

  /** The items of the next job; none once all have a result. */
  get next(): readonly Item[] {
    return this.alone > 0 ? this.rest.slice(0, 1) : this.rest;
  }

  /** Takes the outcome of a job with the `next` items. Returns the results that it brought. */
  settle<Result>(outcome: JobOutcome<readonly Result[]>): { item: Item; result: Result | Killed }[] {
    const { next } = this;
    if (outcome.ended === 'done') {
      if (outcome.value.length === 0) throw new Error('A job returned no results');
      return this.take(outcome.value);
    }
    const killed = outcome.ended === 'killed' ? outcome.because : 'closed';
    if (killed === 'closed') return this.take(this.rest.map(() => ({ killed })));
    if (next.length === 1) return this.take([{ killed }]);
    this.alone = next.length;
    return [];
  }

  private take<Result>(results: readonly Result[]): { item: Item; result: Result }[] {
    const settled = results.map((result, i) => ({ item: this.rest[i]!, result }));
    this.rest = this.rest.slice(results.length);
    this.alone -= results.length;
    return settled;
  }
}
