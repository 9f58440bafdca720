import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { FreeForm, IdParams, OneOf } from '../../../lib/schemas.ts';
import { NullableText, Timestamp } from '../contact-schema.ts';
import { ENTRY_KINDS } from './kinds.ts';

export const Entry = Type.Object({
  type: OneOf(['event', 'message', 'status_changed', 'list_changed', 'merged', 'preferences_changed']),
  at: Timestamp,
  data: FreeForm,
});

export const TimelineQuery = Type.Object({
  kind: Type.Optional(
    OneOf(ENTRY_KINDS, {
      description:
        'Only entries of this kind: `orders` are events whose type begins with `order_`, `events` all others, `changes` those of the contact itself',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 50 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, default: 20, 'x-cap': 100 })),
});
export type TimelineQuery = Static<typeof TimelineQuery>;

export const Timeline = Type.Object({ timeline: Type.Array(Entry), next_cursor: NullableText });
export type Timeline = Static<typeof Timeline>;

export const getTimeline = {
  method: 'GET',
  path: '/contacts/{id}/timeline',
  scope: 'marketing:read',
  tag: 'Contacts',
  summary: 'Actions, messages and changes of a contact',
  description:
    'The last first: events, messages with what became of them, changes of status and lists. `next_cursor` leads to the next page. ' +
    'A message has its `subject`, the name of its flow or campaign (`title`), and its `activity`: opens and clicks with the first and last time (`at`, `last_at`), each link that ' +
    'was clicked (`url`), and each order that followed (`order_id`, `amount`, `currency`; with the `source` `shop` it is an order of this shop).',
  params: IdParams,
  query: TimelineQuery,
  data: Timeline,
  status: 200,
} as const satisfies Endpoint;
