const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const found =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    });
  formats.set(zone, found);
  return found;
}

/** What clocks of the zone show at a moment, as if it were UTC. */
function wallClock(at: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** A moment as a `datetime-local` field shows it: the time of the zone, without seconds. */
export function localMoment(iso: string | null, zone: string): string {
  return iso === null ? '' : new Date(wallClock(Date.parse(iso), zone)).toISOString().slice(0, 16);
}

/** The instant of what is typed, read by clocks of the zone; what is no time is left as it is. */
export function instantOf(text: string, zone: string): string {
  const typed = Date.parse(`${text}Z`);
  if (Number.isNaN(typed)) return text;
  const offsetAt = (at: number): number => wallClock(at, zone) - at;
  // The offset of a time near a change of the clocks is that of the instant which it leads to.
  const near = typed - offsetAt(typed);
  return new Date(typed - offsetAt(near)).toISOString();
}
