import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ShippingService } from './service.ts';

export function shippingRoutes({ shipping }: { shipping: ShippingService }): Route[] {
  return [
    route(contract.listShippingZones, (call) => shipping.listZones(call.caller.companyId, call.query), paged),
    route(contract.getShippingZone, (call) => shipping.getZone(call.caller.companyId, call.params.id)),
    route(contract.createShippingZone, (call) => shipping.createZone(call.caller, call.body)),
    route(contract.updateShippingZone, (call) => shipping.updateZone(call.caller, call.params.id, call.body)),
    route(contract.deleteShippingZone, (call) => shipping.deleteZone(call.caller, call.params.id)),
    route(contract.listShippingMethods, (call) => shipping.listMethods(call.caller.companyId, call.query), paged),
    route(contract.getShippingMethod, (call) => shipping.getMethod(call.caller.companyId, call.params.id)),
    route(contract.createShippingMethod, (call) => shipping.createMethod(call.caller, call.body)),
    route(contract.updateShippingMethod, (call) => shipping.updateMethod(call.caller, call.params.id, call.body)),
    route(contract.deleteShippingMethod, (call) => shipping.deleteMethod(call.caller, call.params.id)),
  ];
}
