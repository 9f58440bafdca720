import { Temporal } from 'temporal-polyfill';

export const DATE_ORDERS = ['day_first', 'month_first'] as const;
/** Of 03/04/2026. */
export type DateOrder = (typeof DATE_ORDERS)[number];

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/;
const PARTS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** Which order a date admits: 31.3.2026 one of them, 03/04/2026 either of them. Null for others, and where both are the same day. */
export function dateOrderOf(text: string): DateOrder | 'either' | null {
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  if (first > 12) return second > 12 ? null : 'day_first';
  if (second > 12) return 'month_first';
  return first === second ? null : 'either';
}

/** Dates with dots have their day first wherever they are written. */
export function hasDots(text: string): boolean {
  return text.includes('.') && PARTS.test(text);
}

/** Whether a date says nothing of its time zone. */
export function lacksTimeZone(text: string): boolean {
  const iso = ISO.exec(text);
  return iso === null ? PARTS.test(text) : iso[7] === undefined;
}

/** 2026-03-01 12:00:00 +0100, 2026-03-01 12:00 and 31.3.2026; null where the text is no date in this order. */
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

/** Around clock changes the later time in a gap, the first one of a repeated hour. */
function inZone(time: Temporal.PlainDateTime, timeZone: string): Date | null {
  try {
    return new Date(time.toZonedDateTime(timeZone).epochMilliseconds);
  } catch (error) {
    // An offset that there is not: +99:00.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
