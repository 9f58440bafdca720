import Type, { type Static } from 'typebox';
import { OneOf } from '../../../lib/schemas.ts';
import { RuleTree } from '../../rules/schema.ts';

export const Key = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_.:-]+$' });

/** The name of a branch, as its writer sees it. */
export const BranchName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^\\S(.*\\S)?$',
  description: 'Any text on one line',
});

export const EventType = Type.String({ minLength: 1, maxLength: 64 });
export const UNITS = ['minutes', 'hours', 'days', 'weeks'] as const;
export const Duration = Type.Object({
  value: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  unit: OneOf(UNITS, { description: 'A day is 24 hours' }),
});
export const Conditions = Type.Optional(RuleTree);

export const Same = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    minItems: 1,
    maxItems: 5,
    description: 'Paths in event_data whose values must equal those of the event that started the run: order_id',
  }),
);

/** An event of the contact, selected by type, conditions on its data, and values shared with the run's own event. */
export const EventMatch = Type.Object({ event_type: EventType, conditions: Conditions, same: Same });

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type EventMatch = Static<typeof EventMatch>;
export type Duration = Static<typeof Duration>;
export type Unit = (typeof UNITS)[number];
export type Weekday = (typeof WEEKDAYS)[number];
