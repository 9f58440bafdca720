import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../lib/network.ts';
import { ByteBudget } from '../byte-budget.ts';
import { onClosed } from '../on-closed.ts';

/** Maximum bytes of bodies of requests in progress, per process. */
const MAX_BYTES = 256 * 2 ** 20;
/** Of what all requests have together whose company is not known yet, one network may use this part. */
const NETWORK_PART = 8;
/** Smaller bodies are limited by the number of waiting requests. */
const COUNTED_FROM = 16_384;

/**
 * Limits the memory of bodies being read or waiting for their turn; one company may use at most half of it. Counts the length declared by
 * the request before the first byte is read; a body of unknown length counts as its limit. Requests whose company is not known yet (0) have
 * one company's half together, and those of one network a part of it: otherwise one client that announces bodies and never sends them
 * would keep out the webhooks of all companies.
 */
export class BodyBudget {
  private readonly budget: ByteBudget;
  private readonly half: number;

  constructor(max = MAX_BYTES) {
    this.budget = new ByteBudget(max);
    this.half = max / 2;
  }

  /** Reserves the request's bytes until its response is sent. Throws Overloaded. */
  take(request: FastifyRequest, reply: FastifyReply, companyId: number, limit: number): void {
    const bytes = declaredLength(request, limit);
    if (bytes < COUNTED_FROM) return;
    const shares = [{ of: `company ${companyId}`, most: this.half }];
    if (companyId === 0) shares.push({ of: networkOf(request.ip), most: this.half / NETWORK_PART });
    onClosed(reply.raw, this.budget.take(bytes, shares));
  }
}

/** Returns the declared length of a request's body before it is read; if unknown, the limit. */
export function declaredLength({ headers }: FastifyRequest, limit: number): number {
  const length = headers['content-length'];
  // A request that declares more than the limit is refused without reading it.
  if (length !== undefined) return Math.min(Number(length), limit);
  return headers['transfer-encoding'] === undefined ? 0 : limit;
}
