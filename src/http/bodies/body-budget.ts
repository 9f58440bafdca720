import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../errors.ts';
import { onClosed } from '../on-closed.ts';

/** Maximum bytes of bodies of requests in progress, per process. */
const MAX_BYTES = 256 * 2 ** 20;
/** Smaller bodies are limited by the number of waiting requests. */
const COUNTED_FROM = 16_384;

/**
 * Limits the memory of bodies being read or waiting for their turn; one company may use at most half of it. Counts the length declared by
 * the request before the first byte is read; a body of unknown length counts as its limit.
 */
export class BodyBudget {
  private used = 0;
  private readonly usedBy = new Map<number, number>();
  private readonly max: number;

  constructor(max = MAX_BYTES) {
    this.max = max;
  }

  /** Reserves the request's bytes until its response is sent. Throws Overloaded. */
  take(request: FastifyRequest, reply: FastifyReply, companyId: number, limit: number): void {
    const bytes = declaredLength(request, limit);
    if (bytes < COUNTED_FROM) return;
    const own = this.usedBy.get(companyId) ?? 0;
    if (this.used + bytes > this.max || own + bytes > this.max / 2) throw new Overloaded();
    this.add(companyId, bytes);
    onClosed(reply.raw, () => this.add(companyId, -bytes));
  }

  private add(companyId: number, bytes: number): void {
    this.used += bytes;
    const own = (this.usedBy.get(companyId) ?? 0) + bytes;
    if (own === 0) this.usedBy.delete(companyId);
    else this.usedBy.set(companyId, own);
  }
}

/** Returns the declared length of a request's body before it is read; if unknown, the limit. */
export function declaredLength({ headers }: FastifyRequest, limit: number): number {
  const length = headers['content-length'];
  // A request that declares more than the limit is refused without reading it.
  if (length !== undefined) return Math.min(Number(length), limit);
  return headers['transfer-encoding'] === undefined ? 0 : limit;
}
