import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as endpoints from './service.ts';

export const webhookEndpointRoutes: Route[] = [
  route(
    contract.listEndpoints,
    (_app, call) => endpoints.listEndpoints(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createEndpoint, (app, call) => endpoints.createEndpoint(app, call.caller, call.body)),
  route(contract.getEndpoint, (_app, call) => endpoints.getEndpoint(call.db, call.caller.companyId, call.params.id)),
  route(contract.updateEndpoint, (app, call) => endpoints.updateEndpoint(app, call.caller, call.params.id, call.body)),
  route(contract.deleteEndpoint, (_app, call) => endpoints.deleteEndpoint(call.db, call.caller, call.params.id)),
  route(
    contract.listDeliveries,
    (_app, call) => endpoints.listDeliveries(call.lists, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.replayDeliveries, async (app, call) => {
    const done = await endpoints.replay(call.db, call.caller, call.params.id, call.body.delivery_ids ?? null);
    app.wake('webhook-deliveries');
    return done;
  }),
  route(contract.pingEndpoint, async (app, call) => {
    const made = await endpoints.ping(call.db, call.caller, call.params.id);
    app.wake('webhook-deliveries');
    return made;
  }),
];
