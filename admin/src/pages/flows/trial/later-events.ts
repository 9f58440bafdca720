/** An event of a test run that comes after the one that starts the run. */
export interface LaterEvent {
  /** Constant while it is edited. */
  id: number;
  event_type: string;
  event_data?: unknown;
  /** A number with its unit, as it is typed; undefined for none. */
  after: unknown;
}

const MINUTES: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1_440, weeks: 10_080 };

/** Converts it to the API's form. Without a delay it comes at once; invalid input is sent unchanged, and is refused. */
export function sentEvent({ event_type, event_data, after }: LaterEvent): Record<string, unknown> {
  const { value = 0, unit = 'minutes' } = (after ?? {}) as { value?: unknown; unit?: string };
  return {
    event_type,
    ...(event_data === undefined ? {} : { event_data }),
    after_minutes: typeof value === 'number' ? value * (MINUTES[unit] ?? 1) : value,
  };
}
