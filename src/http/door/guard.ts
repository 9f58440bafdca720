import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { createHostCheck } from './hosts.ts';

/** A year; without subdomains, which are not this program's to decide about. */
const HSTS = 'max-age=31536000';

/**
 * What holds for every request, whatever it asks for: it names one host, which is this server's, and its response is
 * read as the type that it says. Where TLS is in front, browsers are told to come back by https only.
 */
export function guardDoor(server: FastifyInstance, config: Readonly<Config>): void {
  const isOurs = createHostCheck(config);
  const byTls = config.publicUrl?.startsWith('https:') ?? false;
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Content-Type-Options', 'nosniff');
    if (byTls || request.protocol === 'https') reply.header('Strict-Transport-Security', HSTS);
    const host = hostOf(request);
    if (host === null || !isOurs(host))
      done(new AppError('bad_request', 'The Host header names no host of this server'));
    else done();
  });
}

/** The one Host header; null for several. HTTP/1.0 may come without one, and no browser speaks it. */
function hostOf(request: FastifyRequest): string | null {
  const { rawHeaders, httpVersion } = request.raw;
  let host: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== null) return null;
    host = rawHeaders[i + 1]!;
  }
  return host ?? (httpVersion === '1.0' ? 'localhost' : null);
}
