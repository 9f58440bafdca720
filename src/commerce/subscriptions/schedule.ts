import { Temporal } from 'temporal-polyfill';

/** The latest date that can be set, so that the dates calculated from it still have a year of four digits. */
export const LAST_DATE = '2999-12-31';

export type ScheduleUnit = 'day' | 'week' | 'month' | 'year';

/** The dates anchor + n × interval units, n ≥ 0. Calendar dates (`YYYY-MM-DD`) without a time or a zone. */
export interface Schedule {
  /** The first date; its day of the month is clamped in shorter months. */
  anchor: string;
  unit: ScheduleUnit;
  /** Whole, ≥ 1. */
  interval: number;
}

/**
 * Returns the n-th date (0 is the anchor). Months and years are counted from the anchor and clamped to the end of the month, so that 31
 * January is followed by 28 February and then 31 March. Throws RangeError past the year 9999 or if the anchor is invalid.
 */
export function dateAt({ anchor, unit, interval }: Schedule, n: number): string {
  const date = parse(anchor);
  const steps = n * interval;
  switch (unit) {
    case 'day':
      return format(addDays(date, steps));
    case 'week':
      return format(addDays(date, 7 * steps));
    case 'month':
      return format(addMonths(date, steps));
    case 'year':
      return format(addMonths(date, 12 * steps));
  }
}

/** Returns the index of the first scheduled date strictly after `date`. */
function indexAfter(schedule: Schedule, date: string): number {
  if (date < schedule.anchor) return 0;
  const [anchor, after] = [parse(schedule.anchor), parse(date)];
  const elapsed =
    schedule.unit === 'day' || schedule.unit === 'week'
      ? (dayNumber(after) - dayNumber(anchor)) / (schedule.unit === 'week' ? 7 : 1)
      : ((after.year - anchor.year) * 12 + after.month - anchor.month) / (schedule.unit === 'year' ? 12 : 1);
  // The last date whose day, or month, has begun. Within a month it may still lie ahead.
  const n = Math.floor(elapsed / schedule.interval);
  return dateAt(schedule, n) > date ? n : n + 1;
}

/** Returns the first scheduled date strictly after `date` that is not in `over` (already ordered or skipped). */
export function nextAfter(schedule: Schedule, date: string, over: ReadonlySet<string> = NONE): string {
  for (let n = indexAfter(schedule, date); ; n++) {
    const next = dateAt(schedule, n);
    if (!over.has(next)) return next;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the next `count` scheduled dates strictly after `from` that are not in `over`. */
export function following(schedule: Schedule, from: string, count: number, over: ReadonlySet<string> = NONE): string[] {
  const dates: string[] = [];
  for (let last = from; dates.length < count; dates.push(last)) last = nextAfter(schedule, last, over);
  return dates;
}

/**
 * Returns the schedule continued at another frequency from `date`, which is one of the schedule's dates. A day that was clamped to the end
 * of its month is restored in longer months: with an anchor on the 31st, 28 February is followed by 30 April at two months.
 */
export function withFrequency(
  schedule: Schedule,
  date: string,
  frequency: Pick<Schedule, 'unit' | 'interval'>,
): Schedule {
  const from = parse(date);
  const { day } = parse(schedule.anchor);
  const clamped = MONTHS[schedule.unit] !== undefined && day > from.day;
  const step = (MONTHS[frequency.unit] ?? 0) * frequency.interval;
  // The anchor is moved to an earlier month that has the original day and from which the new frequency leads to `date`.
  let anchor = from;
  for (let n = 1; clamped && step > 0 && anchor.day < day && n <= ANCHORS_TRIED; n++) {
    const earlier = addMonths({ ...from, day }, -n * step);
    if (earlier.day > anchor.day) anchor = earlier;
  }
  return { anchor: format(anchor), unit: frequency.unit, interval: frequency.interval };
}

const MONTHS: Partial<Record<ScheduleUnit, number>> = { month: 1, year: 12 };
/** Of eight Februaries in a row, at least one has 29 days. */
const ANCHORS_TRIED = 8;

/** Returns the day before a date. */
export function dayBefore(date: string): string {
  const { year, month, day } = parse(date);
  return format({ year, month, day: day - 1 });
}

/**
 * Returns the first moment of a date in an IANA time zone: midnight, or the first moment after it if the clock skips midnight (or, as on
 * Samoa in 2011, the whole day). Throws RangeError for an unknown zone.
 */
export function startOfDayIn(timeZone: string, date: string): Date {
  return new Date(Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds);
}

/** Month 1–12. */
interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

const MS_PER_DAY = 86_400_000;

function parse(text: string): CalendarDate {
  const date = { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8)) };
  // Invalid dates (`2025-02-29`, `2025-1-1`) are formatted as another date, or not at all.
  if (format(date) !== text) throw new RangeError(`Not a date: ${text}`);
  return date;
}

/** Every impossible day becomes the possible one that `Date.UTC` makes of it. */
function format(date: CalendarDate): string {
  const text = new Date(dayNumber(date) * MS_PER_DAY).toISOString();
  if (text.length !== 24) throw new RangeError('The date is past the year 9999');
  return text.slice(0, 10);
}

/** Days since 1970-01-01, as the proleptic Gregorian calendar of UTC counts them. */
function dayNumber({ year, month, day }: CalendarDate): number {
  return Date.UTC(year, month - 1, day) / MS_PER_DAY;
}

function addDays({ year, month, day }: CalendarDate, days: number): CalendarDate {
  return { year, month, day: day + days };
}

function addMonths({ year, month, day }: CalendarDate, months: number): CalendarDate {
  const total = year * 12 + (month - 1) + months;
  const landed = { year: Math.floor(total / 12), month: (total % 12) + 1 };
  return { ...landed, day: Math.min(day, daysIn(landed.year, landed.month)) };
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
