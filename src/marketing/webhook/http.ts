import type { App } from '../../app.ts';
import { parseBody } from '../../http/body.ts';
import { type Call, type Route, route } from '../../http/endpoint.ts';
import { rateLimited, refuseAccess } from '../../http/pipeline.ts';
import { receiveWebhook } from './contract.ts';
import type { Received } from './service.ts';

async function receive(app: App, { caller, request }: Call<typeof receiveWebhook>): Promise<Received> {
  const sender = await app.webhook.authenticate(request.headers, request.body, caller.now);
  if (sender === null) throw refuseAccess(app, request.address, 'invalid_key');
  const { allowed, reset } = await app.rateLimiter.take(sender.holder);
  if (!allowed) throw rateLimited(Math.max(1, reset - Math.floor(caller.now.getTime() / 1000)));
  const company = { ...caller, companyId: sender.companyId, actor: 'webhook' };
  return app.webhook.receive(company, sender, parseBody(request.body));
}

export const webhookRoutes: Route[] = [route(receiveWebhook, receive)];
