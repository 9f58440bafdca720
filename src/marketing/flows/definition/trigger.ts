import Type, { type Static } from 'typebox';
import type { FieldError } from '../../../errors.ts';
import { Id } from '../../../lib/schemas.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { ClockTime } from '../../../recipients/quiet-hours.ts';
import { parseContactField } from '../../rules/fields.ts';

/** A trigger that needs settings: its events are written for the flows that ask for them. */
export const DATE_REACHED = 'date_reached' as const;
export const SEGMENT_JOINED = 'segment_joined' as const;

const MAX_DAYS = 365;

export const TriggerSettingsSchema = Type.Object(
  {
    date_field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Of `date_reached`: contact.properties.…, contact.custom.… or contact.created_at. The value is a date, YYYY-MM-DD, or begins with one',
      }),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: -MAX_DAYS,
        maximum: MAX_DAYS,
        description: 'Of `date_reached`: days after the date, below 0 before it; 0 where absent',
      }),
    ),
    time: Type.Optional({
      ...ClockTime,
      description: 'Of `date_reached`: HH:MM in the time zone of the company; 00:00 where absent',
    }),
    yearly: Type.Optional(
      Type.Boolean({
        description: 'Of `date_reached`: each year, such as a birthday; the 29th of February is the 28th',
      }),
    ),
    segment_id: Type.Optional({ ...Id, description: 'Of `segment_joined`' }),
  },
  { description: 'What the triggers `date_reached` and `segment_joined` need; nothing else uses it' },
);
export type TriggerSettings = Static<typeof TriggerSettingsSchema>;

/** Where a contact's date is. */
export type DateField =
  | { of: 'contact' }
  | { of: 'properties'; path: string[] }
  /** A custom field of the customer that the contact is. */
  | { of: 'custom'; key: string };

/** Returns null for a name that is not a field with dates. */
export function dateFieldOf(name: string): DateField | null {
  const field = name.startsWith('contact.') ? parseContactField(name) : null;
  if (field?.kind === 'property') return { of: 'properties', path: field.path };
  if (field?.kind === 'custom') return { of: 'custom', key: field.key };
  return field?.kind === 'time' && field.column === 'created_at' ? { of: 'contact' } : null;
}

/** Checks the settings of a draft as far as it has them. */
export function checkSettings(settings: TriggerSettings | null): FieldError[] {
  const name = settings?.date_field;
  return name === undefined || dateFieldOf(name) !== null
    ? []
    : [wrong('trigger_settings.date_field', problem('no_date_field'))];
}

/** Checks that the trigger has the settings without which it would start nothing. */
export function checkTrigger(triggerType: string, settings: TriggerSettings | null): FieldError[] {
  if (triggerType === DATE_REACHED && settings?.date_field === undefined) {
    return [wrong('trigger_settings.date_field', problem('no_date_field'), 'required')];
  }
  if (triggerType === SEGMENT_JOINED && settings?.segment_id === undefined) {
    return [wrong('trigger_settings.segment_id', problem('segment_missing'), 'required')];
  }
  return checkSettings(settings);
}

/** Whether the event concerns the flow, by the settings of its trigger. */
export function isConcerned(
  flow: { flowId: number; triggerType: string; settings: TriggerSettings | null },
  data: Record<string, unknown>,
): boolean {
  switch (flow.triggerType) {
    case DATE_REACHED:
      return data.flow_id === flow.flowId;
    case SEGMENT_JOINED:
      return data.segment_id === flow.settings?.segment_id;
    default:
      return true;
  }
}
