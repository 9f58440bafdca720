export type GrowthInterval = 'day' | 'week' | 'month';

export interface Growth {
  /** First day, YYYY-MM-DD; of a week its Monday. */
  start: string;
  subscribed: number;
  unsubscribed: number;
  /** At the end of the last day. */
  active: number;
}

const DAY_MS = 86_400_000;

/** The days by week or month, in order. */
export function growthBy(interval: GrowthInterval, days: (Omit<Growth, 'start'> & { date: string })[]): Growth[] {
  const groups: Growth[] = [];
  for (const { date, subscribed, unsubscribed, active } of days) {
    const start = startOf(date, interval);
    const last = groups.at(-1);
    if (last?.start !== start) {
      groups.push({ start, subscribed, unsubscribed, active });
      continue;
    }
    last.subscribed += subscribed;
    last.unsubscribed += unsubscribed;
    last.active = active;
  }
  return groups;
}

function startOf(date: string, interval: GrowthInterval): string {
  if (interval === 'day') return date;
  if (interval === 'month') return `${date.slice(0, 8)}01`;
  const at = new Date(date);
  const afterMonday = (at.getUTCDay() + 6) % 7;
  return new Date(at.getTime() - afterMonday * DAY_MS).toISOString().slice(0, 10);
}
