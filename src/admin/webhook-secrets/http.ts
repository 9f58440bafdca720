import { type Route, route } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { WebhookSecretsService } from './service.ts';

export function webhookSecretRoutes({ webhookSecrets: secrets }: { webhookSecrets: WebhookSecretsService }): Route[] {
  return [
    route(contract.listWebhookSecrets, ({ caller }) => secrets.listSecrets(caller)),
    route(contract.showWebhookSecret, ({ caller, params }) => secrets.showSecret(caller, params.id)),
    route(contract.rotateWebhookSecret, ({ caller, body }) => secrets.rotateSecret(caller, body.overlap_hours)),
  ];
}
