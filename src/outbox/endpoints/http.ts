import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import type { EndpointsService } from './service.ts';

export function webhookEndpointRoutes({
  webhookEndpoints: endpoints,
  wake,
}: {
  webhookEndpoints: EndpointsService;
  wake: Wake;
}): Route[] {
  return [
    route(contract.listEndpoints, (call) => endpoints.listEndpoints(call.caller.companyId, call.query), paged),
    route(contract.createEndpoint, (call) => endpoints.createEndpoint(call.caller, call.body)),
    route(contract.getEndpoint, (call) => endpoints.getEndpoint(call.caller.companyId, call.params.id)),
    route(contract.updateEndpoint, (call) => endpoints.updateEndpoint(call.caller, call.params.id, call.body)),
    route(contract.deleteEndpoint, (call) => endpoints.deleteEndpoint(call.caller, call.params.id)),
    route(
      contract.listDeliveries,
      (call) => endpoints.listDeliveries(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(contract.replayDeliveries, async (call) => {
      const done = await endpoints.replay(call.caller, call.params.id, call.body.delivery_ids ?? null);
      wake('webhook-deliveries');
      return done;
    }),
    route(contract.pingEndpoint, async (call) => {
      const made = await endpoints.ping(call.caller, call.params.id);
      wake('webhook-deliveries');
      return made;
    }),
  ];
}
