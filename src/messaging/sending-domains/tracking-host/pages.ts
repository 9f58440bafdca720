import type { FastifyInstance } from 'fastify';
import { nameOf } from '../../../http/door.ts';
import type { Messaging } from '../../service.ts';
import { READY_PATH, readyValue } from './ready.ts';

export const MAY_HAVE_CERTIFICATE = '/tls/ask';

/** Where checks verify that HTTPS to a tracking host arrives here. */
export function readyPage(server: FastifyInstance, { messaging }: { messaging: Pick<Messaging, 'tokenKey'> }): void {
  const options = { config: { ofLinks: true } } as const;
  server.get(`${READY_PATH}/:nonce`, options, (request, reply) => {
    const { nonce } = request.params as { nonce: string };
    const value = readyValue(messaging.tokenKey, nameOf(request.host) ?? '', nonce);
    return reply
      .code(value === null ? 404 : 200)
      .header('Cache-Control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(`${value ?? 'Not found'}\n`);
  });
}

/**
 * Tells a proxy that orders certificates itself which hosts it may order for (Caddy: `on_demand_tls`): 200 for tracking hosts, 404 for all
 * others. Not for the public: the proxy examples leave it out.
 */
export function certificatePage(
  server: FastifyInstance,
  { messaging }: { messaging: Pick<Messaging, 'trackingHosts'> },
): void {
  server.get(MAY_HAVE_CERTIFICATE, (request, reply) => {
    const { domain } = request.query as { domain?: unknown };
    const isKnown = typeof domain === 'string' && messaging.trackingHosts.holdersOf(domain.toLowerCase()) !== undefined;
    return reply
      .code(isKnown ? 200 : 404)
      .header('Cache-Control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(isKnown ? 'yes\n' : 'no\n');
  });
}
