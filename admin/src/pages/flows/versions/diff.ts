import { branchOf, type Draft, isEqual, type Step } from '../model/draft.ts';

/** The differences between two versions of a flow. Positions and comments do not affect a run, and are ignored. */
export interface Difference {
  added: readonly Step[];
  removed: readonly Step[];
  changed: readonly { before: Step; after: Step; fields: string[] }[];
  /** Connections as `from branch to`. */
  connected: readonly string[];
  disconnected: readonly string[];
  /** Fields of the flow itself. */
  settings: readonly (keyof Draft)[];
}

const SETTINGS = [
  'name',
  'trigger_type',
  'trigger_conditions',
  'trigger_settings',
  'reentry',
  'exit_on',
  'goal',
  'quiet_hours',
] as const satisfies readonly (keyof Draft)[];

const waysOf = ({ connections }: Draft): string[] => connections.map((one) => `${one.from} ${branchOf(one)} ${one.to}`);

export function differenceOf(before: Draft, after: Draft): Difference {
  const [old, now] = [byId(before), byId(after)];
  const [left, right] = [waysOf(before), waysOf(after)];
  return {
    added: after.steps.filter(({ step_id }) => !old.has(step_id)),
    removed: before.steps.filter(({ step_id }) => !now.has(step_id)),
    changed: before.steps.flatMap((step) => {
      const other = now.get(step.step_id);
      if (other === undefined) return [];
      const fields = changedFields(step, other);
      return fields.length === 0 ? [] : [{ before: step, after: other, fields }];
    }),
    connected: right.filter((way) => !left.includes(way)),
    disconnected: left.filter((way) => !right.includes(way)),
    settings: SETTINGS.filter((name) => !isEqual(before[name], after[name])),
  };
}

export function isSame({ added, removed, changed, connected, disconnected, settings }: Difference): boolean {
  return [added, removed, changed, connected, disconnected, settings].every((list) => list.length === 0);
}

function byId({ steps }: Draft): Map<string, Step> {
  return new Map(steps.map((step) => [step.step_id, step]));
}

function changedFields(before: Step, after: Step): string[] {
  const [left, right] = [before.config ?? {}, after.config ?? {}] as Record<string, unknown>[];
  const names = new Set([...Object.keys(left!), ...Object.keys(right!)]);
  return [
    ...(before.type === after.type ? [] : ['type']),
    ...((before.name ?? '') === (after.name ?? '') ? [] : ['name']),
    ...[...names].filter((name) => !isEqual(left![name], right![name])),
  ];
}
