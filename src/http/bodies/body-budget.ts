import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../errors.ts';
import { onClosed } from '../on-closed.ts';

/** Bodies of requests in progress, in this process. */
const MAX_BYTES = 256 * 2 ** 20;
/** Smaller ones are bounded by how many requests may wait. */
const COUNTED_FROM = 16_384;

/**
 * Bounds the memory of bodies that are being read or wait for their turn; one company has at most half of it. Counted by
 * what the request says of its length, before the first byte is read; a body of unknown length as its limit.
 */
export class BodyBudget {
  private used = 0;
  private readonly usedBy = new Map<number, number>();
  private readonly max: number;

  constructor(max = MAX_BYTES) {
    this.max = max;
  }

  /** Takes the request's share until its response is sent. Throws Overloaded. */
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

/** What a request says of its body's length before it is read; of unknown length: the limit. */
export function declaredLength({ headers }: FastifyRequest, limit: number): number {
  const length = headers['content-length'];
  // One that says too much is refused for it, and not read.
  if (length !== undefined) return Math.min(Number(length), limit);
  return headers['transfer-encoding'] === undefined ? 0 : limit;
}
