import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import * as deliveryContract from './delivery-contract.ts';
import type { DeliveriesService } from './delivery-service.ts';
import type { EndpointsService } from './service.ts';

export function webhookEndpointRoutes({
  webhookEndpoints: endpoints,
  webhookDeliveries: deliveries,
  wake,
}: {
  webhookEndpoints: EndpointsService;
  webhookDeliveries: DeliveriesService;
  wake: Wake;
}): Route[] {
  return [
    route(contract.listEndpoints, (call) => endpoints.listEndpoints(call.caller.companyId, call.query), paged),
    route(contract.createEndpoint, (call) => endpoints.createEndpoint(call.caller, call.body)),
    route(contract.getEndpoint, (call) => endpoints.getEndpoint(call.caller.companyId, call.params.id)),
    route(contract.updateEndpoint, (call) => endpoints.updateEndpoint(call.caller, call.params.id, call.body)),
    route(contract.deleteEndpoint, (call) => endpoints.deleteEndpoint(call.caller, call.params.id)),
    route(
      deliveryContract.listDeliveries,
      (call) => deliveries.listDeliveries(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(deliveryContract.replayDeliveries, async (call) => {
      const replayed = await deliveries.replay(call.caller, call.params.id, call.body.delivery_ids ?? null);
      wake('webhook-deliveries');
      return replayed;
    }),
    route(deliveryContract.pingEndpoint, async (call) => {
      const ping = await deliveries.ping(call.caller, call.params.id);
      wake('webhook-deliveries');
      return ping;
    }),
  ];
}
