import type { schemas } from '../../../api/schema.ts';

export type Flow = schemas['Flow'];
export type Step = schemas['FlowStep'];
export type StepType = Step['type'];
export type Connection = Flow['connections'][number];
export type Position = NonNullable<Step['position']>;
/** The configuration of a step type, as the API describes it. */
export type Config<T extends StepType> = NonNullable<Extract<Step, { type: T }>['config']>;

/** Where every run begins: connections name it, and it is no step. */
export const TRIGGER = 'trigger';

/** What of a flow is edited here; each part is one field of the API. */
const PARTS = [
  'name',
  'trigger_type',
  'trigger_conditions',
  'steps',
  'connections',
  'reentry',
  'exit_on',
  'goal',
  'quiet_hours',
] as const;
export type Draft = Pick<Flow, (typeof PARTS)[number]>;

export function draftOf(flow: Draft): Draft {
  return Object.fromEntries(PARTS.map((part) => [part, flow[part]])) as unknown as Draft;
}

/** The parts in which two drafts differ, as the API takes them. */
export function changesOf(before: Draft, after: Draft): Partial<Draft> {
  const changed = PARTS.filter((part) => !isEqual(before[part], after[part]));
  return Object.fromEntries(changed.map((part) => [part, after[part]]));
}

/** Steps and connections name each other: they are changed as one. */
const DRAWING: readonly string[] = ['steps', 'connections'];

/** Whether two people changed the same part of what both began with. */
export function isContested(base: Draft, mine: Draft, theirs: Draft): boolean {
  const other = Object.keys(changesOf(base, theirs));
  const isDrawing = (part: string): boolean => DRAWING.includes(part);
  return Object.keys(changesOf(base, mine)).some(
    (part) => other.includes(part) || (isDrawing(part) && other.some(isDrawing)),
  );
}

/** Equality of JSON: the order of fields and fields that are undefined do not count. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => isEqual(left[key], right[key]));
}

/** A branch of a step or of the trigger. */
export interface Way {
  from: string;
  branch: string;
}

export const branchOf = (connection: Connection): string => connection.branch ?? 'default';

/** A connection as the API writes it: the branch `default` is not named. */
export function connectionOf(from: string, branch: string, to: string): Connection {
  return branch === 'default' ? { from, to } : { from, branch, to };
}

/** The branches by which a run may leave the step. */
export function branchesOf(step: Step): string[] {
  switch (step.type) {
    case 'webhook':
      return ['default', 'failed'];
    case 'wait_for_event':
      return ['received', 'timeout'];
    case 'branch':
      return [...keysOf(step.config?.paths), 'else'];
    case 'split':
      return keysOf(step.config?.variants);
    case 'exit':
      return [];
    default:
      return ['default'];
  }
}

function keysOf(items: { key: string }[] | undefined): string[] {
  return Array.isArray(items) ? items.map(({ key }) => key) : [];
}

/** The branches of a step or of the trigger. */
export function waysOf(draft: Draft, id: string): string[] {
  if (id === TRIGGER) return ['default'];
  const step = stepOf(draft, id);
  return step === undefined ? [] : branchesOf(step);
}

export function stepOf({ steps }: Pick<Draft, 'steps'>, id: string): Step | undefined {
  return steps.find(({ step_id }) => step_id === id);
}

/** Where a branch leads; null where the run ends. */
export function targetOf({ connections }: Pick<Draft, 'connections'>, from: string, branch: string): string | null {
  return connections.find((one) => one.from === from && branchOf(one) === branch)?.to ?? null;
}
