import { branchOf, type Connection, type Draft, TRIGGER, waysOf } from './draft.ts';

/** How many entered a flow, and how many passed its steps. */
export interface Passes {
  entered: number;
  steps: ReadonlyMap<string, { passed: number; branches: readonly { branch: string; passed: number }[] }>;
}

/** How many runs went along a connection. */
export function passedAlong(draft: Draft, { entered, steps }: Passes, connection: Connection): number {
  const { from } = connection;
  if (from === TRIGGER) return entered;
  const counted = steps.get(from);
  if (counted === undefined) return 0;
  if (waysOf(draft, from).length === 1) return counted.passed;
  return counted.branches.find(({ branch }) => branch === branchOf(connection))?.passed ?? 0;
}
