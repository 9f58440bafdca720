import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTracing, startRoot, within } from '../../lib/tracing/spans.ts';

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
