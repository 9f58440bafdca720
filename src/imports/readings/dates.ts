import { Temporal } from 'temporal-polyfill';

export const DATE_ORDERS = ['day_first', 'month_first'] as const;
/** The order of day and month in dates such as 03/04/2026. */
export type DateOrder = (typeof DATE_ORDERS)[number];

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/;
const PARTS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** Returns which order a date allows: 31.3.2026 allows one, 03/04/2026 either. Null for other dates, and if both give the same day. */
export function dateOrderOf(text: string): DateOrder | 'either' | null {
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  if (first > 12) return second > 12 ? null : 'day_first';
  if (second > 12) return 'month_first';
  return first === second ? null : 'either';
}

/** Dates with dots have the day first everywhere. */
export function hasDots(text: string): boolean {
  return text.includes('.') && PARTS.test(text);
}

/** Returns whether a date lacks a time zone. */
export function lacksTimeZone(text: string): boolean {
  const iso = ISO.exec(text);
  return iso === null ? PARTS.test(text) : iso[7] === undefined;
}

/** Parses 2026-03-01 12:00:00 +0100, 2026-03-01 12:00 and 31.3.2026; null if the text is no date in this order. */
export function momentIn(text: string, order: DateOrder, timeZone: string): Date | null {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, offset] = iso;
    const time = plainTime([year, month, day, hour, minute, second]);
    return time === null ? null : inZone(time, offset === undefined ? timeZone : offsetOf(offset));
  }
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [, first, , second, year, ...clock] = parts;
  const [day, month] = order === 'day_first' ? [first, second] : [second, first];
  const time = plainTime([year, month, day, ...clock]);
  return time === null ? null : inZone(time, timeZone);
}

function offsetOf(text: string): string {
  return text === 'Z' || text === 'UTC' ? 'UTC' : `${text.slice(0, 3)}:${text.slice(-2)}`;
}

function plainTime(parts: (string | undefined)[]): Temporal.PlainDateTime | null {
  const [year = 0, month = 0, day = 0, hour, minute, second] = parts.map((part) => Number(part ?? 0));
  try {
    return Temporal.PlainDateTime.from({ year, month, day, hour, minute, second }, { overflow: 'reject' });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Around clock changes, takes the later time for a gap, and the first for a repeated hour. */
function inZone(time: Temporal.PlainDateTime, timeZone: string): Date | null {
  try {
    return new Date(time.toZonedDateTime(timeZone).epochMilliseconds);
  } catch (error) {
    // The offset does not exist: +99:00.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
