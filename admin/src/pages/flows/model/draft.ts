import type { schemas } from '../../../api/schema.ts';

export type Flow = schemas['Flow'];
export type Step = schemas['FlowStep'];
export type StepType = Step['type'];
export type Connection = Flow['connections'][number];
export type Position = NonNullable<Step['position']>;
/** The configuration of a step type, as the API describes it. */
export type Config<T extends StepType> = NonNullable<Extract<Step, { type: T }>['config']>;

/** Start of every run: connections refer to it, but it is not a step. */
export const TRIGGER = 'trigger';

/** The editable parts of a flow; each is one field of the API. */
const PARTS = [
  'name',
  'trigger_type',
  'trigger_conditions',
  'trigger_settings',
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

/** Returns the parts in which two drafts differ, in the API's form. */
export function changesOf(before: Draft, after: Draft): Partial<Draft> {
  const changed = PARTS.filter((part) => !isEqual(before[part], after[part]));
  return Object.fromEntries(changed.map((part) => [part, after[part]]));
}

/** Steps and connections refer to each other: they are changed as one. */
const DRAWING: readonly string[] = ['steps', 'connections'];

/** Whether two people changed the same part of a common base. */
export function isContested(base: Draft, mine: Draft, theirs: Draft): boolean {
  const other = Object.keys(changesOf(base, theirs));
  const isDrawing = (part: string): boolean => DRAWING.includes(part);
  return Object.keys(changesOf(base, mine)).some(
    (part) => other.includes(part) || (isDrawing(part) && other.some(isDrawing)),
  );
}

/** Equality of JSON values: the order of fields and undefined fields are ignored. */
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

/** A connection in the API's form, which omits the branch `default`. */
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

/** Returns the target of a branch; null where the run ends. */
export function targetOf({ connections }: Pick<Draft, 'connections'>, from: string, branch: string): string | null {
  return connections.find((one) => one.from === from && branchOf(one) === branch)?.to ?? null;
}
