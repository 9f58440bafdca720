import { runningSpan } from './spans.ts';

/**
 * The cause of background work: the id of a request and, where it is traced, a space and its position in the trace as a
 * W3C Trace Context `traceparent`. The id is empty for traced work that no request caused. A single text, because it
 * travels through six tables and is only parsed at the end.
 */
export type Correlation = string;

/** The correlation of what is done for a request; `traceparent` where it is traced. */
export function correlationOf({ requestId, traceparent }: { requestId: string; traceparent?: string }): Correlation {
  return traceparent === undefined ? requestId : `${requestId} ${traceparent}`;
}

/** Returns the correlation of work that a worker does by itself; null where that is not traced. */
export function ownCorrelation(): Correlation | null {
  const span = runningSpan();
  return span === null ? null : ` ${span.traceparent}`;
}

/** Returns the id of the request; null where no request caused it. */
export function requestIdOf(correlation: Correlation | null): string | null {
  if (correlation === null) return null;
  const end = correlation.indexOf(' ');
  return end === -1 ? correlation : correlation.slice(0, end) || null;
}

/** The position in the trace; null where it is not traced. */
export function traceparentOf(correlation: Correlation | null): string | null {
  if (correlation === null) return null;
  const end = correlation.indexOf(' ');
  return end === -1 ? null : correlation.slice(end + 1);
}

/** Returns the same cause, continued from another position in its trace. */
export function continuedAt(correlation: Correlation, traceparent: string): Correlation {
  return `${requestIdOf(correlation) ?? ''} ${traceparent}`;
}
