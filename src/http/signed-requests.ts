import type { KeyHolder } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { App } from '../app.ts';
import type { Sender } from '../marketing/webhook/service.ts';
import type { RawRequest } from './endpoint.ts';
import { rateLimited, refuseAccess } from './pipeline.ts';

/**
 * The company that signed a request with its webhook secret, counted by the limit of its webhook. Throws invalid_key with
 * one text for everything that may be wrong, rate_limited.
 */
export async function requireSender(app: App, caller: Caller, request: RawRequest): Promise<Sender> {
  const mayLookUp = app.failedAttempts.blockedFor('webhook', request.address) === 0;
  const sender = await app.webhook.authenticate(request.headers, request.body, caller.now, { mayLookUp });
  if (sender === null) return refuseAccess(app, 'webhook', request.address, 'invalid_key');
  await countSigned(app, sender.holder, caller.now);
  return sender;
}

/** Throws rate_limited. */
export async function countSigned(app: App, holder: KeyHolder, now: Date): Promise<void> {
  const { allowed, reset } = await app.rateLimiter.take(holder);
  if (!allowed) throw rateLimited(Math.max(1, reset - Math.floor(now.getTime() / 1000)));
}
