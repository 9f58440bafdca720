import { paged, type Route, route } from '../../http/endpoint.ts';
import * as contract from './contract.ts';
import * as promotions from './service.ts';

export const promotionRoutes: Route[] = [
  route(
    contract.listPromoCodes,
    async (app, call) => promotions.listPromoCodes(call.lists, await app.shops.get(call.caller.companyId), call.query),
    paged,
  ),
  route(contract.getPromoCode, async (app, call) =>
    promotions.getPromoCode(call.db, await app.shops.get(call.caller.companyId), call.params.id),
  ),
  route(contract.createPromoCode, async (app, call) =>
    promotions.createPromoCode(app, await app.shops.get(call.caller.companyId), call.caller, call.body),
  ),
  route(contract.updatePromoCode, async (app, call) =>
    promotions.updatePromoCode(app, await app.shops.get(call.caller.companyId), call.caller, call.params.id, call.body),
  ),
  route(contract.deletePromoCode, async (app, call) =>
    promotions.deletePromoCode(app, await app.shops.get(call.caller.companyId), call.caller, call.params.id),
  ),
];
