import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';

export const SECURITY_TXT = '/.well-known/security.txt';
/** RFC 9116 recommends less than a year. Each response sets a new date: a copy is trusted for this long. */
const VALID_MS = 180 * 86_400_000;

/** Serves the contact for reporting vulnerabilities of this installation (RFC 9116). Without a contact the path does not exist. */
export function securityTextPage(
  server: FastifyInstance,
  { config, machineClock }: { config: Readonly<Config>; machineClock: Clock },
): void {
  const { securityContact, publicUrl } = config;
  if (securityContact === null) return;
  const canonical = publicUrl?.startsWith('https:') ? `${new URL(publicUrl).origin}${SECURITY_TXT}` : null;
  server.get(SECURITY_TXT, (_request, reply) => {
    const expires = new Date(machineClock.now().getTime() + VALID_MS);
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      ...(canonical === null ? [] : [`Canonical: ${canonical}`]),
    ];
    return reply
      .type('text/plain; charset=utf-8')
      .header('Cache-Control', 'max-age=86400')
      .send(`${lines.join('\n')}\n`);
  });
}
