import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { HISTORY_FIELDS, RuleTree } from '../rules/schema.ts';

const Conditions = RuleTree;

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

const fields = {
  segment_id: Id,
  name: Type.String(),
  conditions: Conditions,
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Segment = Type.Object(fields);
export type Segment = Static<typeof Segment>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
export const SegmentInput = Type.Object({ name: Name, conditions: Conditions });
export type SegmentInput = Static<typeof SegmentInput>;
export const SegmentPatch = Type.Object({ name: Type.Optional(Name), conditions: Type.Optional(Conditions) });
export type SegmentPatch = Static<typeof SegmentPatch>;

const FIELDS = `A rule’s field is one of the contact (email, first_name, last_name, phone, external_id, source, status, tags, list_ids, contact_id, created_at, updated_at, properties.NAME), or of its history: ${HISTORY_FIELDS}. Beside counts and totals \`within_days\` looks back so many days; beside events \`where\` says what their data must hold. “At least 3 orders in 30 days” is {"field": "events.order_placed.count", "comparison": "greater_than_or_equal", "value": 3, "within_days": 30}.`;

export const listSegments = {
  method: 'GET',
  path: '/segments',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'List segments',
  description: 'Newest first.',
  query: Type.Object(pageQuery(20)),
  data: Type.Array(Segment),
  listAs: 'segments',
  status: 200,
} as const satisfies Endpoint;

export const createSegment = {
  method: 'POST',
  path: '/segments',
  scope: 'marketing:write',
  tag: 'Segments',
  summary: 'Create a segment',
  description: FIELDS,
  body: SegmentInput,
  data: Segment,
  status: 201,
} as const satisfies Endpoint;

export const getSegment = {
  method: 'GET',
  path: '/segments/{id}',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'Read a segment',
  description: 'With the number of contacts that it has now.',
  params: IdParams,
  data: Type.Object({ ...fields, count: Type.Integer() }),
  status: 200,
} as const satisfies Endpoint;

export const updateSegment = {
  method: 'PATCH',
  path: '/segments/{id}',
  scope: 'marketing:write',
  tag: 'Segments',
  summary: 'Change a segment',
  description: 'The conditions are replaced as a whole.',
  params: IdParams,
  body: SegmentPatch,
  data: Segment,
  status: 200,
} as const satisfies Endpoint;

export const deleteSegment = {
  method: 'DELETE',
  path: '/segments/{id}',
  scope: 'marketing:write',
  tag: 'Segments',
  summary: 'Delete a segment',
  params: IdParams,
  data: Type.Object({ segment_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

export const previewSegment = {
  method: 'POST',
  path: '/segments/preview',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'Count the contacts that conditions pick',
  description: FIELDS,
  body: Type.Object({ conditions: Conditions }),
  data: Type.Object({ count: Type.Integer() }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const segmentEndpoints: readonly Endpoint[] = [
  listSegments,
  createSegment,
  previewSegment,
  getSegment,
  updateSegment,
  deleteSegment,
];
