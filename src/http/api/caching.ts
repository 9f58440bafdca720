import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Browsers ask again each time; shared caches keep it for a minute, and use it for ten more while they ask again. */
const CACHE_CONTROL = 'public, max-age=0, s-maxage=60, stale-while-revalidate=600';

/**
 * Sets the headers by which caches keep a response. `content` is what two equal responses have in common: all but the request's id. Returns
 * whether the client has it already.
 */
export function isKept(request: FastifyRequest, reply: FastifyReply, content: string): boolean {
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  // Weak: the bytes of two responses differ in the request's id.
  reply.header('ETag', `W/${tag}`).header('Cache-Control', CACHE_CONTROL);
  const known = request.headers['if-none-match'];
  return known !== undefined && (known.trim() === '*' || known.split(',').some((one) => opaque(one) === tag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
