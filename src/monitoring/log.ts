import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { runningSpan } from '../lib/tracing/spans.ts';

/** Creates the program's log. It goes to standard error by default, because standard output is for output to people. */
export function createLog(
  { logLevel, tracing }: Readonly<Config>,
  logTo: DestinationStream = pino.destination(2),
): Logger {
  const options = { level: logLevel, redact: ['*.password', '*.key', 'req.headers.authorization'] };
  return pino(tracing === null ? options : { ...options, mixin: traceIds }, logTo);
}

/** Adds the ids of the running span to log lines, so that log lines and traces can be matched. */
function traceIds(): object {
  const span = runningSpan();
  return span === null ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
