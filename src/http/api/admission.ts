import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyHolder } from '../../access/authenticator.ts';
import { AppError } from '../../errors.ts';
import type { BodyBudget } from '../bodies/body-budget.ts';
import type { HttpPort } from './port.ts';
import type { RateDecision } from './rate-limit.ts';
import { rateLimited, refuseAccess } from './refusal.ts';
import type { Surface } from './surface.ts';

/**
 * The first part of the pipeline, before the body is read: key, company, rate limit, path, scope, version. Calls back
 * without a promise when everything needed is in memory.
 */
export function admission(port: HttpPort, surface: Surface, bodies: BodyBudget) {
  function admit(request: FastifyRequest, reply: FastifyReply, holder: KeyHolder): void | Promise<void> {
    const decision = port.rateLimiter.take(holder);
    if (decision instanceof Promise) return decision.then((made) => count(request, reply, holder, made));
    count(request, reply, holder, decision);
  }

  function count(request: FastifyRequest, reply: FastifyReply, holder: KeyHolder, decision: RateDecision): void {
    reply.header('X-RateLimit-Limit', decision.limit);
    reply.header('X-RateLimit-Remaining', decision.remaining);
    reply.header('X-RateLimit-Reset', decision.reset);
    // The same in the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), with seconds to wait.
    const seconds = Math.max(1, decision.reset - Math.floor(port.clock.now().getTime() / 1000));
    reply.header('RateLimit-Policy', `"hour";q=${decision.limit};w=3600`);
    reply.header('RateLimit', `"hour";r=${decision.remaining};t=${seconds}`);
    request.server.largeBodies.note(holder.companyId);
    surface.checkHolder(request, holder);
    if (!decision.allowed) throw rateLimited(seconds);
    request.holder = holder;
    const endpoint = request.routeOptions.config.endpoint;
    // Before the body is read: that of an unknown path is not.
    if (endpoint === undefined) throw new AppError('not_found', 'Not found');
    surface.checkScope(holder, endpoint);
    surface.checkRequest(request);
    bodies.take(request, reply, holder.companyId, request.routeOptions.bodyLimit);
  }

  function begin(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    reply.headers(surface.headers);
    if (request.routeOptions.config.endpoint?.scope === 'public') {
      // The company is not known yet: all public requests share one company's budget.
      bodies.take(request, reply, 0, request.routeOptions.bodyLimit);
      return;
    }
    const key = surface.keyOf(request);
    if (key === null) return refuseAccess(port, 'api_key', request.ip, 'missing_key');
    if (!port.authenticator.isKnown(key)) return lookUp(request, reply, key);
    const holder = port.authenticator.authenticate(key);
    if (!(holder instanceof Promise) && holder !== null) return admit(request, reply, holder);
    return admitFound(request, reply, holder);
  }

  /** Known keys pass from any address; from a blocked network no unknown key is looked up. */
  function lookUp(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void> {
    const wait = port.failedAttempts.blockedFor('api_key', request.ip);
    if (wait > 0) throw rateLimited(wait);
    return admitFound(request, reply, port.authenticator.authenticate(key));
  }

  async function admitFound(
    request: FastifyRequest,
    reply: FastifyReply,
    pending: KeyHolder | null | Promise<KeyHolder | null>,
  ): Promise<void> {
    const holder = await pending;
    if (holder === null) return refuseAccess(port, 'api_key', request.ip, 'invalid_key');
    return admit(request, reply, holder);
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
