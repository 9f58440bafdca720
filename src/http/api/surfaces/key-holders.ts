import type { FastifyRequest } from 'fastify';
import type { Holder, KeyHolder } from '../../../access/authenticator.ts';
import { AppError } from '../../../errors.ts';
import type { HttpPort } from '../port.ts';
import { rateLimited, refuseAccess } from '../refusals.ts';

/** The API's messages for a request without a key, and for one whose key is unknown, revoked or expired. */
interface KeyTexts {
  missing: string;
  invalid: string;
}

/**
 * Returns the holder of the API key that `keyOf` reads from a request. Known keys are accepted from anywhere; from a blocked network no
 * other key is looked up.
 */
export function holderByKey(texts: KeyTexts, keyOf: (request: FastifyRequest) => string | null) {
  return (port: HttpPort, request: FastifyRequest): Holder | Promise<Holder> => {
    const key = keyOf(request);
    if (key === null) return refuse(port, request, new AppError('missing_key', texts.missing));
    if (!port.authenticator.isKnown(key)) {
      const wait = port.failedAttempts.blockedFor('api_key', request.ip);
      if (wait > 0) throw rateLimited(wait);
    }
    const holder = port.authenticator.authenticate(key);
    if (!(holder instanceof Promise) && holder !== null) return holder;
    return found(port, request, { pending: holder, invalid: texts.invalid });
  };
}

async function found(
  port: HttpPort,
  request: FastifyRequest,
  { pending, invalid }: { pending: KeyHolder | null | Promise<KeyHolder | null>; invalid: string },
): Promise<Holder> {
  return (await pending) ?? refuse(port, request, new AppError('invalid_key', invalid));
}

function refuse(port: HttpPort, request: FastifyRequest, refusal: AppError): Promise<never> {
  return refuseAccess(port, 'api_key', request.ip, refusal);
}
