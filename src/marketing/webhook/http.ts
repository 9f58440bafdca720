import { parseBody } from '../../http/api/body.ts';
import { type Call, type Route, route } from '../../http/api/endpoint.ts';
import type { HttpPort } from '../../http/api/port.ts';
import { requireSender } from '../../http/api/signed-requests.ts';
import { receiveWebhook } from './contract.ts';
import type { Received, WebhookService } from './service.ts';

export interface WebhookRoutesDeps extends Pick<HttpPort, 'networkLimiter' | 'rateLimiter'> {
  webhook: WebhookService;
}

export function webhookRoutes(deps: WebhookRoutesDeps): Route[] {
  const { webhook } = deps;

  async function receive({ caller, request }: Call<typeof receiveWebhook>): Promise<Received> {
    const sender = await requireSender(deps, webhook, caller, request);
    const end = await request.beginProcessing(sender.companyId);
    try {
      return await webhook.receive(request.callAs(sender.holder, 'webhook'), sender, parseBody(request.body));
    } finally {
      end?.();
    }
  }

  return [route(receiveWebhook, receive)];
}
