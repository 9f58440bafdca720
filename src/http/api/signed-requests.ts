import type { IncomingHttpHeaders } from 'node:http';
import type { KeyHolder } from '../../access/authenticator.ts';
import type { Caller } from '../../caller.ts';
import type { RawRequest } from './endpoint.ts';
import { rateLimited, refuseSignature } from './errors.ts';
import type { HttpPort } from './port.ts';

type Limits = Pick<HttpPort, 'networkLimiter' | 'rateLimiter'>;

/** Identifies the sender of a request by its signature. */
export interface SenderCheck<Sender extends { holder: KeyHolder }> {
  /** Returns null if no known sender signed it. Without `mayLookUp`, only secrets in memory are used. */
  authenticate(
    headers: IncomingHttpHeaders,
    body: Buffer,
    now: Date,
    options: { mayLookUp: boolean },
  ): Promise<Sender | null>;
}

/**
 * Returns the sender who signed a request, counted against the limit of their webhook. Throws invalid_key, with one text for every possible
 * reason, or rate_limited.
 */
export async function requireSender<Sender extends { holder: KeyHolder }>(
  limits: Limits,
  senders: SenderCheck<Sender>,
  caller: Caller,
  request: RawRequest,
): Promise<Sender> {
  const mayLookUp = limits.networkLimiter.blockedFor('webhook', request.address) === 0;
  const sender = await senders.authenticate(request.headers, request.body, caller.now, { mayLookUp });
  if (sender === null) return refuseSignature(limits, 'webhook', request.address);
  await countSigned(limits, sender.holder, caller.now);
  return sender;
}

/** Throws rate_limited. */
export async function countSigned(
  { rateLimiter }: Pick<Limits, 'rateLimiter'>,
  holder: KeyHolder,
  now: Date,
): Promise<void> {
  const { allowed, reset } = await rateLimiter.take(holder);
  if (!allowed) throw rateLimited(Math.max(1, reset - Math.floor(now.getTime() / 1000)));
}
