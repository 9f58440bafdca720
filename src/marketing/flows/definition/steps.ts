import Type, { type Static, type TObject } from 'typebox';
import { FreeForm, Id, OneOf, Trimmed } from '../../../lib/schemas.ts';
import { ClockTime, Zone } from '../../../recipients/quiet-hours.ts';
import { RuleTree } from '../../rules/schema.ts';
import { BranchName, Conditions, Duration, EventMatch, EventType, Key, Same, UNITS, WEEKDAYS } from './schemas.ts';

export const STEP_TYPES = [
  'send_email',
  'send_sms',
  'webhook',
  'delay',
  'wait_until',
  'wait_for_event',
  'branch',
  'split',
  'update_contact',
  'add_tag',
  'remove_tag',
  'add_to_list',
  'remove_from_list',
  'track_event',
  'start_flow',
  'notify',
  'goal',
  'exit',
] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** The complete configuration of each step type. A draft may lack any of it. */
export const CONFIGS = {
  send_email: Type.Object({
    template_id: Type.Optional(Id),
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 998 })),
    content: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000, description: 'HTML or MJML, with Liquid' })),
    preview_text: Type.Optional(Type.String({ maxLength: 255 })),
    from: Type.Optional(Type.String({ maxLength: 320, description: 'An address, or Name <address>' })),
    transactional: Type.Optional(Type.Boolean()),
  }),
  send_sms: Type.Object({
    content: Type.String({ minLength: 1, maxLength: 1_600 }),
    transactional: Type.Optional(Type.Boolean()),
  }),
  webhook: Type.Object({
    url: Type.String({
      maxLength: 2_000,
      pattern: '^https?://.',
      description: 'May hold Liquid; https, and on the public internet',
    }),
    method: Type.Optional(OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 30,
        propertyNames: { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" },
        additionalProperties: { type: 'string', maxLength: 2_000, pattern: '^[\\t\\x20-\\x7e]*$' },
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<string | Record<string, unknown>>({
        type: ['string', 'object'],
        maxLength: 100_000,
        description: 'Sent as JSON; texts in it may hold Liquid. Without one: the run, its event and its contact',
      }),
    ),
    save_as: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' })),
  }),
  delay: Duration,
  wait_until: Type.Object({
    time: Type.Optional(ClockTime),
    weekdays: Type.Optional(Type.Array(OneOf(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true })),
    timezone: Type.Optional(Zone),
    date_field: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'A path in event_data, or contact.…' }),
    ),
    yearly: Type.Optional(
      Type.Boolean({
        description: 'The next anniversary of the date, such as a birthday; the 29th of February is the 28th',
      }),
    ),
    offset: Type.Optional(
      Type.Object({ value: Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }), unit: OneOf(UNITS) }),
    ),
  }),
  wait_for_event: Type.Object({
    event_type: EventType,
    conditions: Conditions,
    same: Same,
    since: Type.Optional(OneOf(['flow_entry', 'step_entry'])),
    timeout: Type.Optional(Duration),
  }),
  branch: Type.Object({
    paths: Type.Array(Type.Object({ key: BranchName, conditions: RuleTree }), { minItems: 1, maxItems: 20 }),
  }),
  split: Type.Object({
    variants: Type.Array(Type.Object({ key: BranchName, weight: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }), {
      minItems: 1,
      maxItems: 20,
    }),
  }),
  update_contact: Type.Object({
    first_name: Type.Optional(Type.String({ maxLength: 255 })),
    last_name: Type.Optional(Type.String({ maxLength: 255 })),
    properties: Type.Optional(FreeForm),
  }),
  add_tag: Type.Object({ tag: Trimmed({ minLength: 1, maxLength: 100 }) }),
  remove_tag: Type.Object({ tag: Trimmed({ minLength: 1, maxLength: 100 }) }),
  add_to_list: Type.Object({ list_id: Id }),
  remove_from_list: Type.Object({ list_id: Id }),
  track_event: Type.Object({ event_type: EventType, event_data: Type.Optional(FreeForm) }),
  start_flow: Type.Object({ flow_id: Id }),
  notify: Type.Object({ message: Type.String({ minLength: 1, maxLength: 2_000 }) }),
  goal: EventMatch,
  exit: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 255 })) }),
} as const satisfies Record<StepType, TObject>;

const stepFields = {
  step_id: Key(100),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  comment: Type.Optional(Type.String({ maxLength: 2_000, description: 'For people; runs ignore it' })),
  position: Type.Optional(Type.Object({ x: Type.Number(), y: Type.Number() })),
};

/** A step of a draft: its configuration may be incomplete, and is checked when the flow is activated. */
export const StepSchema = Type.Object(
  { ...stepFields, type: OneOf(STEP_TYPES), config: Type.Optional(FreeForm) },
  {
    'x-documented-as': {
      title: 'FlowStep',
      description: 'A draft may lack any of `config`; an active flow has it complete',
      oneOf: STEP_TYPES.map((type) =>
        Type.Object({ ...stepFields, type: Type.Literal(type), config: Type.Optional(CONFIGS[type]) }, { title: type }),
      ),
    },
  },
);

export type Config<T extends StepType> = Static<(typeof CONFIGS)[T]>;
/** A stored step, whose configuration may be incomplete. */
export type DraftStep = Static<typeof StepSchema>;

/** A step of a checked graph, with a complete configuration. */
export type Step = {
  [T in StepType]: { step_id: string; type: T; name?: string; config: Config<T> };
}[StepType];

/** The branches of a step. */
export function branchesOf(step: DraftStep): string[] {
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

function keysOf(items: unknown): string[] {
  return Array.isArray(items) ? items.map((item: { key?: unknown }) => String(item?.key)) : [];
}
