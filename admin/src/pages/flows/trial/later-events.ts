/** An event of a test run that comes after the one with which the run begins. */
export interface LaterEvent {
  /** Stays while it is edited. */
  id: number;
  event_type: string;
  event_data?: unknown;
  /** A number with its unit, as it is typed; undefined for none. */
  after: unknown;
}

const MINUTES: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1_440, weeks: 10_080 };

/** As the server takes it. Without a moment it comes at once; what is typed and no number stays as it is, and is refused. */
export function sentEvent({ event_type, event_data, after }: LaterEvent): Record<string, unknown> {
  const { value = 0, unit = 'minutes' } = (after ?? {}) as { value?: unknown; unit?: string };
  return {
    event_type,
    ...(event_data === undefined ? {} : { event_data }),
    after_minutes: typeof value === 'number' ? value * (MINUTES[unit] ?? 1) : value,
  };
}
