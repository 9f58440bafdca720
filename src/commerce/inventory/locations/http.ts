import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { LocationsService } from './service.ts';

export function locationRoutes({ locations }: { locations: LocationsService }): Route[] {
  return [
    route(contract.listLocations, (call) => locations.listLocations(call.caller.companyId, call.query), paged),
    route(contract.getLocation, (call) => locations.getLocation(call.caller.companyId, call.params.id)),
    route(contract.createLocation, (call) => locations.createLocation(call.caller, call.body)),
    route(contract.updateLocation, (call) => locations.updateLocation(call.caller, call.params.id, call.body)),
  ];
}
