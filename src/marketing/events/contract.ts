import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';
import { listEventTypes, registerEventType, removeEventType } from './event-types/contract.ts';

const TypeName = Trimmed({
  minLength: 1,
  maxLength: 64,
  description: 'One of the seven listed types or a registered one',
});

/** An event as it is sent. */
export const SentEvent = Type.Object({
  event_type: TypeName,
  event_data: FreeForm,
  event_id: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'integer', 'null'],
      minLength: 1,
      maxLength: 255,
      description:
        "The sender's own id: the same one within 7 days is a duplicate. A string where it has more than 15 digits",
    }),
  ),
  occurred_at: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 40,
        description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601; now where absent. Older than 24 h starts no flow',
      }),
    ),
  ),
});
export type SentEvent = Static<typeof SentEvent>;

const outcome = {
  event_id: Id,
  event_type: Type.String(),
  contact_id: Id,
  status: OneOf(['accepted']),
  duplicate: Type.Boolean({
    description: 'The event was known already: event_id is the first one, nothing happened again',
  }),
  flows_triggered: Type.Array(Id, { description: 'Ids of the flows that this event started' }),
};

export const MAX_BATCH = 500;

export const trackEvent = {
  method: 'POST',
  path: '/events',
  scope: 'events:write',
  tag: 'Events',
  summary: 'Track an event',
  description:
    'The contact is found by email, customer_id (as external_id) and phone, or created. A duplicate returns 200 with the first event_id.',
  body: SentEvent,
  bodyLimit: 256 * 1024,
  data: Type.Object(outcome),
  status: 201,
  alsoStatus: 200,
} as const satisfies Endpoint;

/** Events of one request, each accepted or rejected on its own. */
const EventBatch = Type.Object({
  events: Type.Array(Type.Unsafe<unknown>({}), {
    minItems: 1,
    maxItems: MAX_BATCH,
    description: 'As for POST /events',
  }),
});

const Rejected = Type.Object({ index: Type.Integer(), message: Type.String() });

export const trackEvents = {
  method: 'POST',
  path: '/events/batch',
  scope: 'events:write',
  tag: 'Events',
  summary: 'Track up to 500 events',
  description: 'Counts as one request. Refused events are listed by index; the others are accepted.',
  body: EventBatch,
  data: Type.Object({
    accepted: Type.Integer(),
    duplicates: Type.Integer(),
    rejected: Type.Array(Rejected),
    events: Type.Array(Type.Object({ index: Type.Integer(), ...outcome })),
  }),
  status: 200,
} as const satisfies Endpoint;

const Timestamp = Type.String({ maxLength: 40, description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601' });

export const EventQuery = Type.Object({
  contact_id: Type.Optional(Id),
  event_type: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  cursor: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,15}$', description: 'pagination.next_cursor of the page before' }),
  ),
  per_page: Type.Optional(Type.Integer({ minimum: 1, default: 20, 'x-cap': 100 })),
});
export type EventQuery = Static<typeof EventQuery>;

const EventRecord = Type.Object({
  event_id: Id,
  event_type: Type.String(),
  contact_id: Id,
  event_data: FreeForm,
  occurred_at: Type.String(),
  received_at: Type.String(),
  source: OneOf(['api', 'webhook', 'shop', 'flow']),
  external_event_id: Nullable(Type.String({ description: "The sender's own id" })),
});

export const listEvents = {
  method: 'GET',
  path: '/events',
  scope: 'marketing:read',
  tag: 'Events',
  summary: 'List events',
  description: 'The last received first. `from` (included) and `to` (not) are compared with occurred_at.',
  query: EventQuery,
  inOrderOf: { cursor: 'events' },
  data: Type.Object({
    events: Type.Array(EventRecord),
    pagination: Type.Object({ per_page: Type.Integer(), next_cursor: Nullable(Type.String()) }),
  }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const eventEndpoints: readonly Endpoint[] = [
  trackEvent,
  trackEvents,
  listEvents,
  listEventTypes,
  registerEventType,
  removeEventType,
];
