import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Holder, shareOf } from '../../access/authenticator.ts';
import { AppError } from '../../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { rateLimited } from './errors.ts';
import type { HttpPort } from './port.ts';
import type { RateDecision } from './rate-limit.ts';
import type { Surface } from './surfaces/surface.ts';

/**
 * The first part of the pipeline, before the body is read: key, company, rate limit, path, scope, version. Calls back
 * without a promise when everything needed is in memory.
 */
export function admission(port: HttpPort, surface: Surface) {
  function admit(request: FastifyRequest, reply: FastifyReply, holder: Holder): void | Promise<void> {
    const decision = port.rateLimiter.take(holder);
    if (decision instanceof Promise) return decision.then((made) => count(request, reply, holder, made));
    count(request, reply, holder, decision);
  }

  function count(request: FastifyRequest, reply: FastifyReply, holder: Holder, decision: RateDecision): void {
    const seconds = Math.max(1, decision.reset - Math.floor(port.clock.now().getTime() / 1000));
    if (surface.showsLimit) showLimit(reply, decision, seconds);
    request.counted = holder;
    surface.checkHolder(request, holder);
    if (!decision.allowed) throw rateLimited(seconds);
    request.holder = holder;
    const endpoint = request.routeOptions.config.endpoint;
    // Checked before the body is read, so that the body of an unknown path is not.
    if (endpoint === undefined) throw new AppError('not_found', 'Not found');
    surface.checkScope(holder, endpoint, port, request);
    surface.checkRequest(request);
    const { limits } = request.server;
    const share = shareOf(holder);
    limits.refuseUnread(share);
    limits.admitBody(request, reply, share, request.routeOptions.bodyLimit);
  }

  function begin(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    reply.headers(surface.headers);
    const endpoint = request.routeOptions.config.endpoint;
    surface.checkSender(request, reply);
    if (endpoint !== undefined && isOpen(endpoint)) {
      request.server.limits.admitBody(request, reply, null, request.routeOptions.bodyLimit);
      return;
    }
    const holder = surface.findHolder(port, request, reply);
    return holder instanceof Promise
      ? holder.then((found) => admit(request, reply, found))
      : admit(request, reply, holder);
  }

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      const pending = begin(request, reply);
      if (pending === undefined) done();
      else pending.then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  };
}

function showLimit(reply: FastifyReply, { limit, remaining, reset }: RateDecision, seconds: number): void {
  reply.header('X-RateLimit-Limit', limit);
  reply.header('X-RateLimit-Remaining', remaining);
  reply.header('X-RateLimit-Reset', reset);
  // The same values in the header fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), as seconds to wait.
  reply.header('RateLimit-Policy', `"hour";q=${limit};w=3600`);
  reply.header('RateLimit', `"hour";r=${remaining};t=${seconds}`);
}

/** Whether the endpoint serves requests without credentials. */
function isOpen({ scope }: Endpoint): boolean {
  return scope === 'public' || scope === 'anyone';
}
