import { language } from '../../i18n/i18n.ts';

/** The name of an interval of a chart, by its first day. */
export function intervalName(start: string, interval: 'day' | 'week' | 'month'): string {
  const form: Intl.DateTimeFormatOptions =
    interval === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(language(), { ...form, timeZone: 'UTC' }).format(new Date(start));
}
