const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const DAY_SECONDS = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
/** Formatted dates by the day since 1970: formatting one takes 0.6 µs. */
const dates = new Map<number, string>();
const MOST_DATES = 10_000;

/** `YYYY-MM-DD HH:MM:SS` in UTC: the timestamp format of the marketing API. Fractions of a second are truncated. */
export function formatTimestamp(moment: Date): string {
  const seconds = Math.floor(moment.getTime() / 1_000);
  const day = Math.floor(seconds / DAY_SECONDS);
  const time = seconds - day * DAY_SECONDS;
  const [hour, minute] = [Math.floor(time / 3_600), Math.floor(time / 60) % 60];
  return `${dates.get(day) ?? dateOf(day, moment)} ${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[time % 60]}`;
}

function dateOf(day: number, moment: Date): string {
  const date = moment.toISOString().slice(0, 10);
  if (dates.size >= MOST_DATES) dates.clear();
  dates.set(day, date);
  return date;
}

/**
 * Parses `YYYY-MM-DD HH:MM:SS` and ISO 8601 (date alone, minutes, fractions, `Z` or an offset); without an offset the time is
 * UTC. Null for anything else, and for days and hours that do not exist.
 */
export function parseTimestamp(text: string): Date | null {
  const match = SHAPE.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  );
  const read = new Date(wall);
  if (Number(year) < 100 || read.getUTCMonth() !== Number(month) - 1 || read.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const offset = offsetMinutes(zone);
  return offset === null ? null : new Date(wall - offset * 60_000);
}

function offsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 14 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Whether a text is a day that exists, YYYY-MM-DD. PostgreSQL has no year 0. */
export function isCalendarDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
