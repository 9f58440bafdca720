import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as endpoints from './service.ts';

export const webhookEndpointRoutes: Route[] = [
  route(
    contract.listEndpoints,
    (app, call) => endpoints.listEndpoints(app.db, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createEndpoint, (app, call) => endpoints.createEndpoint(app, call.caller, call.body)),
  route(contract.getEndpoint, (app, call) => endpoints.getEndpoint(app.db, call.caller.companyId, call.params.id)),
  route(contract.updateEndpoint, (app, call) => endpoints.updateEndpoint(app, call.caller, call.params.id, call.body)),
  route(contract.deleteEndpoint, (app, call) => endpoints.deleteEndpoint(app.db, call.caller, call.params.id)),
  route(
    contract.listDeliveries,
    (app, call) => endpoints.listDeliveries(app.db, call.caller.companyId, call.params.id, call.query),
    paged,
  ),
  route(contract.replayDeliveries, async (app, call) => {
    const done = await endpoints.replay(app.db, call.caller, call.params.id, call.body.delivery_ids ?? null);
    app.wake('webhook-deliveries');
    return done;
  }),
  route(contract.pingEndpoint, async (app, call) => {
    const made = await endpoints.ping(app.db, call.caller, call.params.id);
    app.wake('webhook-deliveries');
    return made;
  }),
];
