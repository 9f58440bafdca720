import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, pageQuery, RequestIdOfCause } from '../../lib/schemas.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const Refusal = Type.Object({
  refusal_id: Id,
  event_type: Type.String(),
  event_data: FreeForm,
  occurred_at: Moment,
  reason: Type.String(),
  refused_at: Moment,
  webhooks_queued: Type.Boolean({
    description: 'Whether outgoing webhooks had the event; a replay sends it to none twice',
  }),
  request_id: RequestIdOfCause,
});
export type Refusal = Static<typeof Refusal>;

export const RefusalQuery = Type.Object(pageQuery(20));
export type RefusalQuery = Static<typeof RefusalQuery>;

const read = { scope: 'marketing:read', tag: 'Outbox', status: 200 } as const;
const write = { scope: 'marketing:write', tag: 'Outbox', status: 200 } as const;

export const listRefusals = {
  ...read,
  method: 'GET',
  path: '/outbox/refusals',
  summary: 'List the events of the shop that the marketing side refused, the oldest first',
  description: 'None is lost: once the cause is removed, they can be replayed.',
  query: RefusalQuery,
  inOrderOf: { by: 'refusal_id', direction: 'asc' },
  data: Type.Array(Refusal),
  listAs: 'refusals',
} as const satisfies Endpoint;

export const replayRefusal = {
  ...write,
  method: 'POST',
  path: '/outbox/refusals/replay/{id}',
  summary: 'Replay a refused event',
  description:
    'The event is delivered again with its original id and time: its contact gets the shop’s current data, and flows start if it is less than a day old. If it is refused again, it is listed again.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Type.Object({ refusal_id: Id, replayed: Type.Boolean() }),
} as const satisfies Endpoint;

export const replayRefusals = {
  ...write,
  method: 'POST',
  path: '/outbox/refusals/replay',
  summary: 'Replay the refused events, 1,000 at most at a time',
  body: Type.Object({}),
  bodyOptional: true,
  data: Type.Object({ replayed: Type.Integer(), remaining: Type.Integer() }),
} as const satisfies Endpoint;

export const discardRefusal = {
  ...write,
  method: 'DELETE',
  path: '/outbox/refusals/{id}',
  summary: 'Give a refused event up',
  params: IdParams,
  data: Type.Object({ refusal_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const outboxRefusalEndpoints: readonly Endpoint[] = [
  listRefusals,
  replayRefusal,
  replayRefusals,
  discardRefusal,
];
