import type { ListGrowth } from './contract.ts';
import type { GrowthRow } from './queries.ts';

const DAY_MS = 86_400_000;

/**
 * The days of the period with what changed on each and what was active at its end: what is active now, less the changes since. `rows` are
 * the changes from the first day on, later ones than the last day among them; those after `today` count as of today.
 */
export function growthByDay(
  { active, days: rows }: { active: number; days: GrowthRow[] },
  { from, to, today }: { from: string; to: string; today: string },
): ListGrowth['days'] {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  const later = rows.filter(({ date }) => date > to);
  let left = to >= today ? active : later.reduce((n, { net }) => n - net, active);
  // Changes after today, by a clock that is ahead, were not there at the end of yesterday either.
  let ahead = to >= today ? later.reduce((n, { net }) => n + net, 0) : 0;
  const days: ListGrowth['days'] = [];
  for (let at = Date.parse(to); at >= Date.parse(from); at -= DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10);
    const { subscribed = 0, unsubscribed = 0, net = 0 } = byDate.get(date) ?? {};
    days.push({ date, subscribed, unsubscribed, active: left });
    left -= net + ahead;
    ahead = 0;
  }
  return days.reverse();
}
