import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Over https the name's prefix makes the browser refuse the cookie from anybody but this host. */
function nameOf(isHttps: boolean): string {
  return isHttps ? '__Host-tradeloom' : 'tradeloom';
}

/** The header that gives the browser a session's secret for so many seconds; '' and 0 take it away. */
export function sessionCookie(isHttps: boolean, secret: string, seconds: number): string {
  const secure = isHttps ? '; Secure' : '';
  return `${nameOf(isHttps)}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The secret that the request's cookie holds, or null. */
export function secretIn(headers: IncomingHttpHeaders, isHttps: boolean): string | null {
  const name = nameOf(isHttps);
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return null;
}

export function isHttps(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}
