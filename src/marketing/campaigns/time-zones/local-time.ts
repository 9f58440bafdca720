import { Temporal } from 'temporal-polyfill';

/** The first time zone of the earth to reach an hour of the clock. */
const FIRST_ZONE = '+14:00';
/** Hours from there to the last zone, UTC-12. */
export const ZONES_HOURS = 26;

function wallClock(moment: Date, zone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
}

/** When clocks in the first zone show what clocks in `zone` show at `moment`. */
export function inFirstZone(moment: Date, zone: string): Date {
  return new Date(wallClock(moment, zone).toZonedDateTime(FIRST_ZONE).epochMilliseconds);
}

/**
 * When clocks in `zone` show what clocks in the first zone show at `first`. At clock changes it is the later time in a gap, and the
 * first of a repeated hour. Offsets beyond those in use (+14 and -12) are replaced by the nearest one.
 */
export function localMoment(first: Date, zone: string): Date {
  const moment = wallClock(first, FIRST_ZONE).toZonedDateTime(zone).epochMilliseconds;
  return new Date(Math.min(Math.max(moment, first.getTime()), first.getTime() + ZONES_HOURS * 3_600_000));
}
