import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FieldError } from '../../errors.ts';
import { isTracing, startRoot, within } from '../../lib/tracing/spans.ts';
import type { HttpPort } from './port.ts';
import type { Surface } from './surfaces/surface.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Creates a span for each admitted request; refused ones cost nothing. It continues the trace in the sender's `traceparent`. It is named
 * after the route, because URLs may contain personal data. Without tracing no hook is installed.
 */
export function traceRequests(scope: FastifyInstance): void {
  if (!isTracing()) return;
  scope.addHook('onRequest', (request, _reply, done) => {
    const { method, holder, requestId, headers, routeOptions } = request;
    const parent = headers.traceparent;
    const route = routeOptions.url ?? '';
    request.span = startRoot(`${method} ${route}`, {
      kind: 'server',
      ...(typeof parent === 'string' ? { parent } : {}),
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'tradeloom.request.id': requestId,
        ...(holder === null ? {} : { 'tradeloom.company.id': holder.companyId }),
      },
    });
    done();
  });
  scope.addHook('onResponse', (request, reply, done) => {
    const { span, failure } = request;
    if (span !== null) {
      span.set({ 'http.response.status_code': reply.statusCode });
      if (reply.statusCode >= 500) span.fail(failure?.code ?? String(reply.statusCode));
      span.end();
    }
    done();
  });
}

/** Runs the handler within its request's span. */
export function inRequestSpan(handler: Handler): Handler {
  if (!isTracing()) return handler;
  return (request, reply) => within(request.span, () => handler(request, reply));
}

const MAX_PATH = 200;
const MAX_FIELDS = 200;
/** An id, a version, or a name used by the API. */
const PLAIN = /^(?:\d{1,16}|v\d|[a-z][a-z_-]{0,40})$/;
const FIELD = /^[\w.[\]-]{1,64}$/;

/** Records requests of authenticated senders; others cannot be attributed to a company. */
export function recordRequests({ requestLog, clock }: Pick<HttpPort, 'requestLog' | 'clock'>, surface: Surface) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { counted, failure, method, requestId } = request;
    const { statusCode: status } = reply;
    if (counted !== null && requestLog.takes(counted.companyId, status >= 400)) {
      requestLog.record({
        companyId: counted.companyId,
        keyId: counted.keyId > 0 ? counted.keyId : null,
        at: clock.now(),
        api: surface.name,
        method,
        path: maskedPath(request.url),
        status,
        requestId,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        error: failure?.code ?? null,
        fields: fieldNames(failure?.details.fields as FieldError[] | undefined),
      });
    }
    done();
  };
}

/** Returns the path without anything that may identify a person: no query, no names, no addresses. */
export function maskedPath(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const masked = path
    .slice(0, 2 * MAX_PATH)
    .split('/')
    .map((part) => (part === '' || PLAIN.test(part) ? part : '…'));
  return masked.join('/').slice(0, MAX_PATH);
}

/** Only the names of invalid fields: messages may contain what was sent. */
function fieldNames(fields: FieldError[] | undefined): string | null {
  if (fields === undefined || fields.length === 0) return null;
  const names = fields.slice(0, 10).map(({ field }) => (FIELD.test(field) ? field : '…'));
  return names.join(', ').slice(0, MAX_FIELDS);
}
