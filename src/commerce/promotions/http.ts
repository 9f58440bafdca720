import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import * as contract from './contract.ts';
import type { PromotionsService } from './service.ts';

export function promotionRoutes({ promotions }: { promotions: PromotionsService }): Route[] {
  return [
    route(contract.listPromoCodes, (call) => promotions.listPromoCodes(call.caller.companyId, call.query), paged, {
      inOrder: ({ caller, query }) => promotions.promoCodesInOrder(caller.companyId, query),
    }),
    route(contract.getPromoCode, (call) => promotions.getPromoCode(call.caller.companyId, call.params.id)),
    route(contract.createPromoCode, (call) => promotions.createPromoCode(call.caller, call.body)),
    route(contract.updatePromoCode, (call) => promotions.updatePromoCode(call.caller, call.params.id, call.body)),
    route(contract.deletePromoCode, (call) => promotions.deletePromoCode(call.caller, call.params.id)),
  ];
}
