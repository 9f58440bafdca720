import { type Kind, RETENTION, RETENTION_SETTINGS, type RetentionSetting } from './kinds.ts';

/** companies.settings.retention: a number, or null for data that is kept forever. Absent settings have their defaults. */
export type StoredRetention = Partial<Record<RetentionSetting, number | null>>;

export type RetentionPeriods = Record<RetentionSetting, number | null>;

const DEFAULTS = Object.fromEntries(Object.values(RETENTION).map((kind) => [kind.setting, kind.default])) as Record<
  RetentionSetting,
  number
>;

export function periodsOf(stored: StoredRetention): RetentionPeriods {
  const periods = {} as RetentionPeriods;
  for (const setting of RETENTION_SETTINGS) {
    const value = stored[setting];
    periods[setting] = value === undefined ? DEFAULTS[setting] : value;
  }
  return periods;
}

/** Returns the time before which data of the kind is removed; null if it is kept forever. */
export function horizonOf(kind: Kind, periods: RetentionPeriods, now: Date): Date | null {
  const { setting, unit } = RETENTION[kind];
  const length = periods[setting];
  if (length === null) return null;
  if (unit === 'days') return new Date(now.getTime() - length * 86_400_000);
  const before = monthsBefore(now, length);
  // Events are removed by whole months, as partitions once no company keeps them any more.
  return kind === 'events' ? new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1)) : before;
}

/** Returns the same day and time `months` earlier, or the last day of a shorter month. */
function monthsBefore(moment: Date, months: number): Date {
  const before = new Date(moment);
  before.setUTCDate(1);
  before.setUTCMonth(before.getUTCMonth() - months);
  const last = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth() + 1, 0)).getUTCDate();
  before.setUTCDate(Math.min(moment.getUTCDate(), last));
  return before;
}
