import { Temporal } from 'temporal-polyfill';
import Type, { type Static } from 'typebox';

export const ClockTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM' });
export const Zone = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'An IANA time zone, or `contact` for the contact’s own (its property timezone, or the zone of its address), else the company’s',
});

/** Hours of a day in which no marketing is sent. Without `timezone`: by the time zone of each contact. */
export const QuietHoursSchema = Type.Object({ start: ClockTime, end: ClockTime, timezone: Type.Optional(Zone) });
export type QuietHours = Static<typeof QuietHoursSchema>;

/** The end of the quiet hours at `now`; null outside of them. If the end is before the start, it is on the next day. */
export function quietUntil(quiet: QuietHours, zone: string, now: Date): Date | null {
  if (quiet.start === quiet.end) return null;
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const clock = here.toPlainTime().toString({ smallestUnit: 'second' });
  const [start, end] = [`${quiet.start}:00`, `${quiet.end}:00`];
  const overnight = end < start;
  const inside = overnight ? clock >= start || clock < end : clock >= start && clock < end;
  if (!inside) return null;
  const date = overnight && clock >= start ? here.toPlainDate().add({ days: 1 }) : here.toPlainDate();
  const moment = date.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(end) }).epochMilliseconds;
  // If the clock is set back across the end, today's end may be in the past.
  return moment > now.getTime() ? new Date(moment) : null;
}
