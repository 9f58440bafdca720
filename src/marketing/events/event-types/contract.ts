import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';

const EventType = Type.Object({
  event_type: Type.String(),
  required_keys: Type.Array(Type.String()),
  built_in: Type.Boolean(),
});

export const listEventTypes = {
  method: 'GET',
  path: '/event-types',
  scope: 'marketing:read',
  tag: 'Events',
  summary: 'List the event types that may be sent',
  data: Type.Object({ event_types: Type.Array(EventType) }),
  status: 200,
} as const satisfies Endpoint;

export const EventTypeInput = Type.Object({
  event_type: Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_-]*$' }),
  required_keys: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true, default: [] }),
  ),
});
export type EventTypeInput = Static<typeof EventTypeInput>;

export const registerEventType = {
  method: 'POST',
  path: '/event-types',
  scope: 'marketing:write',
  tag: 'Events',
  summary: 'Register an event type, or change its required keys',
  body: EventTypeInput,
  data: EventType,
  status: 201,
  alsoStatus: 200,
} as const satisfies Endpoint;

export const removeEventType = {
  method: 'DELETE',
  path: '/event-types/{event_type}',
  scope: 'marketing:write',
  tag: 'Events',
  summary: 'Remove a registered event type',
  description: 'Its events stay; new ones are refused.',
  params: Type.Object({ event_type: Type.String() }),
  data: Type.Object({ event_type: Type.String(), deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;
