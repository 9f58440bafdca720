import type { paths } from '../../../api/schema.ts';

/** An event of a test run that comes after the one that starts the run. */
export interface LaterEvent {
  /** Constant while it is edited. */
  id: number;
  event_type: string;
  event_data?: unknown;
  /** A number with its unit, as it is typed; undefined for none. */
  after: unknown;
}

type TestRequest = NonNullable<paths['/flows/test/{id}']['post']['requestBody']>;
type SentEvent = NonNullable<TestRequest['content']['application/json']['events']>[number];

const MINUTES: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1_440, weeks: 10_080 };

/** Converts it to the API's form. Without a delay it comes at once; invalid input is sent unchanged, and is refused. */
export function sentEvent({ event_type, event_data, after }: LaterEvent): SentEvent {
  const { value = 0, unit = 'minutes' } = (after ?? {}) as { value?: number; unit?: string };
  return {
    event_type,
    ...(event_data === undefined ? {} : { event_data: event_data as Record<string, unknown> }),
    after_minutes: typeof value === 'number' ? value * (MINUTES[unit] ?? 1) : value,
  };
}
