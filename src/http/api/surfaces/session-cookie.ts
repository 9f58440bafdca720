import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Over HTTPS the prefix makes the browser accept the cookie only from this host. */
function nameOf(isHttps: boolean): string {
  return isHttps ? '__Host-tradeloom' : 'tradeloom';
}

/** Returns the Set-Cookie header for a session's secret and lifetime in seconds; '' and 0 delete the cookie. */
export function sessionCookie(isHttps: boolean, secret: string, seconds: number): string {
  const secure = isHttps ? '; Secure' : '';
  return `${nameOf(isHttps)}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the secret in the request's cookie, or null. */
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
