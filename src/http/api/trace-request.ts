import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTracing, startRoot, within } from '../../lib/tracing/spans.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * A span for each request that is admitted: one that is refused at the door costs none. It continues the trace that the
 * sender's `traceparent` names. Its name is the route's, since addresses may hold what is personal. Without tracing no hook.
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

/** The handler as part of its request's span. */
export function inRequestSpan(handler: Handler): Handler {
  if (!isTracing()) return handler;
  return (request, reply) => within(request.span, () => handler(request, reply));
}
