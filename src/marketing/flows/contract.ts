import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { HISTORY_FIELDS, RuleTree } from '../rules/schema.ts';
import { ConnectionSchema, MAX_STEPS, QuietHoursSchema, ReentrySchema } from './definition/definition.ts';
import { EventMatch } from './definition/schemas.ts';
import { STEP_TYPES, StepSchema } from './definition/steps.ts';
import { FLOW_METRICS, STEP_METRICS } from './engine/run.ts';
import { FLOW_STATUSES } from './status.ts';

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

/** What a flow is made of; each replaces the former as a whole. */
const parts = {
  trigger_conditions: Type.Optional(Nullable(RuleTree)),
  steps: Type.Optional(Type.Array(StepSchema, { maxItems: MAX_STEPS })),
  connections: Type.Optional(Type.Array(ConnectionSchema, { maxItems: 4 * MAX_STEPS })),
  reentry: Type.Optional(ReentrySchema),
  exit_on: Type.Optional(
    Type.Array(EventMatch, { maxItems: 20, description: 'Events of the contact that end its run wherever it stands' }),
  ),
  goal: Type.Optional(Nullable(EventMatch)),
  quiet_hours: Type.Optional(Nullable(QuietHoursSchema)),
};
const Name = Trimmed({ minLength: 1, maxLength: 255 });
const TriggerType = Trimmed({ minLength: 1, maxLength: 64, description: 'A listed or registered event type' });

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
        '`all` moves the runs whose step still exists to the new version. What that step has begun ends as it began: a delay at its time',
    }),
  ),
});
export type NewFlow = Static<typeof NewFlow>;
export type FlowPatch = Static<typeof FlowPatch>;

function numbers<const T extends readonly string[]>(metrics: T) {
  return Object.fromEntries(metrics.map((metric) => [metric, Type.Integer()])) as Record<T[number], Type.TInteger>;
}

const FlowStats = Type.Object(numbers(FLOW_METRICS));
const frozen = {
  name: Type.String(),
  trigger_type: Type.String(),
  trigger_conditions: Nullable(RuleTree),
  steps: Type.Array(StepSchema),
  connections: Type.Array(ConnectionSchema),
  reentry: ReentrySchema,
  exit_on: Type.Array(EventMatch),
  goal: Nullable(EventMatch),
  quiet_hours: Nullable(QuietHoursSchema),
};
export const FlowRecord = Type.Object({
  flow_id: Id,
  status: OneOf(FLOW_STATUSES),
  version: Type.Integer({ description: 'The newest frozen version; 0 before the first activation' }),
  ...frozen,
  created_at: Timestamp,
  updated_at: Timestamp,
  stats: FlowStats,
});
export type FlowRecord = Static<typeof FlowRecord>;

const base = { scope: 'marketing:write', tag: 'Flows', data: FlowRecord, status: 200 } as const;
const read = { scope: 'marketing:read', tag: 'Flows', status: 200 } as const;

export const listFlows = {
  ...read,
  method: 'GET',
  path: '/flows',
  summary: 'List flows',
  description: 'The newest first; all of them, up to 1000, where no page is asked for.',
  query: Type.Object({
    status: Type.Optional(OneOf(FLOW_STATUSES)),
    trigger_type: Type.Optional(Type.String({ maxLength: 64 })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, 'x-cap': 100 })),
  }),
  data: Type.Array(FlowRecord),
  listAs: 'flows',
} as const satisfies Endpoint;

export const createFlow = {
  ...base,
  method: 'POST',
  path: '/flows',
  summary: 'Create a flow',
  description: `Conditions (of the trigger, of branches and of events that are waited for) speak of the event’s data, and with \`contact.\` before it of the contact and of its history: ${HISTORY_FIELDS}, as in {"field": "contact.purchases.count", "comparison": "equals", "value": 1}. A flow asks for histories by 50 different rules at most.`,
  body: NewFlow,
  status: 201,
} as const satisfies Endpoint;

export const getFlow = {
  ...read,
  method: 'GET',
  path: '/flows/{id}',
  summary: 'Get a flow',
  params: IdParams,
  data: FlowRecord,
} as const satisfies Endpoint;

const updating = {
  ...base,
  path: '/flows/{id}',
  summary: 'Update a flow',
  description:
    'What is given replaces what was there. An edit of an active flow makes a new version; runs keep theirs unless apply_to is all.',
  params: IdParams,
  body: FlowPatch,
} as const;
export const updateFlow = { ...updating, method: 'PATCH' } as const satisfies Endpoint;
export const putFlow = { ...updating, method: 'PUT' } as const satisfies Endpoint;

export const deleteFlow = {
  ...base,
  method: 'DELETE',
  path: '/flows/{id}',
  summary: 'Delete a flow',
  description: 'Its runs exit.',
  params: IdParams,
  data: Type.Object({ flow_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

const deed = { ...base, method: 'POST', params: IdParams, body: Type.Object({}), bodyOptional: true } as const;

export const activateFlow = {
  ...deed,
  path: '/flows/activate/{id}',
  summary: 'Activate or resume a flow',
} as const satisfies Endpoint;
export const pauseFlow = {
  ...deed,
  path: '/flows/pause/{id}',
  summary: 'Pause a flow',
  description: 'Its runs stand still; events meanwhile are counted as missed and start no run.',
} as const satisfies Endpoint;
export const archiveFlow = {
  ...deed,
  path: '/flows/archive/{id}',
  summary: 'Archive a flow',
  description: 'Its runs exit.',
} as const satisfies Endpoint;
export const duplicateFlow = {
  ...deed,
  path: '/flows/duplicate/{id}',
  summary: 'Copy a flow into a draft',
  status: 201,
} as const satisfies Endpoint;

export const migrateFlow = {
  ...deed,
  path: '/flows/migrate/{id}',
  summary: 'Move runs to the newest version',
  description: 'Runs whose step the newest version does not have stay with theirs.',
  data: Type.Object({
    flow_id: Id,
    version: Type.Integer(),
    migrated: Type.Integer(),
    pending: Type.Boolean({ description: 'More are moved in the background' }),
  }),
} as const satisfies Endpoint;

export const EnrollBody = Type.Object({
  contact_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1_000, uniqueItems: true })),
  event_data: Type.Optional(FreeForm),
});
export const enrollInFlow = {
  ...deed,
  path: '/flows/enroll/{id}',
  summary: 'Let contacts enter a flow',
  description:
    'With contact_ids these, whatever the trigger conditions; else those whose events came while it was paused.',
  body: EnrollBody,
  data: Type.Object({ flow_id: Id, enrolled: Type.Integer(), skipped: Type.Integer(), pending: Type.Boolean() }),
} as const satisfies Endpoint;

export const TestBody = Type.Object({
  contact_id: Type.Optional(Id),
  contact: Type.Optional(FreeForm),
  event_data: Type.Optional(FreeForm),
  events: Type.Optional(
    Type.Array(
      Type.Object({
        event_type: Type.String({ minLength: 1, maxLength: 64 }),
        event_data: Type.Optional(FreeForm),
        after_minutes: Type.Number({ minimum: 0, maximum: 100_000_000 }),
      }),
      { maxItems: 100, description: 'Events of the contact that come later' },
    ),
  ),
  webhooks: Type.Optional(
    Type.Unsafe<Record<string, 'default' | 'failed'>>({
      type: 'object',
      additionalProperties: { type: 'string', enum: ['default', 'failed'] },
      description: 'The branch by which each webhook step is left; default where absent',
    }),
  ),
});
export type TestBody = Static<typeof TestBody>;

const LogLine = {
  at: Timestamp,
  step_id: Nullable(Type.String()),
  type: Nullable(OneOf(STEP_TYPES)),
  result: Type.String({
    description:
      'The branch taken; waiting; skipped, where what the step was to cause was not possible; or what became of the run',
  }),
  detail: Nullable(Type.String()),
};

export const testFlow = {
  ...deed,
  path: '/flows/test/{id}',
  summary: 'Walk through a flow without sending anything',
  description: 'Waits pass at once; the path says when each step would be done.',
  body: TestBody,
  data: Type.Object({
    flow_id: Id,
    enters: Type.Boolean({ description: 'Whether the event meets the trigger conditions' }),
    path: Type.Array(Type.Object(LogLine)),
    effects: Type.Array(Type.Object({ at: Timestamp, kind: Type.String(), detail: FreeForm })),
    status: Type.String(),
    reason: Nullable(Type.String()),
  }),
} as const satisfies Endpoint;

export const listVersions = {
  ...read,
  method: 'GET',
  path: '/flows/{id}/versions',
  summary: 'List the versions of a flow',
  params: IdParams,
  data: Type.Object({
    versions: Type.Array(Type.Object({ flow_id: Id, version: Type.Integer(), ...frozen, created_at: Timestamp })),
  }),
} as const satisfies Endpoint;

export const RUN_STATUSES = ['active', 'completed', 'exited', 'failed'] as const;
export type RunFilterStatus = (typeof RUN_STATUSES)[number];
const run = {
  run_id: Id,
  flow_id: Id,
  version: Type.Integer(),
  contact_id: Id,
  status: OneOf(RUN_STATUSES),
  reason: Nullable(Type.String()),
  step_id: Nullable(Type.String()),
  due_at: Nullable(Timestamp),
  event_id: Nullable(Id),
  entered_at: Timestamp,
  ended_at: Nullable(Timestamp),
};

export const listRuns = {
  ...read,
  method: 'GET',
  path: '/flows/{id}/runs',
  summary: 'List the runs of a flow',
  params: IdParams,
  query: Type.Object({
    status: Type.Optional(OneOf(RUN_STATUSES)),
    contact_id: Type.Optional(Id),
    ...pageQuery(20),
  }),
  data: Type.Array(Type.Object(run)),
  listAs: 'runs',
} as const satisfies Endpoint;

const RunDetail = Type.Object({
  ...run,
  event: Nullable(FreeForm),
  vars: FreeForm,
  log: Type.Array(Type.Object(LogLine)),
});

export const getRun = {
  ...read,
  method: 'GET',
  path: '/flows/runs/{run_id}',
  summary: 'Get a run with its log',
  params: Type.Object({ run_id: Id }),
  data: RunDetail,
} as const satisfies Endpoint;

export const retryRun = {
  ...deed,
  path: '/flows/runs/retry/{run_id}',
  summary: 'Try a failed run again',
  description:
    'At the step at which it failed, by the newest version of the flow where that has the step: so what was mended counts. Else by its own version.',
  params: Type.Object({ run_id: Id }),
  data: RunDetail,
} as const satisfies Endpoint;

export const getStats = {
  ...read,
  method: 'GET',
  path: '/flows/{id}/stats',
  summary: 'Get the numbers of a flow and of its steps',
  params: IdParams,
  data: Type.Object({
    flow_id: Id,
    totals: FlowStats,
    steps: Type.Array(
      Type.Object({
        step_id: Type.String(),
        ...numbers(STEP_METRICS),
        ...numbers(['opened', 'clicked'] as const),
        revenue: Type.Number({ description: "Of orders that its messages led to, in the shop's currency" }),
      }),
    ),
  }),
} as const satisfies Endpoint;

export const listNotifications = {
  ...read,
  method: 'GET',
  path: '/flows/notifications',
  summary: 'List what notify steps told, the newest first',
  query: Type.Object(pageQuery(20)),
  data: Type.Array(
    Type.Object({
      notification_id: Id,
      flow_id: Id,
      run_id: Id,
      step_id: Type.String(),
      contact_id: Id,
      message: Type.String(),
      created_at: Timestamp,
    }),
  ),
  listAs: 'notifications',
} as const satisfies Endpoint;

export const listLibrary = {
  ...read,
  method: 'GET',
  path: '/flows/library',
  summary: 'List flows to begin with',
  data: Type.Object({
    library: Type.Array(Type.Object({ library_name: Type.String(), description: Type.String(), ...frozen })),
  }),
} as const satisfies Endpoint;

export const createFromLibrary = {
  ...base,
  method: 'POST',
  path: '/flows/from-library/{name}',
  summary: 'Make a draft from the library',
  params: Type.Object({ name: Type.String() }),
  body: Type.Object({ name: Type.Optional(Name) }),
  bodyOptional: true,
  status: 201,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const flowEndpoints: readonly Endpoint[] = [
  listFlows,
  createFlow,
  getFlow,
  updateFlow,
  putFlow,
  deleteFlow,
  activateFlow,
  pauseFlow,
  archiveFlow,
  duplicateFlow,
  migrateFlow,
  enrollInFlow,
  testFlow,
  listVersions,
  listRuns,
  getStats,
  getRun,
  retryRun,
  listNotifications,
  listLibrary,
  createFromLibrary,
];
