import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf } from '../../lib/schemas.ts';
import { HISTORY_FIELDS } from '../rules/schema.ts';
import { MAX_STEPS } from './definition/definition.ts';
import { enrollInFlow } from './enrolment/contract.ts';
import { createFromLibrary, listLibrary } from './library/contract.ts';
import { getRun, getStats, listNotifications, listRuns, listVersions, retryRun } from './report/contract.ts';
import { actionDefaults, FlowPatch, FlowRecord, NewFlow, readDefaults, writeDefaults } from './schemas.ts';
import { FLOW_STATUSES } from './status.ts';
import { testFlow } from './trial/contract.ts';

export const listFlows = {
  ...readDefaults,
  method: 'GET',
  path: '/flows',
  summary: 'List flows',
  description: 'Newest first; without `page` all of them, up to 1000.',
  query: Type.Object({
    status: Type.Optional(OneOf(FLOW_STATUSES)),
    trigger_type: Type.Optional(Type.String({ maxLength: 64 })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, 'x-cap': 100 })),
  }),
  inOrderOf: { by: 'flow_id' },
  data: Type.Array(FlowRecord),
  listAs: 'flows',
} as const satisfies Endpoint;

export const createFlow = {
  ...writeDefaults,
  method: 'POST',
  path: '/flows',
  summary: 'Create a flow',
  description: `Conditions (of the trigger, of branches and of events that are waited for) speak of the event’s data, and with \`contact.\` before it of the contact and of its history: ${HISTORY_FIELDS}, as in {"field": "contact.purchases.count", "comparison": "equals", "value": 1}. A flow asks for histories by 50 different rules at most.`,
  body: NewFlow,
  status: 201,
} as const satisfies Endpoint;

export const getFlow = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/{id}',
  summary: 'Get a flow',
  params: IdParams,
  data: FlowRecord,
} as const satisfies Endpoint;

const updating = {
  ...writeDefaults,
  path: '/flows/{id}',
  summary: 'Update a flow',
  conditional: true,
  description:
    'The given fields replace the stored ones. Editing an active flow creates a version; runs keep their version unless apply_to is all.',
  params: IdParams,
  body: FlowPatch,
} as const;
export const updateFlow = { ...updating, method: 'PATCH' } as const satisfies Endpoint;
export const putFlow = { ...updating, method: 'PUT' } as const satisfies Endpoint;

export const deleteFlow = {
  ...writeDefaults,
  method: 'DELETE',
  path: '/flows/{id}',
  summary: 'Delete a flow',
  description: 'Its runs exit.',
  params: IdParams,
  data: Type.Object({ flow_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

export const activateFlow = {
  ...actionDefaults,
  path: '/flows/activate/{id}',
  summary: 'Activate or resume a flow',
} as const satisfies Endpoint;
export const pauseFlow = {
  ...actionDefaults,
  path: '/flows/pause/{id}',
  summary: 'Pause a flow',
  description: 'Its runs stop. Events count as missed and start no run.',
} as const satisfies Endpoint;
export const archiveFlow = {
  ...actionDefaults,
  path: '/flows/archive/{id}',
  summary: 'Archive a flow',
  description: 'Its runs exit.',
} as const satisfies Endpoint;
export const duplicateFlow = {
  ...actionDefaults,
  path: '/flows/duplicate/{id}',
  summary: 'Copy a flow into a draft',
  status: 201,
} as const satisfies Endpoint;

export const migrateFlow = {
  ...actionDefaults,
  path: '/flows/migrate/{id}',
  summary: 'Move runs to the newest version',
  description:
    'Runs whose step does not exist in the newest version keep their version, unless `moves` names a step for them. Each run moves in one transaction, with its log and the statistics of both steps.',
  body: Type.Object({
    moves: Type.Optional(
      Type.Array(
        Type.Object({
          step_id: Type.String({ maxLength: 100, description: 'A step that the newest version lacks' }),
          to: Nullable(
            Type.String({
              maxLength: 100,
              description: 'A step of the newest version, which begins at once; null ends the runs',
            }),
          ),
        }),
        { maxItems: MAX_STEPS },
      ),
    ),
  }),
  data: Type.Object({
    flow_id: Id,
    version: Type.Integer(),
    migrated: Type.Integer(),
    pending: Type.Boolean({ description: 'More are moved in the background' }),
  }),
} as const satisfies Endpoint;

export const getMigration = {
  ...readDefaults,
  method: 'GET',
  path: '/flows/{id}/migration',
  summary: 'Preview a move of runs to the newest version',
  description:
    'Live runs of older versions by step. Runs at steps that the newest version lacks stay unless they are moved.',
  params: IdParams,
  data: Type.Object({
    flow_id: Id,
    version: Type.Integer({ description: 'The newest version; 0 before the first activation' }),
    standing: Type.Array(
      Type.Object({
        version: Type.Integer(),
        step_id: Nullable(Type.String({ description: 'null before the first step' })),
        runs: Type.Integer(),
        fits: Type.Boolean({ description: 'Whether the newest version has the step, of the same type' }),
      }),
    ),
  }),
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
  getMigration,
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
