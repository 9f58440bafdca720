import { Temporal } from 'temporal-polyfill';

/** How many marketing e-mails go out from a domain on each day while receivers get to know it. Days are those of the company's time zone. */
export interface WarmUpPlan {
  /** YYYY-MM-DD, as the end; both days are part of it. Before and after, nothing is limited. */
  starts_on: string;
  ends_on: string;
  /** On the first day. */
  messages: number;
  /** Each day has so many times what the day before had. */
  growth: number;
}

/** A sending domain that is warmed up. */
export interface WarmingDomain {
  domain_id: number;
  domain: string;
  plan: WarmUpPlan;
}

export interface DayQuota {
  day: string;
  messages: number;
}

export const MOST_DAYS = 180;
/** More than anybody sends on a day. */
const MOST_MESSAGES = 1_000_000_000;

/** The day after so many days. Days are YYYY-MM-DD here and below. */
export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;
}

/** What may be handed over on the day; null: as much as there is. */
export function quotaOn({ starts_on, ends_on, messages, growth }: WarmUpPlan, day: string): number | null {
  if (day < starts_on || day > ends_on) return null;
  return Math.min(MOST_MESSAGES, Math.floor(messages * growth ** daysBetween(starts_on, day) + 1e-9));
}

/** Every day of the plan. */
export function daysOf(plan: WarmUpPlan): DayQuota[] {
  return Array.from({ length: daysBetween(plan.starts_on, plan.ends_on) + 1 }, (_, i) => {
    const day = dayAfter(plan.starts_on, i);
    return { day, messages: quotaOn(plan, day)! };
  });
}

/** The day on which the last of so many open messages goes, if nothing else is sent from the domain. `handedOver`: today. */
export function completesOn(plan: WarmUpPlan, open: number, today: string, handedOver: number): string {
  let left = open;
  for (let day = today; ; day = dayAfter(day, 1)) {
    const quota = quotaOn(plan, day);
    if (quota === null) return day;
    left -= Math.max(0, quota - (day === today ? handedOver : 0));
    if (left <= 0) return day;
  }
}

/** The day in the time zone. */
export function dayIn(zone: string, now: Date): string {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** When the next day begins there. */
export function nextDayIn(zone: string, now: Date): Date {
  const day = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  return new Date(day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
}
