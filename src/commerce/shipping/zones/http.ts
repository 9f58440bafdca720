import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { ShippingZonesService } from './service.ts';

export function shippingZoneRoutes({ shippingZones: zones }: { shippingZones: ShippingZonesService }): Route[] {
  return [
    route(contract.listShippingZones, (call) => zones.listZones(call.caller.companyId, call.query), paged),
    route(contract.getShippingZone, (call) => zones.getZone(call.caller.companyId, call.params.id)),
    route(contract.createShippingZone, (call) => zones.createZone(call.caller, call.body)),
    route(contract.updateShippingZone, (call) => zones.updateZone(call.caller, call.params.id, call.body)),
    route(contract.deleteShippingZone, (call) => zones.deleteZone(call.caller, call.params.id)),
  ];
}
