const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const found =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  formats.set(zone, found);
  return found;
}

/** Returns the wall-clock time of the zone at that time, as if it were UTC. */
function wallClock(at: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Formats a time for a `datetime-local` field: in the time zone, without seconds. */
export function localMoment(iso: string | null, zone: string): string {
  return iso === null ? '' : new Date(wallClock(Date.parse(iso), zone)).toISOString().slice(0, 16);
}

/**
 * Returns the instant of a typed time in the time zone; an invalid text is returned unchanged. A time that clocks skip is as much later as
 * they are put forward.
 */
export function instantOf(text: string, zone: string): string {
  const typed = Date.parse(`${text}Z`);
  if (Number.isNaN(typed)) return text;
  const offsetAt = (at: number): number => wallClock(at, zone) - at;
  // Near a clock change, the offset to use is that of the resulting instant.
  const near = typed - offsetAt(typed);
  const exact = typed - offsetAt(near);
  return new Date(wallClock(exact, zone) === typed ? exact : Math.max(near, exact)).toISOString();
}
