import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as shipping from './service.ts';

export const shippingRoutes: Route[] = [
  route(
    contract.listShippingZones,
    (_app, call) => shipping.listZones(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.getShippingZone, (_app, call) => shipping.getZone(call.db, call.caller.companyId, call.params.id)),
  route(contract.createShippingZone, (app, call) => shipping.createZone(app, call.caller, call.body)),
  route(contract.updateShippingZone, (app, call) => shipping.updateZone(app, call.caller, call.params.id, call.body)),
  route(contract.deleteShippingZone, (app, call) => shipping.deleteZone(app, call.caller, call.params.id)),
  route(
    contract.listShippingMethods,
    async (app, call) => shipping.listMethods(call.lists, await app.shops.get(call.caller.companyId), call.query),
    paged,
  ),
  route(contract.getShippingMethod, async (app, call) =>
    shipping.getMethod(call.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(contract.createShippingMethod, async (app, call) =>
    shipping.createMethod(app, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
  route(contract.updateShippingMethod, async (app, call) =>
    shipping.updateMethod(app, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
  route(contract.deleteShippingMethod, async (app, call) =>
    shipping.deleteMethod(app, await app.shops.get(call.caller.companyId), call.caller, call.params.id),
  ),
];
