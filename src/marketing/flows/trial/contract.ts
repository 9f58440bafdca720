import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { FreeForm, Id, Nullable } from '../../../lib/schemas.ts';
import { actionDefaults, LogLine, Timestamp } from '../schemas.ts';

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

export const testFlow = {
  ...actionDefaults,
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
