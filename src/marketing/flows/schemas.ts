import Type, { type Static } from 'typebox';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { QuietHoursSchema } from '../../recipients/quiet-hours.ts';
import { RuleTree } from '../rules/schema.ts';
import { ConnectionSchema, MAX_STEPS, ReentrySchema } from './definition/definition.ts';
import { EventMatch } from './definition/schemas.ts';
import { STEP_TYPES, StepSchema } from './definition/steps.ts';
import { TriggerSettingsSchema } from './definition/trigger.ts';
import { FLOW_METRICS } from './engine/run.ts';
import { FLOW_STATUSES } from './status.ts';

export const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const Name = Trimmed({ minLength: 1, maxLength: 255 });
export function integerFields<const T extends readonly string[]>(metrics: T) {
  return Object.fromEntries(metrics.map((metric) => [metric, Type.Integer()])) as Record<T[number], Type.TInteger>;
}

export const FlowStats = Type.Object(integerFields(FLOW_METRICS));
export const versionFields = {
  name: Type.String(),
  trigger_type: Type.String(),
  trigger_conditions: Nullable(RuleTree),
  trigger_settings: Nullable(TriggerSettingsSchema),
  steps: Type.Array(StepSchema),
  connections: Type.Array(ConnectionSchema),
  reentry: ReentrySchema,
  exit_on: Type.Array(EventMatch),
  goal: Nullable(EventMatch),
  quiet_hours: Nullable(QuietHoursSchema),
};
const FlowWarning = Type.Object({
  code: OneOf(['same_trigger', 'empty_coupon', 'button_without_link', 'no_postal_address', 'empty_link'] as const),
  step_id: Nullable(Type.String({ description: 'null: the trigger' })),
  detail: Nullable(Type.String({ description: 'The name of the other flow, or the text of the button' })),
  message: Type.String({ description: 'The warning as a sentence' }),
});
export type FlowWarning = Static<typeof FlowWarning>;

export const FlowRecord = Type.Object({
  flow_id: Id,
  status: OneOf(FLOW_STATUSES),
  version: Type.Integer({ description: 'The newest frozen version; 0 before the first activation' }),
  revision: Revision,
  ...versionFields,
  created_at: Timestamp,
  updated_at: Timestamp,
  stats: FlowStats,
  warnings: Type.Optional(
    Type.Array(FlowWarning, {
      description:
        'Where the request made the flow active: what to look at in it. Another active flow with the same trigger; empty coupon blocks, buttons without a link and a missing postal address of marketing e-mails',
    }),
  ),
});
export type FlowRecord = Static<typeof FlowRecord>;

export const writeDefaults = { scope: 'marketing:write', tag: 'Flows', data: FlowRecord, status: 200 } as const;
export const readDefaults = { scope: 'marketing:read', tag: 'Flows', status: 200 } as const;

export const actionDefaults = {
  ...writeDefaults,
  method: 'POST',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
} as const;

export const LogLine = {
  at: Timestamp,
  step_id: Nullable(Type.String()),
  type: Nullable(OneOf(STEP_TYPES)),
  result: Type.String({
    description:
      'The branch taken; waiting; moved, where the run went on to a step of another version; skipped, where what the step was to cause was not possible or its message was skipped; failed, where its message failed; or what became of the run',
  }),
  detail: Nullable(Type.String()),
};

/** The parts of a flow; each replaces the previous value as a whole. */
export const parts = {
  trigger_conditions: Type.Optional(Nullable(RuleTree)),
  trigger_settings: Type.Optional(Nullable(TriggerSettingsSchema)),
  steps: Type.Optional(Type.Array(StepSchema, { maxItems: MAX_STEPS })),
  connections: Type.Optional(Type.Array(ConnectionSchema, { maxItems: 4 * MAX_STEPS })),
  reentry: Type.Optional(ReentrySchema),
  exit_on: Type.Optional(
    Type.Array(EventMatch, { maxItems: 20, description: 'Events of the contact that end its run at any step' }),
  ),
  goal: Type.Optional(Nullable(EventMatch)),
  quiet_hours: Type.Optional(Nullable(QuietHoursSchema)),
};
export const TriggerType = Trimmed({ minLength: 1, maxLength: 64, description: 'A listed or registered event type' });

export const NewFlow = Type.Object({
  name: Name,
  trigger_type: TriggerType,
  status: Type.Optional(OneOf(['draft', 'active'])),
  ...parts,
});
export const FlowPatch = Type.Object({
  name: Type.Optional(Name),
  trigger_type: Type.Optional(TriggerType),
  status: Type.Optional(OneOf(FLOW_STATUSES)),
  ...parts,
  apply_to: Type.Optional(
    OneOf(['new', 'all'], {
      description:
        '`all` moves runs whose step still exists to the new version. A step in progress ends as it started: a delay at its time',
    }),
  ),
});
export type NewFlow = Static<typeof NewFlow>;
export type FlowPatch = Static<typeof FlowPatch>;
