import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, pageQuery, Trimmed } from '../../lib/schemas.ts';
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

/** A segment in a list. */
export const ListedSegment = Type.Object({
  ...fields,
  counted: Type.Unsafe<{ day: string; count: number | null } | null>({
    type: ['object', 'null'],
    required: ['day', 'count'],
    properties: {
      day: { type: 'string', format: 'date', description: 'YYYY-MM-DD, UTC' },
      count: { type: ['integer', 'null'], description: 'Null: counting took too long' },
    },
    description: 'The last count of its contacts, once a day; null where there is none since it was changed',
  }),
});
export type ListedSegment = Static<typeof ListedSegment>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
export const SegmentInput = Type.Object({ name: Name, conditions: Conditions });
export type SegmentInput = Static<typeof SegmentInput>;
export const SegmentPatch = Type.Object({ name: Type.Optional(Name), conditions: Type.Optional(Conditions) });
export type SegmentPatch = Static<typeof SegmentPatch>;

const Member = Type.Object({
  contact_id: Id,
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
});
export type Member = Static<typeof Member>;

const FIELDS = `A rule’s field is one of the contact (email, first_name, last_name, phone, external_id, source, status, tags, list_ids, contact_id, created_at, updated_at, properties.NAME), or one of: ${HISTORY_FIELDS}. Beside counts and totals \`within_days\` looks back so many days; beside events \`where\` says what their data must hold. “At least 3 orders in 30 days” is {"field": "events.order_placed.count", "comparison": "greater_than_or_equal", "value": 3, "within_days": 30}.`;

export const listSegments = {
  method: 'GET',
  path: '/segments',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'List segments',
  description: 'Newest first, each with its last count of contacts, which `GET /segments/{id}` counts now.',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'segment_id' },
  data: Type.Array(ListedSegment),
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
  unaudited: 'changes nothing',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'Count the contacts that conditions pick',
  description: FIELDS,
  body: Type.Object({
    conditions: Conditions,
    sample: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'Also gives so many of the contacts, the newest' }),
    ),
  }),
  data: Type.Object({ count: Type.Integer(), sample: Type.Optional(Type.Array(Member)) }),
  status: 200,
} as const satisfies Endpoint;

const Explained = Type.Object({
  path: Type.String({ description: 'The place in the conditions, such as rules.0.rules.1' }),
  holds: Type.Boolean(),
  value: Type.Optional(
    Type.Unknown({
      description: 'The contact’s value: a value, an array (tags, list_ids), or null. Not for groups.',
    }),
  ),
});

export const explainSegment = {
  method: 'GET',
  path: '/segments/{id}/explain',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'Explain why a contact is in a segment, or is not',
  description:
    'Evaluates each rule and each group of the segment for one contact, as the segment itself is evaluated, and gives the value that each rule compares.',
  params: IdParams,
  query: Type.Object({ contact_id: Id }),
  data: Type.Object({
    segment_id: Id,
    contact_id: Id,
    member: Type.Boolean({ description: 'Whether the contact is in the segment now' }),
    rules: Type.Array(Explained, { description: 'In the order of the conditions, each group before its rules' }),
  }),
  status: 200,
} as const satisfies Endpoint;

export const segmentGrowth = {
  method: 'GET',
  path: '/segments/{id}/growth',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'List how many contacts a segment had on each day',
  description:
    'Counted once a day (UTC) for the 200 segments that were changed last, and kept for 400 days. A day on which the count took longer than five seconds is left out. Counts of days before a change of the conditions are of the conditions of that day.',
  params: IdParams,
  query: Type.Object({
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 400, default: 90, description: 'So many days back' })),
  }),
  data: Type.Object({
    segment_id: Id,
    growth: Type.Array(Type.Object({ day: CalendarDate, count: Type.Integer() })),
  }),
  status: 200,
} as const satisfies Endpoint;

export const segmentOverlap = {
  method: 'GET',
  path: '/segments/{id}/overlap',
  scope: 'marketing:read',
  tag: 'Segments',
  summary: 'Count the contacts that two segments share',
  description:
    'Counts both segments and their intersection in one snapshot. If that takes longer than five seconds, or too many counts wait, the response is 429 with `Retry-After`.',
  params: IdParams,
  query: Type.Object({ segment_id: Id }),
  data: Type.Object({
    segment_id: Id,
    other_segment_id: Id,
    count: Type.Integer({ description: 'Contacts of the segment' }),
    other_count: Type.Integer({ description: 'Contacts of the other segment' }),
    both: Type.Integer({ description: 'Contacts of both' }),
  }),
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
  explainSegment,
  segmentGrowth,
  segmentOverlap,
];
