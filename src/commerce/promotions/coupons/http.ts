import { type Route, route } from '../../../http/api/endpoint.ts';
import { paged } from '../../../lib/paging.ts';
import * as contract from './contract.ts';
import type { CouponsService } from './service.ts';

export function couponRoutes({ coupons }: { coupons: CouponsService }): Route[] {
  return [
    route(
      contract.listCoupons,
      (call) => coupons.listCoupons(call.caller.companyId, call.params.id, call.query),
      paged,
    ),
    route(contract.createCoupons, (call) => coupons.createCoupons(call.caller, call.params.id, call.body.count)),
  ];
}
