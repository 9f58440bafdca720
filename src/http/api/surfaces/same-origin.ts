import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../errors.ts';

/**
 * Refuses a request that changes something but was not sent by a page of this server, according to Sec-Fetch-Site or, for old browsers,
 * Origin. A request with neither does not come from a page and is refused.
 * @throws AppError bad_request
 */
export function requireSameOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  const origin = request.headers.origin;
  const same = site === undefined ? origin === `${request.protocol}://${request.host}` : site === 'same-origin';
  if (!same) throw new AppError('bad_request', 'This must be sent from the admin pages themselves');
}
