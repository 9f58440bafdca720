import type { SpanContext } from '@opentelemetry/api';

/** Version 00; a later version may append more fields, which are ignored. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Parses a `traceparent` of W3C Trace Context. Returns null if it is invalid, which starts a new trace. */
export function contextOf(traceparent: string): SpanContext | null {
  const found = TRACEPARENT.exec(traceparent);
  if (found === null) return null;
  const [, version, traceId, spanId, flags, more] = found as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function traceparentFrom({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
