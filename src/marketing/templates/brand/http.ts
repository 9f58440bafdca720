import { type Route, route } from '../../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { BrandKitService } from './service.ts';

export function brandKitRoutes({ brandKit }: { brandKit: BrandKitService }): Route[] {
  return [
    route(contract.getBrandKit, (call) => brandKit.getBrandKit(call.caller.companyId)),
    route(contract.updateBrandKit, (call) => brandKit.updateBrandKit(call.caller, call.body)),
  ];
}
