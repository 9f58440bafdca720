import { invalidField } from '../errors.ts';
import { formatTimestamp, parseTimestamp } from '../lib/timestamps.ts';

/** `less_often`: marketing at most once in `less_often_days`, a setting of the company. */
export const FREQUENCIES = ['all', 'less_often'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** How much marketing a contact wants, as its row holds it. */
export interface Preferences {
  /** null means `all`. */
  marketing_frequency: 'less_often' | null;
  /** No marketing before this time; null or in the past: no pause. */
  paused_until: Date | null;
}

export const NO_PREFERENCES: Preferences = { marketing_frequency: null, paused_until: null };

/** A change of preferences. Absent fields are unchanged. */
export interface PreferenceChoice {
  frequency?: Frequency;
  pausedUntil?: Date | null;
}

/** The columns that a choice sets. */
export function chosen({ frequency, pausedUntil }: PreferenceChoice): Partial<Preferences> {
  return {
    ...(frequency === undefined ? {} : { marketing_frequency: frequency === 'all' ? null : frequency }),
    ...(pausedUntil === undefined ? {} : { paused_until: pausedUntil }),
  };
}

export function hasPreferencesOf(before: Preferences, after: Preferences): boolean {
  return (
    before.marketing_frequency === after.marketing_frequency &&
    before.paused_until?.getTime() === after.paused_until?.getTime()
  );
}

/** The preferences of merged contacts: of each, the one that allows less marketing. */
export function mergedPreferences(winner: Preferences, loser: Preferences): Preferences {
  const [a, b] = [winner.paused_until, loser.paused_until];
  return {
    marketing_frequency: winner.marketing_frequency ?? loser.marketing_frequency,
    paused_until: a === null || (b !== null && b > a) ? b : a,
  };
}

/** Preferences as the API shows them. */
export interface PreferencesRecord {
  frequency: Frequency;
  paused_until: string | null;
}

export function preferencesRecord({ marketing_frequency, paused_until }: Preferences): PreferencesRecord {
  return { frequency: marketing_frequency ?? 'all', paused_until: paused_until && formatTimestamp(paused_until) };
}

/** The preferences of a request body. Throws validation_failed. */
export function givenPreferences(
  given: { frequency?: Frequency; paused_until?: string | null } | undefined,
): Partial<Preferences> | undefined {
  if (given === undefined) return undefined;
  const { frequency, paused_until: until } = given;
  const choice: PreferenceChoice = frequency === undefined ? {} : { frequency };
  if (until !== undefined) {
    const moment = until === null ? null : parseTimestamp(until);
    if (until !== null && moment === null) {
      const field = 'preferences.paused_until';
      throw invalidField(field, `${field} must be a time, YYYY-MM-DD HH:MM:SS`, 'wrong_format');
    }
    choice.pausedUntil = moment;
  }
  return chosen(choice);
}
