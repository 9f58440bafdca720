import type { Connection } from '../model/draft.ts';
import { TRIGGER } from '../model/draft.ts';

/** The part of a test run's result that the drawing needs. */
export interface Walked {
  enters: boolean;
  path: readonly { at: string; step_id: string | null; result: string }[];
}

/** The part of a test run that has happened by a time. */
export interface Lit {
  /** By step: passed, or where the run is. */
  steps: ReadonlyMap<string, 'passed' | 'now'>;
  /** Connections as `from branch to`. */
  ways: ReadonlyMap<string, 'lit'>;
}

/** Milliseconds of the API's moments, which are UTC. */
export const momentOf = (at: string): number => Date.parse(`${at.replace(' ', 'T')}Z`);

/** The times at which something happens, in order and without duplicates. */
export function momentsOf({ path }: Walked): number[] {
  return [...new Set(path.map(({ at }) => momentOf(at)))].sort((a, b) => a - b);
}

/** Returns the part of the path that has been taken by that time. */
export function litBy({ path, enters }: Walked, connections: readonly Connection[], by: number): Lit {
  const steps = new Map<string, 'passed' | 'now'>();
  const ways = new Map<string, 'lit'>();
  if (!enters) return { steps, ways };
  steps.set(TRIGGER, 'now');
  let [from, branch] = [TRIGGER, 'default'];
  for (const { at, step_id, result } of path) {
    if (step_id === null || momentOf(at) > by) continue;
    // A step that waited appears again when it is left.
    if (branch !== 'waiting') {
      const way = connections.find((one) => one.from === from && (one.branch ?? 'default') === branch);
      if (way?.to === step_id) ways.set(`${from} ${branch} ${step_id}`, 'lit');
    }
    steps.set(from, 'passed');
    steps.set(step_id, 'now');
    [from, branch] = [step_id, result];
  }
  return { steps, ways };
}
