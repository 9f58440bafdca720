import type { App } from '../../app.ts';
import { parseBody } from '../../http/body.ts';
import { type Call, type Route, route } from '../../http/endpoint.ts';
import { requireSender } from '../../http/signed-requests.ts';
import { receiveWebhook } from './contract.ts';
import type { Received } from './service.ts';

async function receive(app: App, { caller, request }: Call<typeof receiveWebhook>): Promise<Received> {
  const sender = await requireSender(app, caller, request);
  return app.webhook.receive(request.callAs(sender.holder, 'webhook'), sender, parseBody(request.body));
}

export const webhookRoutes: Route[] = [route(receiveWebhook, receive)];
