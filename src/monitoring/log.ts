import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { runningSpan } from '../lib/tracing/spans.ts';

/** The program's log; to standard error unless told otherwise: standard output is for what it has to say to people. */
export function createLog(
  { logLevel, tracing }: Readonly<Config>,
  logTo: DestinationStream = pino.destination(2),
): Logger {
  const options = { level: logLevel, redact: ['*.password', '*.key', 'req.headers.authorization'] };
  return pino(tracing === null ? options : { ...options, mixin: traceIds }, logTo);
}

/** What is logged in a span says which, so that log lines and traces find each other. */
function traceIds(): object {
  const span = runningSpan();
  return span === null ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
