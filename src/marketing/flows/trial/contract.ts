import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { FreeForm, Id, Nullable } from '../../../lib/schemas.ts';
import { actionDefaults, LogLine, parts, Timestamp, TriggerType } from '../schemas.ts';

export const TestBody = Type.Object({
  contact_id: Type.Optional(Id),
  contact: Type.Optional(FreeForm),
  event_data: Type.Optional(FreeForm),
  starts_at: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'The moment of the event: YYYY-MM-DD HH:MM:SS, or ISO 8601; now where absent',
    }),
  ),
  draft: Type.Optional(
    Type.Object(
      { trigger_type: Type.Optional(TriggerType), ...parts },
      { description: 'Parts that replace those of the flow in this test: an edit that is not saved yet' },
    ),
  ),
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
  unaudited: 'changes nothing',
  summary: 'Walk through a flow without sending anything',
  description: 'Waits pass at once; the path says when each step would be done.',
  body: TestBody,
  data: Type.Object({
    flow_id: Id,
    enters: Type.Boolean({ description: 'Whether the event meets the trigger conditions' }),
    path: Type.Array(Type.Object(LogLine)),
    decisions: Type.Array(
      Type.Object({
        at: Timestamp,
        step_id: Nullable(Type.String({ description: 'null for the conditions of the trigger' })),
        branch: Type.String({ description: 'The branch that was taken' }),
        paths: Type.Array(
          Type.Object({
            key: Type.String(),
            holds: Type.Boolean(),
            rules: Type.Array(
              Type.Object({
                field: Type.String(),
                comparison: Type.String(),
                value: Type.Unknown({ description: 'The value of the rule' }),
                found: Nullable(
                  Type.Array(Type.Unknown(), { description: 'What stood at the field; null for histories' }),
                ),
                holds: Type.Boolean(),
              }),
            ),
          }),
        ),
      }),
      { description: 'What each branch step decided, and by which values' },
    ),
    effects: Type.Array(Type.Object({ at: Timestamp, kind: Type.String(), detail: FreeForm })),
    status: Type.String(),
    reason: Nullable(Type.String()),
  }),
} as const satisfies Endpoint;
