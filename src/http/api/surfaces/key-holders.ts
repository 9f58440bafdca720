import type { FastifyRequest } from 'fastify';
import type { Holder, KeyHolder } from '../../../access/authenticator.ts';
import type { HttpPort } from '../port.ts';
import { rateLimited, refuseAccess } from '../refusals.ts';

/**
 * Returns the holder of the API key that `keyOf` reads from a request. Known keys are accepted from anywhere; from a blocked network no
 * other key is looked up.
 */
export function holderByKey(keyOf: (request: FastifyRequest) => string | null) {
  return (port: HttpPort, request: FastifyRequest): Holder | Promise<Holder> => {
    const key = keyOf(request);
    if (key === null) return refuseAccess(port, 'api_key', request.ip, 'missing_key');
    if (!port.authenticator.isKnown(key)) {
      const wait = port.failedAttempts.blockedFor('api_key', request.ip);
      if (wait > 0) throw rateLimited(wait);
    }
    const holder = port.authenticator.authenticate(key);
    if (!(holder instanceof Promise) && holder !== null) return holder;
    return found(port, request, holder);
  };
}

async function found(
  port: HttpPort,
  request: FastifyRequest,
  pending: KeyHolder | null | Promise<KeyHolder | null>,
): Promise<Holder> {
  const holder = await pending;
  return holder ?? refuseAccess(port, 'api_key', request.ip, 'invalid_key');
}
