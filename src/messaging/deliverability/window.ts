const DAY_MS = 86_400_000;
/** Days over which rates are measured, including the current one. */
const DAYS = 7;

/** Returns the day of a moment, YYYY-MM-DD, UTC. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the first day measured, YYYY-MM-DD, UTC: six days ago, or the day on which the last pause ended. */
export function firstDay(now: Date, resumedAt: Date | null = null): string {
  const start = dayOf(new Date(now.getTime() - (DAYS - 1) * DAY_MS));
  const days = resumedAt === null ? [start] : [start, dayOf(resumedAt)];
  return days.sort().at(-1)!;
}
