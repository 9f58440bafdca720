import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../errors.ts';

/**
 * Refuses a request that changes something and was not made by a page of this server: what the browser says in
 * Sec-Fetch-Site counts, or from an old one its Origin. A request with neither comes from no page, and has no business here.
 * @throws AppError bad_request
 */
export function requireSameOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  const origin = request.headers.origin;
  const same = site === undefined ? origin === `${request.protocol}://${request.host}` : site === 'same-origin';
  if (!same) throw new AppError('bad_request', 'This must be sent from the admin pages themselves');
}
