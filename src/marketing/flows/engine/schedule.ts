import { Temporal } from 'temporal-polyfill';
import { parseTimestamp } from '../../../lib/timestamps.ts';
import { type Unit, WEEKDAYS } from '../definition/schemas.ts';
import type { Config } from '../definition/steps.ts';

/**
 * When a step continues. Wall-clock times are in a given time zone. Clock changes are resolved like Temporal's
 * `compatible`: the later time in a gap, the first one of a repeated hour.
 */

const UNIT_MS: Record<Unit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 };
/** The last date that both PostgreSQL and JavaScript represent. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);

/** `value` units after `start`, in exact hours: a day has 24. Clamped to the year 9999. */
export function momentAfter(start: Date, { value, unit }: { value: number; unit: Unit }): Date {
  return new Date(Math.max(0, Math.min(LAST_MOMENT, start.getTime() + Math.round(value * UNIT_MS[unit]))));
}

/**
 * The next moment, at `now` or later (with `strictly` only later), at which clocks in `zone` show `time` on one of
 * the weekdays. Without a time: the start of the next such day, or now if today is one.
 */
export function nextClockTime(
  { time, weekdays }: Pick<Config<'wait_until'>, 'time' | 'weekdays'>,
  zone: string,
  now: Date,
  strictly: boolean,
): Date {
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const fits = (date: Temporal.PlainDate): boolean =>
    weekdays === undefined || weekdays.includes(WEEKDAYS[date.dayOfWeek - 1]!);
  const today = here.toPlainDate();
  if (time === undefined && !strictly && fits(today)) return now;
  const clock = Temporal.PlainTime.from(time ?? '00:00');
  // The same weekday may be a whole week away.
  for (let days = 0; days <= 8; days++) {
    const date = today.add({ days });
    if (!fits(date)) continue;
    const moment = date.toZonedDateTime({ timeZone: zone, plainTime: clock }).epochMilliseconds;
    if (moment > now.getTime() || (moment === now.getTime() && !strictly)) return new Date(moment);
  }
  throw new Error('No weekday to wait for');
}

/**
 * The moment of a date field plus the offset. A date without a time is at `time` (default midnight) in `zone`. Null for
 * values that are not dates.
 */
export function dateFieldMoment(
  value: unknown,
  { time, offset }: Pick<Config<'wait_until'>, 'time' | 'offset'>,
  zone: string,
): Date | null {
  if (typeof value !== 'string') return null;
  const parsed = parseTimestamp(value);
  if (parsed === null) return null;
  let moment = parsed;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value.trim())) {
    const plainTime = Temporal.PlainTime.from(time ?? '00:00');
    const at = Temporal.PlainDate.from(value.trim()).toZonedDateTime({ timeZone: zone, plainTime });
    moment = new Date(at.epochMilliseconds);
  }
  return offset === undefined ? moment : momentAfter(moment, offset);
}

/**
 * The next anniversary of a date, with the offset, at `now` or later (with `strictly` only later): at `time`, default midnight,
 * in `zone`. Null for values that are not dates.
 */
export function nextAnniversary(
  value: unknown,
  { time, offset }: Pick<Config<'wait_until'>, 'time' | 'offset'>,
  zone: string,
  now: Date,
  strictly: boolean,
): Date | null {
  if (typeof value !== 'string' || parseTimestamp(value) === null) return null;
  const day = Temporal.PlainDate.from(value.trim().slice(0, 10));
  const plainTime = Temporal.PlainTime.from(time ?? '00:00');
  const shift = offset === undefined ? 0 : Math.round(offset.value * UNIT_MS[offset.unit]);
  // The anniversary is close to this moment, however many years the offset spans.
  const { year } = Temporal.Instant.fromEpochMilliseconds(now.getTime() - shift).toZonedDateTimeISO(zone);
  for (let ahead = -1; ahead <= 2; ahead++) {
    const at = day.with({ year: year + ahead }).toZonedDateTime({ timeZone: zone, plainTime });
    const anniversary = new Date(at.epochMilliseconds);
    const moment = offset === undefined ? anniversary : momentAfter(anniversary, offset);
    if (moment > now || (!strictly && moment.getTime() === now.getTime())) return moment;
  }
  return null;
}
