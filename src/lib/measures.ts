import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What this process counts about its own work, served at /metrics. Names and help texts are where it is counted.
 * See docs/design/monitoring.md.
 */
export const measures = new Registry();

/** All values of each label: a closed set, so that the number of series is bounded. */
type Labels<Name extends string> = Readonly<Record<Name, readonly string[]>>;

/** A counter whose series all exist from the start, so that their first increase is visible. */
export function counter<Name extends string>(name: string, help: string, labels: Labels<Name>): Counter<Name> {
  const made = new Counter({ name, help, labelNames: Object.keys(labels) as Name[], registers: [measures] });
  for (const series of everySeries(labels)) made.inc(series, 0);
  return made;
}

export function histogram<Name extends string>(
  name: string,
  help: string,
  labels: Labels<Name>,
  buckets: number[],
): Histogram<Name> {
  const made = new Histogram({ name, help, labelNames: Object.keys(labels) as Name[], buckets, registers: [measures] });
  for (const series of everySeries(labels)) made.zero(series);
  return made;
}

export function gauge<Name extends string>(name: string, help: string, labels: Labels<Name>): Gauge<Name> {
  return new Gauge({ name, help, labelNames: Object.keys(labels) as Name[], registers: [measures] });
}

function everySeries<Name extends string>(labels: Labels<Name>): Record<Name, string>[] {
  return Object.entries<readonly string[]>(labels).reduce<Record<string, string>[]>(
    (sofar, [name, values]) => sofar.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as Record<Name, string>[];
}
