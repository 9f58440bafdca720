import Type, { type Static } from 'typebox';
import { OneOf } from '../../../lib/schemas.ts';
import type { QuietHours } from '../../../recipients/quiet-hours.ts';
import type { RuleGroup } from '../../../rules/language.ts';
import { BranchName, type EventMatch, Key } from './schemas.ts';
import type { DraftStep } from './steps.ts';
import type { TriggerSettings } from './trigger.ts';

export const TRIGGER = 'trigger';
/** Maximum number of steps of a flow. */
export const MAX_STEPS = 500;
/** Maximum number of visits of a run to one step; on the next visit it exits. */
export const MAX_VISITS = 10;

export const ConnectionSchema = Type.Object({
  from: Key(100),
  to: Key(100),
  branch: Type.Optional(BranchName),
});

export const ReentrySchema = Type.Object({
  mode: OneOf(['always', 'once', 'cooldown'], { default: 'always' }),
  hours: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 87_600, description: 'Of the cooldown' })),
  concurrent: Type.Boolean({ default: false, description: 'Whether a contact may have several runs at once' }),
});

export type Reentry = Static<typeof ReentrySchema>;
export type Connection = Static<typeof ConnectionSchema>;

/** The content of a flow's version, apart from its name. */
export interface Definition {
  trigger_conditions: RuleGroup | null;
  /** Absent in versions that were made before triggers had settings. */
  trigger_settings?: TriggerSettings | null;
  steps: DraftStep[];
  connections: Connection[];
  reentry: Reentry;
  exit_on: EventMatch[];
  goal: EventMatch | null;
  quiet_hours: QuietHours | null;
}

export const EMPTY_DEFINITION: Definition = {
  trigger_conditions: null,
  steps: [],
  connections: [],
  reentry: { mode: 'always', concurrent: false },
  exit_on: [],
  goal: null,
  quiet_hours: null,
};

/** The definition with the fields of `patch` replaced. */
export function mergeDefinition(current: Definition | null, patch: Partial<Definition>): Definition {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return { ...EMPTY_DEFINITION, ...current, ...given };
}
