import Type from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Before, FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, RequestIdOfCause } from '../../../lib/schemas.ts';
import { STEP_METRICS } from '../engine/run.ts';
import {
  actionDefaults,
  FlowStats,
  integerFields,
  LogLine,
  readDefaults,
  Timestamp,
  versionFields,
} from '../schemas.ts';

export const listVersions = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/{id}/versions',
  summary: 'List the versions of a flow',
  params: IdParams,
  data: Type.Object({
    versions: Type.Array(
      Type.Object({ flow_id: Id, version: Type.Integer(), ...versionFields, created_at: Timestamp }),
    ),
  }),
} as const satisfies Endpoint;

export const RUN_STATUSES = ['active', 'completed', 'exited', 'failed'] as const;
export type RunFilterStatus = (typeof RUN_STATUSES)[number];
const RunContact = Type.Object(
  {
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
  },
  { description: 'Current name; null if it was deleted' },
);
export const run = {
  run_id: Id,
  flow_id: Id,
  version: Type.Integer(),
  contact_id: Id,
  contact: Nullable(RunContact),
  status: OneOf(RUN_STATUSES),
  reason: Nullable(Type.String()),
  step_id: Nullable(Type.String()),
  due_at: Nullable(Timestamp),
  event_id: Nullable(Id),
  entered_at: Timestamp,
  ended_at: Nullable(Timestamp),
  request_id: RequestIdOfCause,
};

export const listRuns = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/{id}/runs',
  summary: 'List the runs of a flow',
  params: IdParams,
  query: Type.Object({
    status: Type.Optional(OneOf(RUN_STATUSES)),
    contact_id: Type.Optional(Id),
    before: Type.Optional(Before('run_id')),
    ...pageQuery(20),
  }),
  inOrderOf: { before: 'run_id' },
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
  ...readDefaults,
  method: 'GET',
  path: '/flows/runs/{run_id}',
  summary: 'Get a run with its log',
  params: Type.Object({ run_id: Id }),
  data: RunDetail,
} as const satisfies Endpoint;

export const retryRun = {
  ...actionDefaults,
  path: '/flows/runs/retry/{run_id}',
  summary: 'Try a failed run again',
  description:
    'Continues at the failed step, with the newest version if it has this step, so a fix of the flow applies; otherwise with the run’s version.',
  params: Type.Object({ run_id: Id }),
  data: RunDetail,
} as const satisfies Endpoint;

export const getStats = {
  ...readDefaults,
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
        ...integerFields(STEP_METRICS),
        branches: Type.Array(Type.Object({ branch: Type.String(), passed: Type.Integer() }), {
          description: 'Of a step with several branches: how many left it by each, where any did',
        }),
        ...integerFields(['opened', 'clicked'] as const),
        revenue: Type.Number({ description: "Of orders that its messages led to, in the shop's currency" }),
        refunded: Type.Number({
          description: 'Of these orders, refunds and chargebacks without what was paid too much',
        }),
        net: Type.Number({ description: '`revenue` − `refunded`' }),
      }),
    ),
  }),
} as const satisfies Endpoint;

export const listNotifications = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/notifications',
  summary: 'List notifications of notify steps, newest first',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'notification_id' },
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
