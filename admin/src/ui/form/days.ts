import { instantOf } from './moments.ts';

const DAY_MS = 86_400_000;

/** Returns the calendar day of a time in the time zone, YYYY-MM-DD. */
export function dayIn(timeZone: string, at: Date = new Date()): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}

export function daysBefore(day: string, n: number): string {
  return new Date(Date.parse(day) - n * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the time at which the day begins in the time zone. */
export function startOfDay(day: string, timeZone: string): Date {
  return new Date(instantOf(`${day}T00:00`, timeZone));
}
