const LONGEST = 2_000;

/** Returns a submitted number; null for anything else. */
export function looseNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Returns a submitted text, or a number as text, cut to 2,000 characters; null for anything else and for ''. */
export function looseText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST) : null;
}
