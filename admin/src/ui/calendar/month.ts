const DAY_MS = 86_400_000;

export interface Month {
  /** `2026-03` */
  name: string;
  /** Calendar dates, YYYY-MM-DD. */
  first: string;
  last: string;
}

const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Parses the name of a month; null if it is invalid. */
export function monthOf(name: string): Month | null {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(name)) return null;
  const first = `${name}-01`;
  return { name, first, last: iso(Date.parse(`${nextMonth(name, 1)}-01`) - DAY_MS) };
}

export function nextMonth(name: string, step: 1 | -1): string {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return iso(Date.UTC(year, month - 1 + step, 1)).slice(0, 7);
}

/** 1 for Monday to 7 for Sunday, by the language's convention; Monday where the browser does not provide it. */
export function firstDayOfWeek(tag: string): number {
  const locale = new Intl.Locale(tag).maximize() as Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  return locale.getWeekInfo?.().firstDay ?? 1;
}

/** The month's dates in whole weeks, including adjacent days of its neighbours. */
export function weeksOf({ first, last }: Month, firstDay: number): string[][] {
  const before = (new Date(first).getUTCDay() - firstDay + 14) % 7;
  const start = Date.parse(first) - before * DAY_MS;
  const weeks: string[][] = [];
  for (let week = start; week <= Date.parse(last); week += 7 * DAY_MS) {
    weeks.push(Array.from({ length: 7 }, (_, i) => iso(week + i * DAY_MS)));
  }
  return weeks;
}
