import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';

const UNITS = ['day', 'week', 'month', 'year'] as const;

export const Frequency = Type.Object({
  id: Id,
  name: Type.String(),
  unit: OneOf(UNITS),
  interval: Type.Integer(),
  active: Type.Boolean(),
  position: Type.Integer(),
});
export type Frequency = Static<typeof Frequency>;

const Name = Trimmed({ minLength: 1, maxLength: 100, description: 'As customers see it' });
const fields = {
  active: Type.Optional(
    Type.Boolean({ description: 'false: existing subscriptions continue, new ones cannot use it' }),
  ),
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'The order of the list' })),
};

export const FrequencyInput = Type.Object({
  name: Name,
  unit: OneOf(UNITS),
  interval: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Of the unit: 2 with `week` is every two weeks' }),
  ...fields,
});
export type FrequencyInput = Static<typeof FrequencyInput>;

export const FrequencyPatch = Type.Object({ name: Type.Optional(Name), ...fields });
export type FrequencyPatch = Static<typeof FrequencyPatch>;

const common = { tag: 'Subscriptions', status: 200 } as const;

export const listFrequencies = {
  ...common,
  method: 'GET',
  path: '/subscription-frequencies',
  scope: 'subscriptions:read',
  summary: 'List the frequencies that subscriptions can have',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
  data: Type.Array(Frequency),
} as const satisfies Endpoint;

export const getFrequency = {
  ...common,
  method: 'GET',
  path: '/subscription-frequencies/{id}',
  scope: 'subscriptions:read',
  summary: 'Read a frequency',
  params: IdParams,
  data: Frequency,
} as const satisfies Endpoint;

export const createFrequency = {
  ...common,
  method: 'POST',
  path: '/subscription-frequencies',
  scope: 'settings:write',
  summary: 'Create a frequency',
  description: 'At the end of the list unless `position` is set.',
  body: FrequencyInput,
  data: Frequency,
  status: 201,
} as const satisfies Endpoint;

export const updateFrequency = {
  ...common,
  method: 'PATCH',
  path: '/subscription-frequencies/{id}',
  scope: 'settings:write',
  summary: 'Rename, move or switch off a frequency',
  description: 'Unit and interval stay as they are: the dates of subscriptions are counted by them.',
  params: IdParams,
  body: FrequencyPatch,
  data: Frequency,
} as const satisfies Endpoint;

export const deleteFrequency = {
  ...common,
  method: 'DELETE',
  path: '/subscription-frequencies/{id}',
  scope: 'settings:write',
  summary: 'Delete a frequency',
  mayRefuse: true,
  description:
    'Returns it as it was. Refused with `in_use` where a subscription has it, a cancelled one included: switch it off instead.',
  params: IdParams,
  data: Frequency,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const frequencyEndpoints: readonly Endpoint[] = [
  listFrequencies,
  getFrequency,
  createFrequency,
  updateFrequency,
  deleteFrequency,
];
