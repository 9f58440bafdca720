/** Milliseconds by unit. Only units of a fixed length: a month's depends on the month. */
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const PART = /(\d{1,9})\s*(seconds?|s|minutes?|min|m|hours?|h|days?|d|weeks?|w)(?![a-z])\s*/gy;

/** Milliseconds of a duration as people write it: `3 days`, `45d`, `1h 30m`. null for anything else. */
export function parseDuration(text: string): number | null {
  const rest = text.trim().toLowerCase();
  let total = 0;
  let end = 0;
  for (const part of rest.matchAll(PART)) {
    total += Number(part[1]) * UNITS[part[2]![0]!]!;
    end = part.index + part[0].length;
  }
  return end === rest.length && end > 0 ? total : null;
}
