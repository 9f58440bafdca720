import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { monotonicMs } from '../clock.ts';
import { AppError } from '../errors.ts';
import { admission } from './api/admission.ts';
import { type Endpoint, type Route, takesBytes } from './api/endpoint.ts';
import { publicError, retryHeaders, TOO_LARGE } from './api/errors.ts';
import { EVENT_STREAM, handlerOf } from './api/handler.ts';
import { inRequestSpan, recordRequests, traceRequests } from './api/observation.ts';
import { failureOutside, respondToClientError } from './api/outside.ts';
import type { HttpPort } from './api/port.ts';
import type { Surface } from './api/surfaces/surface.ts';
import { guardDoor } from './door.ts';
import { endStalled, RequestLimits } from './limits.ts';

const BODY_LIMIT = 1024 * 1024;
/** Of pages and of unknown paths, whose bodies no budget counts: anybody may send them. */
const PAGE_BODY_LIMIT = 16_384;
const MAX_HEADER_BYTES = 16_384;
/** Of a body refused for its length, this much is read and discarded before the connection ends … */
const MAX_READ_OUT = 32 * BODY_LIMIT;
/** … or until nothing has arrived for this long. */
const QUIET_MS = 250;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Creates the bare server with its timeouts and limits; surfaces and pages are registered on it. */
export function createServer(port: HttpPort): FastifyInstance {
  const server = Fastify({
    logger: false,
    trustProxy: port.config.trustedProxies.length > 0 ? port.config.trustedProxies : false,
    bodyLimit: PAGE_BODY_LIMIT,
    // Headers limit the length of a path anyway, so every path gets the API's own response.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: (request) => routable(request.url ?? '/'),
    clientErrorHandler: respondToClientError,
    // Monitors, link scanners, crawlers and HTTP libraries ask by HEAD for what they would read by GET.
    exposeHeadRoutes: true,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // Requests in flight when the server stops are completed, not refused with an undocumented status.
    return503OnClosing: false,
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, maxHeaderSize: MAX_HEADER_BYTES },
  });
  server.decorate('limits', new RequestLimits());
  server.decorateRequest('requestId', '');
  server.decorateRequest('holder', null);
  server.decorateRequest('counted', null);
  server.decorateRequest('failure', null);
  server.decorateRequest('span', null);
  server.decorateRequest('isExport', false);
  server.addHook('onRequest', (request, reply, done) => {
    const given = request.headers['x-request-id'];
    request.requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    reply.header('X-Request-Id', request.requestId);
    done();
  });
  endStalled(server);
  guardDoor(server, port.config, port.messaging.trackingHosts);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // The limit of an endpoint that also takes bytes is for these.
    const isLarge = request.routeOptions.config.endpoint?.rawBody !== undefined && body.length > BODY_LIMIT;
    if (isLarge) done(new AppError('bad_request', 'The body is too large'), undefined);
    else done(null, body);
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const { endpoint } = request.routeOptions.config;
    const isTaken =
      endpoint !== undefined && (endpoint.anyContentType || takesBytes(endpoint, request.headers['content-type']));
    if (body.length === 0 || isTaken) done(null, body);
    else done(new AppError('bad_request', 'The body must be sent as Content-Type: application/json'), undefined);
  });
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const isUnknown = request.is404 && (error as FastifyError).code === TOO_LARGE;
    const shown = isUnknown ? new AppError('not_found', 'Not found') : publicError(port, error, request);
    const { status, body, headers } = failureOutside(shown, request.url, request.requestId);
    return reply.code(status).headers(headers).send(body);
  };
  server.setNotFoundHandler((request, reply) => fail(new AppError('not_found', 'Not found'), request, reply));
  server.setErrorHandler(fail);
  return server;
}

/** A path with invalid escapes matches nothing: it is routed with its percent signs taken literally. */
function routable(url: string): string {
  if (!url.includes('%')) return url;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + (end === -1 ? '' : url.slice(end));
  }
}

/** Tuned for a page of a list, fast rather than small: Brotli level 4 takes 0.2 ms for 13 kB and reduces it to a seventh. */
const COMPRESSION: FastifyCompressOptions = {
  encodings: ['br', 'gzip'],
  threshold: 1_400,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/** Registers one API on the server: all its routes under each of its prefixes, behind a common pipeline. */
export function registerSurface(server: FastifyInstance, port: HttpPort, surface: Surface, routes: Route[]): void {
  const admit = admission(port, surface);
  const fail = failureHandler(port, surface);
  for (const prefix of surface.prefixes) {
    if (surface.preflight !== undefined) {
      const headers = surface.preflight;
      server.options(`${prefix}/*`, (_request, reply) => reply.code(204).headers(headers).send());
    }
    void server.register(
      async (scope) => {
        scope.addHook('onRequest', admit);
        traceRequests(scope);
        if (surface.compresses) await scope.register(compress, COMPRESSION);
        if (surface.recordsRequests) scope.addHook('onResponse', recordRequests(port, surface));
        scope.setErrorHandler(fail);
        if (surface.handlesUnknown) {
          scope.setNotFoundHandler((request, reply) => fail(new AppError('not_found', 'Not found'), request, reply));
        }
        for (const route of routes) {
          scope.route({
            method: route.endpoint.method,
            url: route.endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
            bodyLimit: route.endpoint.bodyLimit ?? BODY_LIMIT,
            // A stream of events would never end.
            exposeHeadRoute: route.endpoint.contentType !== EVENT_STREAM,
            config: { endpoint: route.endpoint },
            // Streams handle back-pressure themselves, and cut the connection if they fail.
            ...(isStream(route.endpoint) ? { compress: false as const } : {}),
            handler: inRequestSpan(handlerOf(port, surface, route, routes)),
          });
        }
      },
      { prefix },
    );
  }
}

function isStream({ streams, contentType }: Endpoint): boolean {
  return streams !== undefined || contentType !== undefined;
}

function failureHandler(port: HttpPort, surface: Surface) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if ((error as FastifyError).code === TOO_LARGE) await readOut(request.raw);
    const shown = publicError(port, error, request);
    request.failure = shown;
    reply.headers(retryHeaders(shown));
    const { status, body } = surface.failure(shown, request.requestId);
    return reply.code(status).header('Content-Type', 'application/json; charset=utf-8').send(body);
  };
}

/**
 * Waits until an unwanted body has arrived. If the connection were closed while the client is still sending, the reset would make the
 * client lose the response.
 */
function readOut(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_READ_OUT;
    const end = (): void => {
      clearTimeout(timer);
      body.off('data', drop).pause();
      resolve();
    };
    const drop = (chunk: Buffer): void => {
      left -= chunk.length;
      timer.refresh();
      if (left < 0) end();
    };
    const timer = setTimeout(end, QUIET_MS);
    body.on('data', drop).once('end', end).once('close', end).resume();
  });
}

/** null for a process that does not listen, or not yet. */
export function boundPort(server: FastifyInstance): number | null {
  const bound = server.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : null;
}

/** Returns a function that returns the milliseconds since its creation. */
export function stopwatch(): () => number {
  const began = monotonicMs();
  return () => Math.round(monotonicMs() - began);
}

/** Counts connections with a request in flight. */
export function connectionsInUse(server: FastifyInstance): Promise<number> {
  server.server.closeIdleConnections();
  return new Promise((resolve) => {
    server.server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}

/** Finishes the requests in flight; those that take longer than 10 s are cut off. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), 10_000);
  // A connection with a request in flight is kept alive after its response.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  await server.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
