import { Temporal } from 'temporal-polyfill';

/** The first time zone of the earth to reach an hour of the clock. */
const FIRST_ZONE = '+14:00';
/** From there to the last one, UTC-12. */
export const ZONES_HOURS = 26;

function wallClock(moment: Date, zone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();
}

/** When the clock of the first zone shows what the clock in `zone` shows at `moment`. */
export function inFirstZone(moment: Date, zone: string): Date {
  return new Date(wallClock(moment, zone).toZonedDateTime(FIRST_ZONE).epochMilliseconds);
}

/**
 * When the clock in `zone` shows what the clock of the first zone shows at `first`; around clock changes the later time in a
 * gap, the first one of a repeated hour. Offsets that no place on earth has are taken for the nearest that one has.
 */
export function localMoment(first: Date, zone: string): Date {
  const moment = wallClock(first, FIRST_ZONE).toZonedDateTime(zone).epochMilliseconds;
  return new Date(Math.min(Math.max(moment, first.getTime()), first.getTime() + ZONES_HOURS * 3_600_000));
}
