import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ShippingMethodsService } from './service.ts';

export function shippingMethodRoutes({
  shippingMethods: methods,
}: {
  shippingMethods: ShippingMethodsService;
}): Route[] {
  return [
    route(contract.listShippingMethods, (call) => methods.listMethods(call.caller.companyId, call.query), paged),
    route(contract.getShippingMethod, (call) => methods.getMethod(call.caller.companyId, call.params.id)),
    route(contract.createShippingMethod, (call) => methods.createMethod(call.caller, call.body)),
    route(contract.updateShippingMethod, (call) => methods.updateMethod(call.caller, call.params.id, call.body)),
    route(contract.deleteShippingMethod, (call) => methods.deleteMethod(call.caller, call.params.id)),
  ];
}
