const DAY_MS = 86_400_000;
/** For longer ranges, days without activity are left out. */
const MOST_FILLED = 92;

/** Returns the days of a report, in order, including those without activity. */
export function everyDay<Day extends { date: string }>(days: readonly Day[], none: (date: string) => Day): Day[] {
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const n = (Date.parse(last.date) - Date.parse(first.date)) / DAY_MS + 1;
  if (n > MOST_FILLED) return [...days];
  const byDate = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: n }, (_, i) => {
    const date = new Date(Date.parse(first.date) + i * DAY_MS).toISOString().slice(0, 10);
    return byDate.get(date) ?? none(date);
  });
}
