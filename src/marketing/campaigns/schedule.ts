import { Temporal } from 'temporal-polyfill';
import { invalidField } from '../../errors.ts';
import { isZone } from '../../lib/time-zones/time-zones.ts';
import { parseTimestamp } from '../../lib/timestamps.ts';

/** A time up to this long ago means now. */
const TOLERANCE_MS = 5 * 60_000;
/** A scheduled campaign that is late by more than this no longer starts automatically. */
export const MISSED_MS = 12 * 3_600_000;
const HAS_OFFSET = /(z|[+-]\d{2}(:?\d{2})?)$/i;

/**
 * Parses `scheduled_at`. A time without an offset is in `timezone`, or in UTC without one. Throws validation_failed for text
 * that is not a time, and for a time more than five minutes ago.
 */
export function readSchedule(text: string, timezone: string | undefined, now: Date): Date {
  const parsed = parseSchedule(text);
  if (timezone !== undefined && !isZone(timezone)) {
    throw invalidField('timezone', 'timezone must be an IANA name such as Europe/Berlin', 'unknown');
  }
  const moment = timezone === undefined || HAS_OFFSET.test(text.trim().slice(10)) ? parsed : inZone(parsed, timezone);
  if (isPast(moment, now)) {
    throw invalidField('scheduled_at', 'scheduled_at lies in the past', 'out_of_range');
  }
  return moment;
}

/** Parses a time without a time zone of its own as UTC. Throws validation_failed. */
export function parseSchedule(text: string): Date {
  const parsed = parseTimestamp(text);
  if (parsed === null) {
    throw invalidField('scheduled_at', 'scheduled_at must look like YYYY-MM-DD HH:MM:SS', 'wrong_format');
  }
  return parsed;
}

/** Whether it is too late to schedule something for that moment. */
export function isPast(moment: Date, now: Date): boolean {
  return moment.getTime() < now.getTime() - TOLERANCE_MS;
}

/** The moment at which clocks in the zone show what clocks in UTC show at `wall`. */
function inZone(wall: Date, timezone: string): Date {
  const clock = Temporal.Instant.fromEpochMilliseconds(wall.getTime()).toZonedDateTimeISO('UTC').toPlainDateTime();
  return new Date(clock.toZonedDateTime(timezone).epochMilliseconds);
}
