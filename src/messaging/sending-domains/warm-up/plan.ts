import { Temporal } from 'temporal-polyfill';

/** Limits a domain's marketing e-mails per day while receivers get to know it. Days are those of the company's time zone. */
export interface WarmUpPlan {
  /** First and last day, YYYY-MM-DD, both included. Before and after them nothing is limited. */
  starts_on: string;
  ends_on: string;
  /** On the first day. */
  messages: number;
  /** Each day allows this many times the previous day's messages. */
  growth: number;
}

/** A sending domain in a warm-up. */
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
/** More than anyone sends in a day. */
const MOST_MESSAGES = 1_000_000_000;

/** Returns the day `days` later. Days are YYYY-MM-DD here and below. */
export function dayAfter(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;
}

/** Returns how many may be handed over on the day; null: unlimited. */
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

/** Returns the day on which the last of the open messages is sent, if nothing else is sent from the domain. `handedOver`: today's count. */
export function completesOn(plan: WarmUpPlan, open: number, today: string, handedOver: number): string {
  let left = open;
  for (let day = today; ; day = dayAfter(day, 1)) {
    const quota = quotaOn(plan, day);
    if (quota === null) return day;
    left -= Math.max(0, quota - (day === today ? handedOver : 0));
    if (left <= 0) return day;
  }
}

/** Returns the current day in the time zone. */
export function dayIn(zone: string, now: Date): string {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** Returns when the next day begins there. */
export function nextDayIn(zone: string, now: Date): Date {
  const day = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  return new Date(day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
}
